// Samples that decay on a device.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/device.hpp>

#include <vector>

namespace ridge::tiny {

/// Samples after so many steps, in each of which a share decays.
[[nodiscard]] std::vector<double> left_after(const Device& device, std::vector<double> samples,
                                             double share, Index steps);

} // namespace ridge::tiny
