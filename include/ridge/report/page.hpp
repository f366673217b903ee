// A report to look at: one page that needs nothing but itself.
#pragma once

#include <ridge/report/read.hpp>

namespace ridge::report {

/// The HTML of a report on the records and ceilings of `files`: roofline, fractions of the roof by
/// kernel, time against size, schedules compared, diagnoses, conventions, devices and all records.
/// It has no references to other files and runs no script but its own, and reads without it.
/// UsageError when no file holds records.
[[nodiscard]] std::string page(const std::vector<Saved>& files);

} // namespace ridge::report
