// A system over ranks: each has a part of the range, and the points around it that its operations
// read from those who own them.
#pragma once

#include <ridge/chain/rank_range.hpp>
#include <ridge/chain/system/kernel.hpp>
#include <ridge/comm/communicator.hpp>
#include <ridge/comm/exchange.hpp>
#include <ridge/comm/grid.hpp>

#include <optional>
#include <vector>

namespace ridge::chain {

/// A rank's view of the others.
struct SystemPart {
  comm::Communicator* ranks = nullptr;
  comm::Grid grid; ///< of the range

  [[nodiscard]] comm::Box owned() const { return grid.owned(ranks->rank()); }
  /// True where another rank, or this one beyond a periodic end, has what lies beyond a side of
  /// an axis that is divided.
  [[nodiscard]] bool has_neighbour(int axis, int side) const;
};

/// The ranks as a grid over the range: `asked`, or the one that sends least. Throws UsageError
/// where the system cannot be divided so, or a rank would own too few points.
[[nodiscard]] comm::Grid system_grid(const SystemKernel& kernel,
                                     const std::vector<ArrayWalls>& walls, Index3 extents,
                                     int ranks, const std::optional<Index3>& asked);

} // namespace ridge::chain
