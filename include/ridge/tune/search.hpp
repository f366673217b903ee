// The search for the fastest schedule: what a model holds for fast is measured first, then what
// lies around the best, and in the end those that came near it in turn with one another.
//
// It knows schedules as text and measures through two functions, so that it serves kernels of every
// pattern, and tests with clocks of their own.
#pragma once

#include <ridge/record/estimate.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ridge::tune {

/// Times one launch (or several, of which it gives the mean): seconds.
using Stopwatch = std::function<double()>;

/// Where schedules are measured.
struct Ground {
  /// Makes a schedule ready to run. Throws ridge::Error where it cannot be run.
  std::function<Stopwatch(const std::string& schedule)> bind;
  /// Every schedule of the space.
  std::vector<std::string> space;
  /// Schedules around one; they need not be in the space.
  std::function<std::vector<std::string>(const std::string& schedule)> around;
  /// The cost of a launch, as a model says, in whatever unit; nothing where there is none. May be
  /// empty. Throws ridge::Error where the schedule cannot run.
  std::function<std::optional<double>(const std::string& schedule)> cost = {};
  /// Whether a schedule can be bound without compiling. Empty: all can.
  std::function<bool(const std::string& schedule)> ready = {};
  /// Compiles what these schedules need, side by side. Where `ready` is given, this is, too.
  std::function<void(const std::vector<std::string>& schedules)> prepare = {};
  int together = 8; ///< schedules that are best prepared at a time
  /// Throws ridge::Error where results under the schedule are wrong. May be empty.
  std::function<void(const std::string& schedule)> check = {};
};

/// In which order schedules are measured.
enum class Order {
  guided, ///< as the model ranks them, and around the best
  random, ///< of the space, without the model: what guided is to be better than
  all     ///< the whole space, what is known in its finals: what guided is to come near
};

struct SearchOptions {
  double budget = 30; ///< seconds for all of it, compiling included; at least 5 launches are timed
  int most = 0;       ///< schedules measured at most; 0: a tenth of the space, and no fewer than 24
  Order order = Order::guided;
  double gain = 0.02;                  ///< less than this part of the time is no reason to go on
  std::vector<std::string> known = {}; ///< good ones, measured first
  std::function<void()> between = {};  ///< may throw to stop
  std::function<void(const std::string& doing)> progress = {}; ///< for people who wait
  std::function<double()> now = {};                            ///< seconds; empty: a steady clock
};

/// A schedule that was measured, or could not be.
struct Trial {
  std::string schedule;
  double seconds = 0;  ///< of a launch, against those of the best at that time
  std::string problem; ///< why it was not measured
};

/// The finding of a search.
struct Found {
  Trial best, standard;
  /// How many times as long the default takes as the best, in turn; an interval where both were
  /// measured often enough.
  Estimate gain{1};
  /// The part of the best's time by which another one that was measured could be better: 0.02 or
  /// less where the search went to its end.
  double left = 0;
  std::string ranked_first; ///< what the model holds for the fastest; empty where there is none
  int space = 0;            ///< schedules there are
  int measured = 0;         ///< schedules that were timed
  double spent = 0;         ///< seconds
  enum class End { settled, budget, stopped } end = End::settled;
  std::exception_ptr stopped_by; ///< what ended it, where it was stopped
  std::vector<Trial> trials;     ///< in the order in which they were measured
};

/// Searches from the default schedule `standard`. What `between` throws once the default was
/// measured ends the search: what was found until then is returned. Throws what `bind` and `check`
/// throw for the default, and UsageError for a budget that is not positive.
[[nodiscard]] Found search(const Ground& ground, const std::string& standard,
                           const SearchOptions& options);

} // namespace ridge::tune
