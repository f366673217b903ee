#include <ridge/core/error.hpp>
#include <ridge/tune/search.hpp>

#include "finals.hpp"
#include "route.hpp"
#include "standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>

namespace ridge::tune {

namespace {

/// The part of the budget for looking around; the rest is for the finals.
constexpr double part_to_explore = 0.65;
constexpr double part_to_measure_all = 0.95;
/// Timed launches of a schedule that is looked at.
constexpr int looks = 3;
/// Where the best is so many times as fast as what others are timed in turn with, it takes its
/// place.
constexpr double much_faster = 1.5;
constexpr int rounds_of_change = 5;
constexpr int least_measured = 24;

class Search {
public:
  Search(const Ground& ground, const std::string& standard, const SearchOptions& options)
      : ground_(ground), standard_(standard), options_(options),
        standing_(options.order == Order::all
                      ? Standing(standard, most_finalists_of_all, options.known)
                      : Standing(standard)) {
    if (!(options.budget > 0) || !std::isfinite(options.budget))
      throw UsageError(fmt::format("a budget of {:g} s: give more than 0", options.budget));
    began_ = now();
  }

  Found run() {
    found_.space = static_cast<int>(ground_.space.size());
    const bool all = options_.order == Order::all;
    most_ = options_.most > 0 ? options_.most
            : all             ? std::numeric_limits<int>::max()
                              : std::max(least_measured, found_.space / 10);
    part_ = all ? part_to_measure_all : part_to_explore;
    look_at_standard();
    try {
      unless_stopped([&] {
        explore();
        settle();
      });
    } catch (...) {
      if (!stopped_) throw;
      found_.end = Found::End::stopped; // the user wants what there is
      found_.stopped_by = std::current_exception();
    }
    conclude();
    return std::move(found_);
  }

private:
  double now() const {
    if (options_.now) return options_.now();
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
  }
  double spent() const { return now() - began_; }
  void pause() {
    if (!options_.between) return;
    stopped_ = true; // unless it returns
    options_.between();
    stopped_ = false;
  }
  /// Compilers and launches ask the user, too: what is no Error ends the work because he stops it.
  template <class Work>
  void unless_stopped(const Work& work) {
    try {
      work();
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }
  void tell(const std::string& doing) const {
    if (options_.progress) options_.progress(doing);
  }

  void look_at_standard() {
    tell("the default schedule");
    try {
      Stopwatch watch = ground_.bind(standard_);
      const double seconds = look(watch);
      reference_ = {standard_, seconds, watch};
      standing_.keep({standard_, seconds, {}}, std::move(watch));
    } catch (const Error&) {
      pause(); // an interrupt also ends what compiles
      throw;
    }
  }

  /// Seconds of a launch after one that warms up: the least of a few. They are taken in turn with
  /// launches of the reference, as slow as the machine is now. Those far behind need fewer.
  double look(const Stopwatch& watch) const {
    (void)watch();
    const bool alone = !reference_.watch;
    double least = std::numeric_limits<double>::infinity();
    double of_reference = least;
    for (int i = 0; i < looks; ++i) {
      least = std::min(least, watch());
      if (alone) continue;
      of_reference = std::min(of_reference, reference_.watch());
      const double seconds = least / of_reference * reference_.seconds;
      if (seconds > enough(i + 1) * standing_.best().seconds) break;
    }
    return alone ? least : least / of_reference * reference_.seconds;
  }

  /// Times the best's from which so many launches say enough. Of the whole space, most of which is
  /// far behind, one is.
  [[nodiscard]] double enough(int launches) const {
    if (options_.order == Order::all) return launches == 1 ? hopeless : near_best;
    return launches == 1 ? std::numeric_limits<double>::infinity() : hopeless;
  }

  /// The reference is the default until something is much faster. Were it the best so far, it would
  /// be whoever was luckiest, time after time, and times would shrink with each.
  void change_reference() {
    const Entrant& best = standing_.best();
    if (best.seconds * much_faster > reference_.seconds || best.schedule == compared_) return;
    compared_ = best.schedule;
    std::vector<double> quotients;
    for (int i = 0; i < rounds_of_change; ++i) {
      const double of_best = best.watch();
      quotients.push_back(of_best / reference_.watch());
    }
    const double quotient = median_of(quotients).value;
    if (quotient > 1) return; // it was only lucky
    reference_ = {best.schedule, reference_.seconds * quotient, best.watch};
  }

  /// Whether there is time to look at more, where that may take as long as `step`.
  [[nodiscard]] bool may_go_on(double step) const {
    const double until_now = spent();
    return until_now <= part_ * options_.budget && until_now + step <= options_.budget &&
           standing_.measured() < most_;
  }

  /// Measures one that was not seen; false where time or number forbid it.
  bool try_one(const std::string& schedule) {
    if (!may_go_on(longest_)) return false;
    pause();
    tell(fmt::format("{} of at most {} schedules, best {:.3g} ms", standing_.measured() + 1, most_,
                     1e3 * standing_.best().seconds));
    const double before = now();
    Trial trial{schedule, 0, {}};
    Stopwatch watch;
    try {
      watch = ground_.bind(schedule);
      trial.seconds = look(watch);
    } catch (const Error& error) {
      pause(); // an interrupt also ends what compiles
      trial.problem = error.what();
    }
    standing_.keep(std::move(trial), std::move(watch));
    change_reference();
    longest_ = std::max(longest_, now() - before);
    return true;
  }

  /// The best of the ranking and the surroundings of the best that were measured, in turn.
  void explore() {
    Route route(ground_, standard_, options_.order);
    found_.ranked_first = route.ranked_first();
    for (const std::string& schedule : options_.known)
      if (!standing_.has_seen(schedule) && !try_one(schedule)) return;
    while (true) {
      const auto room = static_cast<std::size_t>(std::max(0, most_ - standing_.measured()));
      const std::vector<std::string> batch = route.next(standing_, room);
      if (batch.empty() || !prepare(batch)) return;
      for (const std::string& schedule : batch)
        if (!try_one(schedule)) return;
    }
  }

  /// False where there is no time for it.
  bool prepare(const std::vector<std::string>& batch) {
    if (!ground_.ready || std::all_of(batch.begin(), batch.end(), ground_.ready)) return true;
    if (!may_go_on(longest_preparation_)) return false;
    pause();
    tell("compiling");
    const double before = now();
    ground_.prepare(batch);
    longest_preparation_ = std::max(longest_preparation_, now() - before);
    return true;
  }

  /// The finals; a winner whose results are wrong leaves, and those behind it play again.
  void settle() {
    while (true) {
      const std::vector<Entrant*> finalists = standing_.finalists();
      tell(fmt::format("{} finalists in turn", finalists.size()));
      const Finals played = play_finals(
          finalists, standard_, options_.gain, [&] { return spent() < options_.budget; },
          [&] { pause(); });
      found_.gain = played.standard;
      found_.left = played.left;
      found_.end = played.left > options_.gain ? Found::End::budget : Found::End::settled;
      standing_.settle(finalists, played);
      const std::optional<std::string> problem = problem_of(standing_.best());
      if (!problem) return;
      standing_.drop_first(*problem);
    }
  }

  /// A wrong default is the user's to know; any other schedule merely loses.
  std::optional<std::string> problem_of(const Entrant& winner) {
    if (!ground_.check) return std::nullopt;
    pause();
    try {
      ground_.check(winner.schedule);
      return std::nullopt;
    } catch (const Error& error) {
      if (winner.schedule == standard_) throw;
      return error.what();
    }
  }

  void conclude() {
    const auto trial_of = [](const Entrant& e) { return Trial{e.schedule, e.seconds, {}}; };
    found_.best = trial_of(standing_.best());
    found_.standard = trial_of(standing_.standard());
    if (found_.end == Found::End::stopped && !found_.gain.has_interval())
      found_.gain = {found_.standard.seconds / found_.best.seconds};
    found_.measured = standing_.measured();
    found_.trials = standing_.trials();
    found_.spent = spent();
    // Nothing is known of what there was no time to look at.
    if (found_.end == Found::End::settled && found_.trials.size() == 1 && found_.space > 1 &&
        most_ > 1) {
      found_.end = Found::End::budget;
      found_.left = 1;
    }
  }

  const Ground& ground_;
  std::string standard_;
  const SearchOptions& options_;
  Standing standing_;
  Entrant reference_;    ///< what others are timed in turn with
  std::string compared_; ///< what was last to take its place
  double began_ = 0;
  double longest_ = 0;             ///< seconds that any trial took
  double longest_preparation_ = 0; ///< that preparing a batch took
  int most_ = 0;
  double part_ = 0; ///< of the budget
  bool stopped_ = false;
  Found found_;
};

} // namespace

Found search(const Ground& ground, const std::string& standard, const SearchOptions& options) {
  return Search(ground, standard, options).run();
}

} // namespace ridge::tune
