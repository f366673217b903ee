// The plan of `ridge lab`: one list of runs for each kind of device.
#pragma once

#include <ridge/lab/bench.hpp>

#include <vector>

namespace ridge::lab {

/// One row of the lab's table.
struct PlannedRun {
  std::string kernel;
  Extents size;
  std::string precision;
  std::string schedule;
};

/// The runs for `device`, sized for it: beyond its last-level cache and within a quarter of its
/// free memory; small for emulated GPUs. `quick` takes fewer.
[[nodiscard]] std::vector<PlannedRun> lab_plan(const Device& device, bool quick);

} // namespace ridge::lab
