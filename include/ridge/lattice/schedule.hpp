// Schedules of the lattice pattern for any device: text, names, defaults.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>
#include <ridge/lattice/cpu/schedule.hpp>
#include <ridge/lattice/field.hpp>
#include <ridge/lattice/gpu/schedule.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::lattice {

/// A schedule for the kind of device it holds.
using Schedule = std::variant<CpuSchedule, GpuSchedule>;

[[nodiscard]] std::string to_text(const Schedule& schedule);

using NamedSchedule = text::Named<Schedule>;

/// The task of a launch with its fields: schedules differ.
struct Task {
  enum Kind { reduce_tensor, reduce_number, map, expression } kind;

  bool reproducible = false;
  bool slices = false;
  bool stores = false; ///< a reduction that stores a field beside it

  [[nodiscard]] bool reduces() const { return kind == reduce_tensor || kind == reduce_number; }

  Task(Kind k, bool r = false, // NOLINT(google-explicit-constructor): most tasks are only a kind
       bool s = false, bool z = false)
      : kind(k), reproducible(r), slices(s), stores(z) {}
};

/// The schedules that have names on this device: on a GPU those of Grid's guide, from starved to
/// full launch widths, staged (reductions) and fused, and `once` (reductions); on the cpu `plain`
/// and `streaming`.
[[nodiscard]] std::vector<NamedSchedule> named_schedules(const Device& device, Task task,
                                                         const Geometry& geometry);

/// The schedule chosen from the device's facts and the field's shape, without measuring.
[[nodiscard]] Schedule default_schedule(const Device& device, Task task, const SiteShape& shape,
                                        const Geometry& geometry);

/// Reads a schedule: `auto`, a name, or fields, which may follow a name and change it; fields alone
/// change the default. Throws UsageError that lists what is right.
[[nodiscard]] NamedSchedule parse_schedule(std::string_view text, const Device& device, Task task,
                                           const SiteShape& shape, const Geometry& geometry);

/// Every combination of the fields' enumerated values that this device and this geometry have.
[[nodiscard]] std::vector<Schedule> schedule_space(const Device& device, Task task,
                                                   const Geometry& geometry);

} // namespace ridge::lattice
