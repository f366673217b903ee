#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/built_in.hpp>

#include "benches.hpp"

#include <fmt/format.h>

namespace ridge::lab {

const std::vector<BenchKernel>& bench_kernels() {
  static const std::vector<BenchKernel> all = [] {
    std::vector<BenchKernel> kernels;
    add_built_in(kernels, "stencil");
    add_built_in(kernels, "sweeps");
    add_built_in(kernels, "pairs");
    add_trees(kernels);
    add_built_in(kernels, "lattice");
    add_lattice_expressions(kernels);
    add_dslash(kernels);
    add_clover(kernels);
    add_chain_kernels(kernels);
    add_built_in(kernels, "chain");
    add_multigrid(kernels);
    return kernels;
  }();
  return all;
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
