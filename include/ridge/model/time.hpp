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

/// Of a stencil on a GPU.
[[nodiscard]] Time time_of(const StencilAccess& access, const Description& device,
                           const Traffic& traffic);

} // namespace ridge::model
