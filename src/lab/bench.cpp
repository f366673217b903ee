#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/pattern/pattern_row.hpp>

#include "../core/refuse.hpp"
#include "benches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ridge::lab {

const std::vector<BenchKernel>& bench_kernels() {
  static const std::vector<BenchKernel> all = [] {
    std::vector<BenchKernel> kernels;
    add_chain_kernels(kernels);
    add_built_in(kernels);
    for (BenchKernel& announced : announced_kernels())
      kernels.push_back(std::move(announced));
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
      return place_of_pattern(a.pattern) < place_of_pattern(b.pattern);
    });
    return kernels;
  }();
  return all;
}

std::unique_ptr<Case> case_on_arrays(const BenchKernel& kernel, Queue& queue, RoofSource& roof,
                                     const Arguments& arguments) {
  const OnArrays& on = kernel.on_arrays;
  refuse_if(!on.make, "{} takes no arrays of other languages: it is of the pattern {}", kernel.name,
            kernel.pattern);
  if (arguments.arrays.empty()) check_count(arguments, on.names.size());
  std::vector<std::string> names = on.names;
  std::size_t inputs = on.inputs;
  if (on.by_rows && arguments.arrays.size() == names.size() + 1) {
    names.insert(names.begin(), "targets");
    ++inputs;
  }
  if (arguments.arrays.size() != names.size()) check_count(arguments, names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (arguments.arrays[i].element_bytes == arguments.arrays[0].element_bytes) continue;
    throw UsageError(fmt::format("{}: {} and {} are of different precisions; all must be of one",
                                 kernel.name, names[0], names[i]));
  }
  check_shapes(arguments.kernel, names, arguments.arrays, on.by_rows ? 2 : max_array_rank,
               on.one_shape, arguments.order);
  check_memory(arguments.kernel, names, arguments.arrays, {inputs, names.size()}, on.by_rows);
  return on.make(queue, roof, arguments);
}

const BenchKernel& find_bench_kernel(std::string_view name) {
  std::string names;
  for (const BenchKernel& kernel : bench_kernels()) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  throw UsageError(fmt::format("unknown kernel '{}'; the kernels are {}", name, names));
}

} // namespace ridge::lab
