// What the model says of stencils, for ranking schedules.
#pragma once

#include <ridge/stencil/traits.hpp>
#include <ridge/tune/key.hpp>

#include <optional>
#include <string>

namespace ridge::tune {

/// What a launch costs: on a GPU the seconds that the model predicts, on a cpu the bytes moved.
/// Nothing on devices that the model has no description of. Throws UsageError for a schedule that
/// the device has no room for.
[[nodiscard]] std::optional<double> stencil_cost(const Device& device,
                                                 const stencil::Traits& traits,
                                                 const std::string& schedule, const Extents& size);

} // namespace ridge::tune
