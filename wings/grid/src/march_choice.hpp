// The tile of a pass over half a cycle on a GPU: a row of a table, or as a schedule says.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/device.hpp>
#include <ridge/grid/schedule.hpp>

#include "operations.hpp"

namespace ridge::solve::detail {

/// For a level of so many points, of all ranks, in numbers of `bytes`. Where the schedule's tile
/// has no room, and where it is automatic, the one of the table that takes the least time.
[[nodiscard]] MarchChoice march_choice(const MarchFits& fits, const MarchSchedule& schedule,
                                       Index3 points, Index bytes, const Device& device);

/// The time of both ways over a level in the table's unit; 0 where there are none.
[[nodiscard]] double march_time(const MarchFits& fits, const MarchChoice& choice, Index3 points,
                                Index bytes, const Device& device);

/// The tile of the device that a MarchChoice names.
[[nodiscard]] constexpr MarchTile tile_of(int tile) {
  return static_cast<MarchTile>(tile + 1);
}

} // namespace ridge::solve::detail
