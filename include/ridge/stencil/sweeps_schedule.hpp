// The schedule of many sweeps: that of a single one, and how many are computed in one pass.
#pragma once

#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/schedule.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::stencil {

struct SweepsSchedule {
  Schedule single;
  /// Several sweeps in one pass over memory; steps that are no multiple of them end with a shorter
  /// pass, or a single sweep.
  std::optional<PassSchedule> pass = {};
};

/// "sweeps=1 " and the fields of the single sweep, or the fields of the pass.
[[nodiscard]] std::string to_text(const SweepsSchedule& schedule);

/// The one chosen without measuring: passes on GPUs where they are compiled ahead and were measured
/// to be faster. On several ranks, whose halos would have to be as deep, single sweeps. The
/// kernel's first `levels` inputs are time levels.
[[nodiscard]] SweepsSchedule default_sweeps(const Device& device, const Traits& traits,
                                            const Boundaries& boundaries, Index3 extents,
                                            int ranks = 1, int levels = 1);

/// Reads what to_text prints, or what parse_schedule reads: with `sweeps=2` and more the fields are
/// those of a pass. Throws UsageError that lists what is right.
[[nodiscard]] SweepsSchedule parse_sweeps(std::string_view text, const Device& device,
                                          const Traits& traits, const Boundaries& boundaries,
                                          Index3 extents, int ranks = 1, int levels = 1);

/// The schedules of `ridge bench --schedule all`: the named and the default schedules of single
/// sweeps, and passes of 2, 3, 4 and 8 sweeps where the device has any.
[[nodiscard]] std::vector<text::Named<SweepsSchedule>>
compared_sweeps(const Device& device, const Traits& traits, int levels,
                const Boundaries& boundaries, Index3 extents);

/// Bytes that a pass moves at least of those that as many single sweeps do.
[[nodiscard]] inline double pass_share(const Traits& traits, int levels, int sweeps) {
  const double inputs = traits.inputs();
  return (inputs + levels) / (sweeps * (inputs + 1));
}

/// Every schedule of many sweeps that a kernel of these traits and time levels can have there:
/// those of single sweeps, and all passes that the device takes and the fields are large enough
/// for.
[[nodiscard]] std::vector<SweepsSchedule> sweeps_space(const Device& device, const Traits& traits,
                                                       int levels, const Boundaries& boundaries,
                                                       Index3 extents);

} // namespace ridge::stencil
