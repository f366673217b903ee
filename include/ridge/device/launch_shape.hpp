// The shape of a GPU launch.
#pragma once

#include <ridge/device/lane.hpp>

namespace ridge {

/// How many blocks of how many threads, and the shared memory of a block.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  int shared_bytes = 0;
  /// All blocks run at the same time, or the launch is refused: for blocks that wait for each
  /// other.
  bool together = false;
};

/// The resources that a compiled kernel takes of a lane.
struct KernelResources {
  int registers = 0;   ///< 0 where it is not known
  int local_bytes = 0; ///< of its own memory: what registers do not hold
};

} // namespace ridge
