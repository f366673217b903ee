// Cases over ranks of kernels that read nothing of other ranks: each runs the kernel on its share,
// as on one rank, and what they reduce is added up.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/pattern/bench_kernel.hpp>

#include <memory>
#include <string>

namespace ridge {

/// `make_case` makes the case of a share; the sum over ranks of its `results()`, where it has some,
/// is that of all. Where `slices`, results are those of one slice of the last dimension after the
/// other, and the sum is that of each slice of the whole size. Throws UsageError where the size
/// cannot be divided as the request's grid says.
[[nodiscard]] std::unique_ptr<Case> share_case(const std::string& kernel, const MakeCase& make_case,
                                               const BenchRequest& request, RoofSource& roofs,
                                               bool slices = false);

/// The ranks along each dimension of a size: `grid` as "1x1x1x2", or those that Ridge takes where
/// it is empty. Throws UsageError where it is no grid of all ranks.
[[nodiscard]] Extents shares_grid(const World& world, const Extents& size,
                                  const std::string& kernel);
using comm::greatest_share;

} // namespace ridge
