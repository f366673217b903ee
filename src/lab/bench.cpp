#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/built_in.hpp>

#include "chain_case.hpp"
#include "lattice_bench.hpp"
#include "multigrid_bench.hpp"
#include "tree_bench.hpp"

#include <fmt/format.h>

#include <utility>

namespace ridge::lab {

RoofSource::RoofSource(Device device, bool quick, bool measures)
    : device_(std::move(device)), quick_(quick), measures_(measures) {}

const Ceiling* RoofSource::find(std::string_view name) {
  if (!measures_) return nullptr;
  if (const Ceiling* const known = roof_.find(name)) return known;
  RoofOptions options;
  options.quick = quick_;
  options.only = {std::string(name)};
  for (Ceiling& measured : measure_roof(device_, options).ceilings) {
    roof_.ceilings.push_back(std::move(measured));
  }
  return roof_.find(name);
}

void BenchKernel::add_ranks(MakeCase over) {
  over_ranks = true;
  make_case = [one = std::move(make_case), many = std::move(over)](const BenchRequest& request,
                                                                   RoofSource& roofs) {
    return request.world ? many(request, roofs) : one(request, roofs);
  };
}

const std::vector<BenchKernel>& bench_kernels() {
  static const std::vector<BenchKernel> all = [] {
    std::vector<BenchKernel> kernels;
    add_built_in(kernels, "stencil");
    add_built_in(kernels, "sweeps");
    add_built_in(kernels, "pairs");
    add_trees(kernels);
    add_built_in(kernels, "lattice");
    add_lattice_expressions(kernels);
    add_hopping(kernels);
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
