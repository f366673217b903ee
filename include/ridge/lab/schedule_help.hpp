// What can be asked of the schedules of a kernel.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>

#include <string>
#include <string_view>

namespace ridge::lab {

/// The fields of a pattern's schedules on a kind of device, one a line: name, values, meaning.
[[nodiscard]] std::string schedule_fields(std::string_view pattern, DeviceKind kind);

/// Whether the case's launch under this schedule is compiled ahead.
[[nodiscard]] bool is_ahead(Case& the_case, const AskedSchedule& schedule);

} // namespace ridge::lab
