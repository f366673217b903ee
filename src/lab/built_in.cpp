#include <ridge/core/error.hpp>
#include <ridge/lab/built_in.hpp>

#include <fmt/format.h>

#include <iterator>

namespace ridge::lab {

namespace {

using Describe = BuiltIn (*)();

std::vector<Describe>& announced() {
  static std::vector<Describe> all;
  return all;
}

const BuiltIn& all_headers() {
  static const BuiltIn all = [] {
    BuiltIn sum;
    for (const Describe describe : announced()) {
      BuiltIn one = describe();
      std::move(one.evolving.begin(), one.evolving.end(), std::back_inserter(sum.evolving));
      std::move(one.kernels.begin(), one.kernels.end(), std::back_inserter(sum.kernels));
      std::move(one.evolving_otherwise.begin(), one.evolving_otherwise.end(),
                std::back_inserter(sum.evolving_otherwise));
    }
    return sum;
  }();
  return all;
}

} // namespace

AnnouncedKernels::AnnouncedKernels(BuiltIn (*describe)()) {
  announced().push_back(describe);
}

const std::vector<EvolvingKernel>& evolving_kernels() {
  return all_headers().evolving;
}

const std::vector<std::string>& names_evolving_otherwise() {
  return all_headers().evolving_otherwise;
}

const BenchKernel& find_one_input_kernel(std::string_view kernel) {
  std::string names;
  for (const BenchKernel& known : bench_kernels()) {
    if (!known.on_arrays.on_grid || known.on_arrays.inputs != 1) continue;
    if (known.name == kernel) return known;
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw UsageError(fmt::format("unknown kernel '{}'; apply takes one input, and its kernels are {}",
                               kernel, names));
}

void add_built_in(std::vector<BenchKernel>& kernels) {
  const BuiltIn& all = all_headers();
  kernels.insert(kernels.end(), all.kernels.begin(), all.kernels.end());
  for (const EvolvingKernel& known : all.evolving)
    if (known.bench) kernels.push_back(*known.bench);
}

} // namespace ridge::lab
