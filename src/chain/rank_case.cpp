#include <ridge/chain/rank_case.hpp>
#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::chain {

void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision) {
  if (precision != "fp64" && precision != "fp32") refuse_precision(precision, name);
  if (size.rank() <= dimensions) return;
  throw UsageError(fmt::format("{} has {} dimension{}, and --size {} has {}", name, dimensions,
                               dimensions == 1 ? "" : "s", to_text(size), size.rank()));
}

RankRange rank_range(const RankDivision& division, const BenchRequest& request) {
  const auto& [ranks, grid, scaling] = request.world;
  const Index3 n = request.size.xyz();
  const Index3 shape = grid.empty() ? choose_ranks(division, ranks->ranks(), n)
                                    : comm::parse_ranks(grid, ranks->ranks());
  return {division, n, shape, ranks->rank()};
}

World outer_ranks(const std::string& name, int inner, const BenchRequest& request) {
  const Extents& size = request.size;
  if (size.rank() <= inner) {
    throw UsageError(fmt::format("{} over ranks divides its outer dimensions, and --size {} has "
                                 "none: give {} numbers or more",
                                 name, to_text(size), inner + 1));
  }
  World world = request.world;
  if (world.grid.empty()) {
    for (int d = 0; d + 1 < size.rank(); ++d)
      world.grid += "1x";
    world.grid += std::to_string(world.ranks->ranks());
    return world;
  }
  const Extents asked = parse_extents(world.grid, "--ranks");
  for (int d = 0; d < inner; ++d) {
    refuse_if(asked[d] > 1,
              "--ranks {}: {} is divided along its outer dimensions, from number {} on", world.grid,
              name, inner + 1);
  }
  return world;
}

} // namespace ridge::chain
