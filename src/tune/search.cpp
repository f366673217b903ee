#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>
#include <ridge/tune/search.hpp>

#include "finals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ridge::tune {

namespace {

/// The part of the budget for looking around; the rest is for the finals.
constexpr double part_to_explore = 0.65;
/// Timed launches of a schedule that is looked at.
constexpr int looks = 3;
/// A first launch slower than the best by this factor needs no second; and what a model holds for
/// so much slower than its best is not measured.
constexpr double hopeless = 1.5;
/// Of the best so far, those whose surroundings are looked at.
constexpr std::size_t centres = 3;
constexpr int least_measured = 24;
/// Schedules that are compiled together: as many as keep most machines' cores busy, and few enough
/// that what was learnt of the last counts for the next.
constexpr std::size_t together = 8;

/// How many fields of two schedules differ.
int fields_apart(const std::string& a, const std::string& b) {
  const auto of_a = text::words(a);
  const auto of_b = text::words(b);
  return static_cast<int>(std::count_if(of_a.begin(), of_a.end(), [&](std::string_view word) {
    return std::find(of_b.begin(), of_b.end(), word) == of_b.end();
  }));
}

/// Schedules in the order in which a model would have them measured; those that are alike to it, or
/// of which it knows nothing, in the order of how little they differ from the default.
class Ranking {
public:
  Ranking(const Ground& ground, const std::string& standard)
      : ground_(ground), standard_(standard) {}

  /// Infinite where the schedule cannot run, by the model.
  double cost(const std::string& schedule) {
    if (const auto at = known_.find(schedule); at != known_.end()) return at->second;
    double cost = unknown;
    try {
      if (ground_.cost) cost = ground_.cost(schedule).value_or(unknown);
    } catch (const Error&) {
      cost = std::numeric_limits<double>::infinity();
    }
    return known_.emplace(schedule, cost).first->second;
  }
  void sort(std::vector<std::string>& schedules) {
    using Ranked = std::pair<std::pair<double, int>, std::string>;
    std::vector<Ranked> ranked;
    for (std::string& s : schedules) {
      if (const double c = cost(s); std::isfinite(c))
        ranked.push_back({{c, fields_apart(s, standard_)}, std::move(s)});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
    schedules.clear();
    for (Ranked& r : ranked)
      schedules.push_back(std::move(r.second));
  }
  /// Drops those at the end of a sorted list that the model holds for much slower than its best.
  void drop_hopeless(std::vector<std::string>& sorted) {
    if (sorted.empty()) return;
    const double most = hopeless * cost(sorted.front());
    while (cost(sorted.back()) > most)
      sorted.pop_back();
  }

private:
  static constexpr double unknown = std::numeric_limits<double>::max() / 2;
  const Ground& ground_;
  const std::string& standard_;
  std::map<std::string, double> known_;
};

class Search {
public:
  Search(const Ground& ground, const std::string& standard, const SearchOptions& options)
      : ground_(ground), standard_(standard), options_(options), ranking_(ground, standard_) {
    if (!(options.budget > 0) || !std::isfinite(options.budget))
      throw UsageError(fmt::format("a budget of {:g} s: give more than 0", options.budget));
    began_ = now();
  }

