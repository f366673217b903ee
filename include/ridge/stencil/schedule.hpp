// Schedules of the stencil pattern for any device: text, names, defaults.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>
#include <ridge/stencil/cpu_schedule.hpp>
#include <ridge/stencil/gpu_schedule.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/traits.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::stencil {

/// A schedule for the kind of device it holds.
using Schedule = std::variant<CpuSchedule, GpuSchedule>;

[[nodiscard]] std::string to_text(const Schedule& schedule);

using NamedSchedule = text::Named<Schedule>;

/// The schedules that have names on this device: on a GPU `kernel1` to `kernel7`, those of the AMD
/// Laplacian series; on the cpu `plain` and `streaming`.
[[nodiscard]] std::vector<NamedSchedule> named_schedules(const Device& device);

/// The schedule chosen from the device's facts, the kernel and the extents, without measuring.
/// `bulk_copies`: the inputs begin where those may, at multiples of 16 bytes. Without `strides` the
/// fields are packed.
[[nodiscard]] Schedule default_schedule(const Device& device, const Traits& traits, Index3 extents,
                                        bool bulk_copies = true,
                                        const std::optional<Strides>& strides = {});

/// Reads a schedule: `auto`, a name, or fields, which may follow a name and change it; fields alone
/// change the default. Throws UsageError that lists what is right.
[[nodiscard]] NamedSchedule parse_schedule(std::string_view text, const Device& device,
                                           const Traits& traits, Index3 extents,
                                           const std::optional<Strides>& strides = {});

/// Every combination of the fields' enumerated values that this device and this kernel have.
[[nodiscard]] std::vector<Schedule> schedule_space(const Device& device, const Traits& traits);

} // namespace ridge::stencil
