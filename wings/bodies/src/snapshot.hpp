// What a run was at one step, and marks that tell it from what others were.
#pragma once

#include "diagnostics.hpp"
#include "system.hpp"

#include <cstdint>

namespace ridge::nbody {

/// All bodies at one step.
struct Snapshot {
  Index step = 0;
  double time = 0;
  Bodies bodies;
  std::vector<double> potential;
  Accelerations acceleration; ///< of a tree; else empty
  TreeState tree;             ///< likewise
  Diagnostics diagnostics;
};

/// A hash of every bit that the rest of a trajectory depends on, and of `run`; of a tree also its
/// accelerations, and where its nodes were found.
[[nodiscard]] std::uint64_t checksum(std::uint64_t run, const Parameters& parameters, Index step,
                                     const Bodies& bodies, const Accelerations& acceleration = {},
                                     const TreeState& tree = {});

} // namespace ridge::nbody
