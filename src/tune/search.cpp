#include <ridge/core/error.hpp>
#include <ridge/tune/search.hpp>

#include "experience.hpp"
#include "finals.hpp"
#include "ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace ridge::tune {

namespace {

/// The part of the budget for looking around; the rest is for the finals.
constexpr double part_to_explore = 0.65;
constexpr double part_to_measure_all = 0.95;
/// Timed launches of a schedule that is looked at.
constexpr int looks = 3;
/// Two launches slower than the best by this factor need no third; and what a model holds for
/// so much slower than its best is not measured.
constexpr double hopeless = 1.5;
/// Of the best so far, those whose surroundings are looked at.
constexpr std::size_t centres = 3;
constexpr int least_measured = 24;

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
    most_ = options_.most > 0              ? options_.most
            : options_.order == Order::all ? std::numeric_limits<int>::max()
                                           : std::max(least_measured, found_.space / 10);
    part_ = options_.order == Order::all ? part_to_measure_all : part_to_explore;
    look_at_standard();
    try {
      explore();
      settle();
    } catch (...) {
      if (!stopped_) throw;
      found_.end = Found::End::stopped; // the user wants what there is
    }
    conclude();
    return std::move(found_);
  }

private:
  static bool faster(const Entrant& a, const Entrant& b) { return a.seconds < b.seconds; }
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
  void tell(const std::string& doing) const {
    if (options_.progress) options_.progress(doing);
  }

  void look_at_standard() {
    tell("the default schedule");
    try {
      Stopwatch watch = ground_.bind(standard_);
      const double seconds = look(watch);
      keep({standard_, seconds, {}}, std::move(watch));
    } catch (const Error&) {
      pause(); // an interrupt also ends what compiles
      throw;
    }
  }

  /// Seconds of a launch after one that warms up: the least of a few. They are taken in turn with
  /// launches of the best so far, and what these took longer than ever is taken off.
  double look(const Stopwatch& watch) const {
    (void)watch();
    const Entrant* const best = entrants_.empty() ? nullptr : &entrants_.front();
    double least = std::numeric_limits<double>::infinity();
    double of_best = least;
    for (int i = 0; i < looks; ++i) {
      least = std::min(least, watch());
      if (best == nullptr) continue;
      of_best = std::min(of_best, best->watch());
      if (i > 0 && least > hopeless * of_best) break;
    }
    return best == nullptr ? least : least / of_best * best->seconds;
  }

  void keep(Trial trial, Stopwatch watch) {
    seen_.insert(trial.schedule);
    if (trial.problem.empty()) {
      ++found_.measured;
      experience_.learn(trial.schedule, trial.seconds);
      entrants_.push_back({trial.schedule, trial.seconds, std::move(watch)});
      std::stable_sort(entrants_.begin(), entrants_.end(), faster);
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
    return until_now <= part_ * options_.budget && until_now + step <= options_.budget &&
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
      trial.seconds = look(watch);
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
    const std::vector<std::string> ranked = order();
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

  /// The space as it is to be measured.
  std::vector<std::string> order() {
    std::vector<std::string> all = ground_.space;
    if (options_.order == Order::random) {
      std::shuffle(all.begin(), all.end(), std::mt19937(1));
      return all;
    }
    ranking_.sort(all);
    if (ground_.cost && !all.empty() && ranking_.knows(all.front()))
      found_.ranked_first = all.front();
    if (options_.order == Order::guided) ranking_.drop_hopeless(all, hopeless);
    return all;
  }

  /// What to measure next: what lies around the best and needs no compiling; then, compiled
  /// together, what else lies there and the next of the ranking.
  std::vector<std::string> next_batch(std::deque<std::string>& ranked) {
    const auto room = static_cast<std::size_t>(std::max(0, most_ - found_.measured));
    std::vector<std::string> batch;
    if (options_.order == Order::guided) batch = surroundings();
    if (ground_.ready) {
      const auto others = std::stable_partition(batch.begin(), batch.end(), ground_.ready);
      if (others != batch.begin()) {
        batch.erase(others, batch.end());
        batch.resize(std::min(batch.size(), room));
        return batch;
      }
    }
    const std::size_t of_each =
        ground_.ready ? static_cast<std::size_t>(std::max(2, ground_.together)) / 2 : 1;
    batch.resize(std::min({batch.size(), of_each, room}));
    // Without a model the ranking only says what is near the default: the best is a better guide.
    const bool informed = !ranked.empty() && ranking_.knows(ranked.front());
    const std::size_t of_ranking = informed || batch.empty() ? of_each : 0;
    const std::size_t most = std::min(batch.size() + of_ranking, room);
    for (; !ranked.empty() && batch.size() < most; ranked.pop_front()) {
      const std::string& first = ranked.front();
      if (!seen_.contains(first) && std::find(batch.begin(), batch.end(), first) == batch.end())
        batch.push_back(first);
    }
    return batch;
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

  /// What was not measured around the best few, the most promising first.
  std::vector<std::string> surroundings() {
    for (std::size_t i = 0; i < std::min(centres, entrants_.size()); ++i) {
      const std::string& centre = entrants_[i].schedule;
      auto [at, is_new] = around_.try_emplace(centre);
      if (is_new) at->second = ground_.around(centre);
      std::vector<std::string> all;
      std::copy_if(at->second.begin(), at->second.end(), std::back_inserter(all),
                   [&](const std::string& s) { return !seen_.contains(s); });
      ranking_.sort(all);
      std::map<std::string, double> promise;
      for (const std::string& s : all)
        promise[s] = promise_of(centre, s);
      std::stable_sort(all.begin(), all.end(),
                       [&](const auto& a, const auto& b) { return promise.at(a) < promise.at(b); });
      if (!all.empty()) return all;
    }
    return {};
  }

  /// By which factor the time may change from the centre: as the same change did elsewhere, else as
  /// the model says.
  double promise_of(const std::string& centre, const std::string& schedule) {
    if (const auto known = experience_.change(centre, schedule)) return *known;
    if (!ranking_.knows(centre) || !ranking_.knows(schedule)) return 1;
    return ranking_.cost(schedule) / ranking_.cost(centre);
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
      for (std::size_t i = 0; i < finalists.size(); ++i)
        correct(*finalists[i], played.seconds[i]);
      std::iter_swap(entrants_.begin(),
                     std::find_if(entrants_.begin(), entrants_.end(),
                                  [&](const Entrant& e) { return e.schedule == played.winner; }));
      std::stable_sort(entrants_.begin() + 1, entrants_.end(), faster);
      if (passes(entrants_.front())) return;
      entrants_.erase(entrants_.begin());
    }
  }

  /// What was measured in turn replaces the first look.
  void correct(Entrant& e, double seconds) {
    e.seconds = seconds;
    for (Trial& t : found_.trials) {
      if (t.schedule == e.schedule) t.seconds = seconds;
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
  Experience experience_;
  double began_ = 0;
  double longest_ = 0;             ///< seconds that any trial took
  double longest_preparation_ = 0; ///< that preparing a batch took
  int most_ = 0;
  double part_ = 0; ///< of the budget
  bool stopped_ = false;
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
