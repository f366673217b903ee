#include <ridge/chain/system/ranks.hpp>
#include <ridge/core/error.hpp>

#include "faces.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

bool SystemPart::has_neighbour(int axis, int side) const {
  if (comm::along(grid.ranks(), axis) == 1) return false;
  Index3 direction{};
  comm::along(direction, axis) = side == 0 ? -1 : 1;
  return grid.neighbour(ranks->rank(), direction) >= 0;
}

comm::Grid system_grid(const SystemKernel& kernel, const std::vector<ArrayWalls>& walls,
                       Index3 extents, int ranks, const std::optional<Index3>& asked) {
  const Description& chain = kernel.of_double;
  if (kernel.asks_places && !kernel.tells_places) {
    throw UsageError(fmt::format(
        "{}{} runs on one rank: its operations ask for their places{}", kernel.name,
        kernel.storage.empty() ? "" : " in " + kernel.storage,
        kernel.storage.empty() ? "; chain::system_kernel<Chain, true> tells them" : ""));
  }
  Index3 before{};
  Index3 behind{};
  for (int a = 0; a < static_cast<int>(chain.arrays.size()); ++a) {
    const Array& array = chain.arrays[static_cast<std::size_t>(a)];
    if (!(array.extra == Offset{})) {
      throw UsageError(fmt::format("{} runs on one rank: '{}' has more points than the range, and "
                                   "these are not divided",
                                   kernel.name, array.name));
    }
    const Reach reach = reach_of_all(chain, a);
    for (int d = 0; d < 3; ++d) {
      if (comm::along(extents, d) == 1) continue;
      comm::along(before, d) = std::max<Index>(comm::along(before, d), -reach.low.along(d));
      comm::along(behind, d) = std::max<Index>(comm::along(behind, d), reach.high.along(d));
    }
  }
  const comm::Reach reach = box_around(before, behind);
  comm::Periodic round;
  round.x = walls.front()[0][0].kind == Wall::periodic;
  round.y = walls.front()[1][0].kind == Wall::periodic;
  round.z = walls.front()[2][0].kind == Wall::periodic;
  // Walls show what lies up to a point further inside than operations reach.
  Index3 least{1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    if (comm::along(extents, d) > 1)
      comm::along(least, d) = std::max(comm::along(before, d), comm::along(behind, d)) + 1;
  }
  const Index3 chosen = asked ? *asked : comm::choose_ranks(ranks, extents, reach, round, least);
  round.x = round.x && chosen.x > 1;
  round.y = round.y && chosen.y > 1;
  round.z = round.z && chosen.z > 1;
  for (int d = 0; d < 3; ++d) {
    if (comm::along(chosen, d) == 1) comm::along(least, d) = 1;
  }
  return {extents, chosen, reach, round, least};
}

} // namespace ridge::chain
