// Tuning of cases: what `ridge tune` does, and what `auto` means.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/tune/tune.hpp>

namespace ridge::lab {

/// The schedules that `asked` means, where `auto` is what tuning found, if it found any, else the
/// default. `source` is where that of `auto` is from, as tune::source_text says it. What is wrong
/// with wisdom is said on standard error, once.
[[nodiscard]] std::vector<AskedSchedule>
schedules_by_wisdom(Case& the_case, const std::string& asked, std::string* source = nullptr);

/// Throws UsageError for an emulated GPU, which has no speed to tune for.
void require_speed(const Device& device);

/// Searches the fastest schedule of a case and keeps it. The winner's results are
/// compared with the reference, and the default's. Throws as tune::tune and require_speed
/// do.
[[nodiscard]] tune::Tuned tune_case(Case& the_case, const tune::SearchOptions& options);

} // namespace ridge::lab
