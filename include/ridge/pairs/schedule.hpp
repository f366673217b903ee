// Schedules of the pairs pattern for any device: text, names, defaults.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>
#include <ridge/pairs/cpu/schedule.hpp>
#include <ridge/pairs/gpu/schedule.hpp>
#include <ridge/pairs/traits.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::pairs {

/// A schedule for the kind of device it holds.
using Schedule = std::variant<CpuSchedule, GpuSchedule>;

[[nodiscard]] std::string to_text(const Schedule& schedule);

using NamedSchedule = text::Named<Schedule>;

/// The schedules that have names: on a GPU the three of the talk on thread cooperation, `shared`
/// and `shuffle` with one target a thread and `both` with a register tile, and `direct` and
/// `symmetric`, the best of each form; on the cpu `plain`, one pack of targets.
[[nodiscard]] std::vector<NamedSchedule> named_schedules(const Device& device, const Traits& traits,
                                                         const Bodies& bodies);

/// The schedule chosen from the device's facts and the numbers of bodies, without measuring.
[[nodiscard]] Schedule default_schedule(const Device& device, const Traits& traits,
                                        const Bodies& bodies);

/// Reads a schedule: `auto`, a name, or fields, which may follow a name and change it; fields alone
/// change the default. Throws UsageError that lists what is right.
[[nodiscard]] NamedSchedule parse_schedule(std::string_view text, const Device& device,
                                           const Traits& traits, const Bodies& bodies);

/// Every combination of the fields' enumerated values that this device and this interaction have.
[[nodiscard]] std::vector<Schedule> schedule_space(const Device& device, const Traits& traits,
                                                   const Bodies& bodies);

} // namespace ridge::pairs
