#include <ridge/lab/rank_chain.hpp>

#include <fmt/format.h>

namespace ridge::lab {

chain::RankRange rank_range(const chain::RankDivision& division, const BenchRequest& request,
                            const comm::Communicator& ranks, const std::string& grid) {
  const Index3 n = request.size.xyz();
  const Index3 shape = grid.empty() ? chain::choose_ranks(division, ranks.ranks(), n)
                                    : comm::parse_ranks(grid, ranks.ranks());
  return {division, n, shape, ranks.rank()};
}

std::string outer_grid(const std::string& name, int inner, const Extents& size,
                       const std::string& grid, int ranks) {
  if (size.rank() <= inner) {
    throw UsageError(fmt::format("{} over ranks divides its outer dimensions, and --size {} has "
                                 "none: give {} numbers or more",
                                 name, to_text(size), inner + 1));
  }
  if (grid.empty()) {
    std::string text;
    for (int d = 0; d + 1 < size.rank(); ++d)
      text += "1x";
    return text + std::to_string(ranks);
  }
  const Extents asked = parse_extents(grid, "--ranks");
  for (int d = 0; d < inner; ++d) {
    if (asked[d] > 1) {
      throw UsageError(fmt::format("--ranks {}: {} is divided along its outer dimensions, from "
                                   "number {} on",
                                   grid, name, inner + 1));
    }
  }
  return grid;
}

std::optional<chain::Schedule> rank_schedule(const BenchRequest& request,
                                             const chain::Description& chain, Index3 extents) {
  if (request.schedule == "auto") return std::nullopt;
  return chain::parse_schedule(request.schedule, request.device, chain, extents).schedule;
}

} // namespace ridge::lab
