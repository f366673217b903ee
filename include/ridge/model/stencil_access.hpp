// How a stencil's launch on a GPU uses memory, as plain data: all the model knows of it.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/record/work.hpp>

#include <array>
#include <vector>

namespace ridge::model {

/// Blocks that march through z with the planes around them in shared memory or registers.
struct March {
  int chunks = 1;           ///< parts of the z axis that march apart
  Index planes_apart = 0;   ///< planes between neighbours that run at the same time; 0: any number
  bool marks_inputs = true; ///< to stay in the cache in preference to results
  bool copies = false;      ///< planes come into shared memory by copies that one unit hands out
  double rows = 0;          ///< of all inputs, or tiles, that a block copies for a plane
  double plane_bytes = 0;   ///< that a block reads and writes for a plane
};

/// One application of a stencil: what each point reads, and how points are laid over a GPU.
struct StencilAccess {
  std::vector<std::vector<Index3>> footprints; ///< of each input: distances, in points
  Index3 radius;                               ///< points nearer to an edge are not written
  Index3 extents;                              ///< of every field, in points
  int element_bytes = 8;
  Work work; ///< the least that must be read, written and computed

  Index3 block{256, 1, 1};           ///< points that a block computes along each axis
  int tile = 1;                      ///< of these, points in y of one thread
  std::array<int, 3> walk{0, 1, 2};  ///< axes as blocks walk them, fastest first
  int split = 1;                     ///< sub-domains in y, one launch after the other
  bool keeps_stores = true;          ///< results pass through the cache
  bool waits_between_planes = false; ///< a thread waits for a plane before it asks for the next

  int threads = 256;      ///< of a block
  int bounds = 1024;      ///< most threads of a block, as the compiler was told
  int registers = 32;     ///< of 32 bits, that a thread would need
  Index shared_bytes = 0; ///< of a block

  bool marches = false;
  March march; ///< where it marches
};

} // namespace ridge::model
