#include <ridge/core/error.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/precision.hpp>

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

namespace ridge {

namespace {

using MakeKernels = std::vector<BenchKernel> (*)();

/// By their order. Made when first used, by whichever static initialiser comes first.
std::multimap<int, MakeKernels>& announced() {
  static auto* const all = new std::multimap<int, MakeKernels>;
  return *all;
}

} // namespace

KernelsAnnounced::KernelsAnnounced(int order, std::vector<BenchKernel> (*make)()) {
  announced().emplace(order, make);
}

std::vector<BenchKernel> announced_kernels() {
  std::vector<BenchKernel> all;
  for (const auto& [order, make] : announced()) {
    std::vector<BenchKernel> made = make();
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  return all;
}

void BenchKernel::add_ranks(MakeCase over) {
  over_ranks = true;
  make_case = [one = std::move(make_case), many = std::move(over)](const BenchRequest& request,
                                                                   RoofSource& roofs) {
    return request.world ? many(request, roofs) : one(request, roofs);
  };
}

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

} // namespace ridge
