// The schedule of many sweeps: that of a single one, and how many are computed in one pass.
#pragma once

#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/schedule.hpp>

namespace ridge::stencil {

struct SweepsSchedule {
  Schedule single;
};

[[nodiscard]] std::string to_text(const SweepsSchedule& schedule);

/// The one chosen without measuring.
[[nodiscard]] SweepsSchedule default_sweeps(const Device& device, const Traits& traits,
                                            const Boundaries& boundaries, Index3 extents);

/// Reads what to_text prints, or what parse_schedule reads. Throws UsageError that lists what is
/// right.
[[nodiscard]] SweepsSchedule parse_sweeps(std::string_view text, const Device& device,
                                          const Traits& traits, const Boundaries& boundaries,
                                          Index3 extents);

} // namespace ridge::stencil
