// The finals of a search: the few best in turn with one another.
#pragma once

#include <ridge/record/estimate.hpp>
#include <ridge/tune/search.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::tune {

/// A schedule that was measured.
struct Entrant {
  std::string schedule;
  double seconds = 0;
  Stopwatch watch; ///< empty where it was dropped
};

/// More in turn would leave too few rounds for a budget.
inline constexpr std::size_t most_finalists = 6;
/// Of the whole space, which has more near its best.
inline constexpr std::size_t most_finalists_of_all = 10;
/// A few launches tell schedules apart that are this much slower.
inline constexpr double near_best = 1.15;

struct Finals {
  std::string winner;
  std::vector<double> seconds; ///< of each finalist: the winner's median times their quotient
  Estimate standard{1};        ///< how many times as long as the winner the default takes
  double left = 0;             ///< by which part another could be better than the winner
};

/// Times the finalists, the default `standard` among them, round by round until none of the others
/// can be better than the fastest by more than `gain`, or until time is up: at least five rounds as
/// long as `time_left`. Those that are surely slower leave; the default stays for as many rounds as
/// its interval needs.
[[nodiscard]] Finals play_finals(const std::vector<Entrant*>& finalists,
                                 const std::string& standard, double gain,
                                 const std::function<bool()>& time_left,
                                 const std::function<void()>& between);

} // namespace ridge::tune
