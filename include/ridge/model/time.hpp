// How long a launch takes at least: the largest of what its device's ceilings ask for.
#pragma once

#include <ridge/core/units.hpp>
#include <ridge/model/traffic.hpp>

#include <string>

namespace ridge::model {

/// The time of one launch and the ceiling that sets it: "memory" (bytes over a copy's bandwidth),
/// "cache" (rows over that of the last-level cache), "flops", "issue" (instructions of the warps
/// over the schedulers' slots), "latency" (a block's life times the rounds of resident blocks:
/// too few bytes in flight), or "launch".
struct Time {
  Seconds seconds;
  std::string roof;
};

/// What one run, of any pattern, asks of a device.
struct Needs {
  double moved = 0;        ///< bytes between memory and the last-level cache
  double cached = 0;       ///< bytes asked of the last-level cache
  double flops = 0;        ///< operations
  int element_bytes = 8;   ///< of a number: which rate of operations counts
  double instructions = 0; ///< of warps
  double waits = 0;        ///< seconds of latencies that follow each other
  double launches = 1;
};
/// Ceilings that the device does not say are left out. Each launch beyond what one run waits for
/// adds its cost.
[[nodiscard]] Time time_of(const Needs& needs, const Description& device);

/// Of a stencil on a GPU.
[[nodiscard]] Needs needs_of(const StencilAccess& access, const Description& device,
                             const Traffic& traffic);
[[nodiscard]] Time time_of(const StencilAccess& access, const Description& device,
                           const Traffic& traffic);

} // namespace ridge::model