  Found run() {
    found_.space = static_cast<int>(ground_.space.size());
    most_ = options_.most > 0 ? options_.most : std::max(least_measured, found_.space / 10);
    look_at_standard();
    try {
      explore();
      settle();
    } catch (const Error&) {
      throw;
    } catch (...) { // what `between` threw: the user wants what there is
      found_.end = Found::End::stopped;
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
  void pause() const {
    if (options_.between) options_.between();
  }
  void tell(const std::string& doing) const {
    if (options_.progress) options_.progress(doing);
  }

  void look_at_standard() {
    tell("the default schedule");
    try {
      Stopwatch watch = ground_.bind(standard_);
      const double seconds = look(watch, std::numeric_limits<double>::infinity());
      keep({standard_, seconds, {}}, std::move(watch));
    } catch (const Error&) {
      pause(); // an interrupt also ends what compiles
      throw;
    }
  }

  /// The median of a few launches after one that warms up.
  double look(const Stopwatch& watch, double best) const {
    (void)watch();
    std::vector<double> seconds;
    for (int i = 0; i < looks; ++i) {
      seconds.push_back(watch());
      if (seconds.back() > hopeless * best) break;
    }
    return median_of(seconds).value;
  }

  void keep(Trial trial, Stopwatch watch) {
    seen_.insert(trial.schedule);
    if (trial.problem.empty()) {
      ++found_.measured;
      entrants_.push_back({trial.schedule, trial.seconds, std::move(watch)});
      std::stable_sort(entrants_.begin(), entrants_.end(),
                       [](const Entrant& a, const Entrant& b) { return a.seconds < b.seconds; });
      // Programs hold memory and compiled code: only those that may win are kept.
      for (std::size_t i = most_finalists; i < entrants_.size(); ++i) {
        if (entrants_[i].schedule != standard_) entrants_[i].watch = nullptr;
      }
    }
    found_.trials.push_back(std::move(trial));
  }

  /// Whether there is time to look at more, where that may take as long as `step`.
  [[nodiscard]] bool may_go_on(double step) const {
    const double until_now = spent();
    return until_now <= part_to_explore * options_.budget && until_now + step <= options_.budget &&
           found_.measured < most_;
  }

  /// Measures one that was not seen; false where time or number forbid it.
  bool try_one(const std::string& schedule) {
    if (!may_go_on(longest_)) return false;
    pause();
    tell(fmt::format("{} of at most {} schedules, best {:.3g} ms", found_.measured + 1, most_,
                     1e3 * entrants_.front().seconds));
    const double before = now();
    Trial trial{schedule, 0, {}};
    Stopwatch watch;
    try {
      watch = ground_.bind(schedule);
      trial.seconds = look(watch, entrants_.front().seconds);
    } catch (const Error& error) {
      pause(); // an interrupt also ends what compiles
      trial.problem = error.what();
    }
    longest_ = std::max(longest_, now() - before);
    keep(std::move(trial), std::move(watch));
    return true;
  }

  /// The best of the ranking and the surroundings of the best that were measured, in turn.
  void explore() {
    std::vector<std::string> ranked = ground_.space;
    ranking_.sort(ranked);
    ranking_.drop_hopeless(ranked);
    std::deque<std::string> next(ranked.begin(), ranked.end());
    for (const std::string& schedule : options_.known) {
      if (!seen_.contains(schedule) && !try_one(schedule)) return;
    }
    while (true) {
      const std::vector<std::string> batch = next_batch(next);
      if (batch.empty() || !prepare(batch)) return;
      for (const std::string& schedule : batch) {
        if (!try_one(schedule)) return;
      }
    }
  }

  /// As many of the ranking as from around the best, none of them twice.
  std::vector<std::string> next_batch(std::deque<std::string>& ranked) {
    const auto room = static_cast<std::size_t>(std::max(0, most_ - found_.measured));
    const std::size_t of_each = ground_.prepare ? together / 2 : 1;
    std::vector<std::string> batch = surroundings();
    batch.resize(std::min({batch.size(), of_each, room}));
    const std::size_t most = std::min(batch.size() + of_each, room);
    for (; !ranked.empty() && batch.size() < most; ranked.pop_front()) {
      const std::string& first = ranked.front();
      if (!seen_.contains(first) && std::find(batch.begin(), batch.end(), first) == batch.end())
        batch.push_back(first);
    }
    return batch;
  }

  /// False where there is no time for it.
  bool prepare(const std::vector<std::string>& batch) {
    if (!ground_.prepare) return true;
    if (!may_go_on(longest_preparation_)) return false;
    pause();
    tell("compiling");
    const double before = now();
    ground_.prepare(batch);
    longest_preparation_ = std::max(longest_preparation_, now() - before);
    return true;
  }

  /// What was not measured around the best few.
  std::vector<std::string> surroundings() {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < std::min(centres, entrants_.size()); ++i) {
      const std::string& centre = entrants_[i].schedule;
      auto [at, is_new] = around_.try_emplace(centre);
      if (is_new) at->second = ground_.around(centre);
      std::copy_if(at->second.begin(), at->second.end(), std::back_inserter(all),
                   [&](const std::string& s) { return !seen_.contains(s); });
      ranking_.sort(all);
      if (!all.empty()) return all;
    }
    return all;
  }

  /// The finals; a winner whose results are wrong leaves, and those behind it play again.
  void settle() {
    while (true) {
      std::vector<Entrant*> finalists;
      for (Entrant& e : entrants_) {
        const bool near = e.seconds < near_best * entrants_.front().seconds;
        if (e.watch && (e.schedule == standard_ || (near && finalists.size() < most_finalists)))
          finalists.push_back(&e);
      }
      tell(fmt::format("{} finalists in turn", finalists.size()));
      const Finals played = play_finals(
          finalists, standard_, options_.gain, [&] { return spent() < options_.budget; },
          [&] { pause(); });
      found_.gain = played.standard;
      found_.left = played.left;
      found_.end = played.left > options_.gain ? Found::End::budget : Found::End::settled;
      const auto winner = std::find_if(entrants_.begin(), entrants_.end(), [&](const Entrant& e) {
        return e.schedule == played.winner;
      });
      std::rotate(entrants_.begin(), winner, winner + 1);
      entrants_.front().seconds = played.seconds;
      if (passes(entrants_.front())) return;
      entrants_.erase(entrants_.begin());
    }
  }

  /// A wrong default is the user's to know; any other schedule merely loses.
  bool passes(const Entrant& winner) {
    if (!ground_.check) return true;
    pause();
    try {
      ground_.check(winner.schedule);
      return true;
    } catch (const Error& error) {
      if (winner.schedule == standard_) throw;
      for (Trial& t : found_.trials) {
        if (t.schedule == winner.schedule) t.problem = error.what();
      }
      return false;
    }
  }

  void conclude() {
    found_.best = {entrants_.front().schedule, entrants_.front().seconds, {}};
    for (const Entrant& e : entrants_) {
      if (e.schedule == standard_) found_.standard = {e.schedule, e.seconds, {}};
    }
    if (found_.end == Found::End::stopped && !found_.gain.has_interval())
      found_.gain = {found_.standard.seconds / found_.best.seconds};
    found_.spent = spent();
  }

  const Ground& ground_;
  std::string standard_;
  const SearchOptions& options_;
  Ranking ranking_;
  double began_ = 0;
  double longest_ = 0;             ///< seconds that any trial took
  double longest_preparation_ = 0; ///< that preparing a batch took
  int most_ = 0;
  Found found_;
  std::vector<Entrant> entrants_; ///< fastest first
  std::set<std::string> seen_;
  std::map<std::string, std::vector<std::string>> around_;
};

} // namespace

Found search(const Ground& ground, const std::string& standard, const SearchOptions& options) {
  return Search(ground, standard, options).run();
}

} // namespace ridge::tune
