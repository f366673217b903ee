// Tuning of cases: what `ridge tune` does, and what `auto` means.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/tune/tune.hpp>

namespace ridge::lab {

/// What `auto` means for a case: wisdom, or the default.
[[nodiscard]] tune::Choice choose_schedule(Case& the_case);

/// Throws UsageError for an emulated GPU, which has no speed to tune for.
void require_speed(const Device& device);

/// Searches the fastest schedule of a case of a pattern and keeps it. The winner's results are
/// compared with the reference, and the default's. Throws as tune::tune and require_speed
/// do.
[[nodiscard]] tune::Tuned tune_case(Case& the_case, const std::string& pattern,
                                    const tune::SearchOptions& options);

} // namespace ridge::lab
