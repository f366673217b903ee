// Tuning a kernel that was asked about: the search, from wisdom to wisdom.
#pragma once

#include <ridge/launch/program.hpp>
#include <ridge/tune/choose.hpp>
#include <ridge/tune/search.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::tune {

/// Times launches of a program, by a LaunchClock.
[[nodiscard]] Stopwatch stopwatch_of(std::unique_ptr<Program> program);

/// Gives a ground what it needs to compile ahead of binding: `ready` and `prepare`. `bind` binds a
/// schedule once.
void compile_together(Ground& ground, const Device& device,
                      std::function<void(const std::string& schedule)> bind);

/// What came of tuning.
struct Tuned {
  Found found;
  bool kept = false;
  std::string not_kept; ///< why; empty where it was kept, or there was nothing to keep
};

/// Searches from `standard`, the text of the default schedule, and keeps in `wisdom` what it found,
/// also where it was stopped. `ground.around` and `ground.cost`, where empty, are those of the
/// pattern and the question; schedules that wisdom has for this size and those nearby are measured
/// first. Throws as `search` does, and UsageError where RIDGE_TUNE=off.
[[nodiscard]] Tuned tune(const Question& question, Ground ground, std::string_view pattern,
                         DeviceKind kind, const std::string& standard, SearchOptions options,
                         Wisdom& wisdom = Wisdom::here());

} // namespace ridge::tune
