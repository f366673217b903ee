// The schedule of site loops and reductions on a cpu, from what is known of it.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/lattice/schedule.hpp>

namespace ridge::lattice {

/// For fields of such sites on a cpu of these facts.
[[nodiscard]] CpuSchedule cpu_default(const DeviceFacts& facts, Task task, const SiteShape& shape,
                                      const Geometry& g);

} // namespace ridge::lattice
