// Tuning a kernel that was asked about: the search, from wisdom to wisdom.
#pragma once

#include <ridge/launch/program.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/tune/choose.hpp>
#include <ridge/tune/search.hpp>

#include <memory>
#include <string>

namespace ridge::tune {

/// Times launches of a program, by a LaunchClock.
[[nodiscard]] Stopwatch stopwatch_of(std::unique_ptr<Program> program);

/// The outcome of tuning.
struct Tuned {
  Found found;
  bool kept = false;
  std::string not_kept; ///< why; empty where it was kept, or there was nothing to keep
};

/// Searches the menu's space from its default, and keeps in `wisdom` what it found, also where it
/// was stopped. Of `ground`, `bind` must be given; what else is empty is the menu's and the
/// question's. Schedules that wisdom has for this size and those nearby are measured first. Throws
/// as `search` does, and UsageError where RIDGE_TUNE=off.
[[nodiscard]] Tuned tune(const Question& question, const Menu& menu, Ground ground,
                         SearchOptions options, Wisdom& wisdom = Wisdom::here());

} // namespace ridge::tune
