// Pieces of a dataset whose points are on the devices of ranks, brought to rank 0.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/queue.hpp>

#include "pieces.hpp"

#include <vector>

namespace ridge::app {

/// Index in a packed field of so many points of element `at` of a packed box of it.
[[nodiscard]] Index index_in_whole(const comm::Box& box, Index at, const Index3& points);

class RankPieces {
public:
  /// Grid, communicator and queue must outlive it.
  RankPieces(comm::Communicator& communicator, const comm::Grid& grid, Queue& queue,
             int element_bytes)
      : ranks_(communicator), grid_(grid), queue_(queue), bytes_(element_bytes) {}

  /// The piece in memory of the host until the next call, on rank 0; nullptr on others. `mine` is
  /// what this rank owns, packed on its device, in queue order. Collective.
  const void* bring(const Piece& piece, const void* mine);

private:
  const void* from_device(const void* mine, Index first, Index count);

  comm::Communicator& ranks_;
  const comm::Grid& grid_;
  Queue& queue_;
  Index bytes_;
  Memory staging_;
  std::vector<char> whole_;
};

} // namespace ridge::app
