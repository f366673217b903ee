// What reciprocal square roots take on a device, for ceilings.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/pairs/traits.hpp>

namespace ridge::pairs {

/// Vector operations that the interaction's reciprocal square roots take on this device, beside
/// their first approximation. Throws Failure where this build has no kernels for the device.
[[nodiscard]] int rsqrt_steps(const Device& device, const Traits& traits);

/// What each device kind offers under this type: the steps of a grade in numbers of so many bytes.
using RsqrtSteps = int(Grade grade, int bytes);

} // namespace ridge::pairs
