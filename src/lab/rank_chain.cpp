#include <ridge/lab/rank_chain.hpp>

namespace ridge::lab {

chain::RankRange rank_range(const chain::RankDivision& division, const BenchRequest& request,
                            const comm::Communicator& ranks, const std::string& grid) {
  const Index3 n = request.size.xyz();
  const Index3 shape = grid.empty() ? chain::choose_ranks(division, ranks.ranks(), n)
                                    : comm::parse_ranks(grid, ranks.ranks());
  return {division, n, shape, ranks.rank()};
}

std::optional<chain::Schedule> rank_schedule(const BenchRequest& request,
                                             const chain::Description& chain, Index3 extents) {
  if (request.schedule == "auto") return std::nullopt;
  return chain::parse_schedule(request.schedule, request.device, chain, extents).schedule;
}

} // namespace ridge::lab
