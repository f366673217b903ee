// How long a launch takes at least: the largest of what its device's ceilings ask for.
#pragma once

#include <ridge/core/units.hpp>
#include <ridge/model/traffic.hpp>

#include <string>

namespace ridge::model {

/// The time of one launch and the ceiling that sets it: "memory" (bytes over a copy's bandwidth),
/// "cache" (rows over that of the last-level cache), "flops", "issue" (instructions of the warps
/// over the schedulers' slots), "latency" (a block's life times the rounds of resident blocks:
/// too few bytes in flight; of a march, what copies rows), or "launch".
struct Time {
  Seconds seconds;
  std::string roof;
};

/// Needs of one run, of any pattern, from a device.
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

/// Copies of a march into shared memory, row by row: a unit hands out the copies of its blocks
/// one after the other, and a block waits for a plane before it asks for the next.
struct Copying {
  double blocks = 0;       ///< columns of the field, in all chunks
  double copy_cycles = 0;  ///< that handing out a block's copies takes
  double block_cycles = 0; ///< that a block takes alone
  double resident = 1;     ///< blocks on the device at once

  /// Cycles of the unit that has the most blocks, or of blocks that follow each other.
  [[nodiscard]] double cycles(double units) const;
};
/// Nothing is copied under other schedules.
[[nodiscard]] Copying copying_of(const StencilAccess& access, const Description& device);
/// The share of the cache's bandwidth that such copies reach: on an H200, by a row a block
/// (docs/model.md).
inline constexpr double copied_share = 0.73;

/// The needs of a stencil on a GPU.
[[nodiscard]] Needs needs_of(const StencilAccess& access, const Description& device,
                             const Traffic& traffic);
[[nodiscard]] Time time_of(const StencilAccess& access, const Description& device,
                           const Traffic& traffic);

} // namespace ridge::model
