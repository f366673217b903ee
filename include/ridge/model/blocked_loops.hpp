// How a stencil's loops on a cpu use memory, as plain data, and what they move.
#pragma once

#include <ridge/model/traffic.hpp>

namespace ridge::model {

/// Blocks of whole x-rows; within one the planes follow each other. Neighbours in y are dealt to
/// the threads in turn.
struct BlockedLoops {
  std::vector<std::vector<Index3>> footprints; ///< of each input: distances, in points
  Index3 radius;                               ///< points nearer to an edge are not written
  Index3 extents;                              ///< of every field, in points
  int element_bytes = 8;
  Work work; ///< the least that must be read, written and computed

  Index rows = 0;           ///< of a block; 0: an equal part for each thread
  Index planes = 0;         ///< of a block; 0: all
  int depth = 1;            ///< planes computed together
  bool keeps_stores = true; ///< results pass through the caches, which read their lines first
  int threads = 1;
};

/// The layer conditions of the L2 of a core and of the last-level cache (docs/model.md).
[[nodiscard]] Traffic traffic_of(const BlockedLoops& loops, const Description& device,
                                 const Assumptions& assume = {});

} // namespace ridge::model
