// Schedules of the chain pattern for any device: text, names, defaults.
#pragma once

#include <ridge/chain/cpu/schedule.hpp>
#include <ridge/chain/description.hpp>
#include <ridge/chain/gpu/schedule.hpp>
#include <ridge/chain/plan.hpp>
#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::chain {

/// A schedule for the kind of device it holds.
using Schedule = std::variant<CpuSchedule, GpuSchedule>;

[[nodiscard]] std::string to_text(const Schedule& schedule);

using NamedSchedule = text::Named<Schedule>;

/// The schedules that have names here: `fission` (each operation over the whole range) and `fused`;
/// on the cpu also `fission-nontemporal` and `tiled`, which passes values through the cache where
/// `fused` has them in registers.
[[nodiscard]] std::vector<NamedSchedule>
named_schedules(const Device& device, const Description& chain, const Range& range);

/// From the device's facts, without measuring. On a cpu all operations tile by tile, tiles such
/// that temporaries and the arrays' parts fit half of the L2; on a GPU all threads.
[[nodiscard]] Schedule default_schedule(const Device& device, const Description& chain,
                                        const Range& range);

/// Reads a schedule: `auto`, a name, or fields, which may follow a name and change it; fields alone
/// change the default. Throws UsageError that lists what is right.
[[nodiscard]] NamedSchedule parse_schedule(std::string_view text, const Device& device,
                                           const Description& chain, const Range& range);

/// Combinations of tiles, groups and the other fields that are possible for this chain: what
/// `space` means on the command line.
[[nodiscard]] std::vector<Schedule> schedule_space(const Device& device, const Description& chain,
                                                   const Range& range);

/// The plan that a schedule asks for.
[[nodiscard]] PlanRequest request_of(const Schedule& schedule);

} // namespace ridge::chain
