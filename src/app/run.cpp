#include "run.hpp"

#include <ridge/core/error.hpp>

#include "interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <climits>

namespace ridge::app {

namespace {
/// How long the user waits for progress and after Ctrl-C, in seconds.
constexpr double response = 0.2;
} // namespace

void Run::plan(Index step, Index last, Index every) {
  step_ = first_ = kept_ = step;
  last_ = last;
  every_ = every;
}

std::string Run::doing() const {
  return fmt::format("step {} of {}", step_, last_);
}
double Run::part() const {
  return static_cast<double>(taken()) / static_cast<double>(last_ - first_);
}

void Run::take() {
  using Clock = std::chrono::steady_clock;
  const auto multiple = [&](Index n) { return (step_ / n + 1) * n; };
  Index stop = std::min({last_, multiple(every_), step_ + batch_});
  if (beside() > 0) stop = std::min(stop, multiple(beside()));
  const WithinLaunches can_be_given_up(ranks_.ranks() == 1 && remembers());
  ranks_.barrier(); // one that still looks at a state has no part in what steps take,
  ranks_.barrier(); // nor has one that sleeps until it has
  const auto begin = Clock::now();
  const Index steps = advance(stop - step_);
  took_ = ranks_.greatest(std::chrono::duration<double>(Clock::now() - begin).count());
  step_ += steps;
  seconds_ += took_;
  if (took_ < response / 2 && steps >= batch_) batch_ *= 2;
  if (took_ > response) batch_ = std::max<Index>(1, batch_ / 2);
}

void Run::integrate() {
  while (!is_over()) {
    try {
      take();
    } catch (const Interrupted&) {
      if (!kept_in().empty() && kept_ != step_) keep();
      end();
    }
    passed();
    const bool due = is_due();
    if (due) {
      look();
      keep();
      kept_ = step_;
    }
    progress_.show(doing(), part());
    if (is_over() || !interrupt_seen_by(ranks_)) continue;
    stop(due);
    break;
  }
  progress_.clear();
}

void Run::stop(bool kept_already) {
  if (!kept_in().empty() && !kept_already) {
    look();
    keep();
  }
  ranks_.barrier(); // the first to end ends all: not before rank 0 has written
  end();
}

void Run::end() {
  if (kept_in().empty()) throw Interrupted{};
  throw Interrupted{fmt::format("interrupted at step {} of {}; {}: go on with --restart", step_,
                                last_, kept_in())};
}

void Run::write(const std::function<void()>& add, const std::function<std::string()>& kept) const {
  try {
    add();
  } catch (const Failure& failure) {
    throw Failure(fmt::format("{}; stopped at step {}{}", failure.what(), step_, kept()));
  }
}

void set_rate(Record& record, Index count, double seconds, double amount, const char* unit) {
  if (count < 1 || seconds <= 0) return;
  const Seconds each{seconds / static_cast<double>(count)};
  record.timing = Timing{each, each, each, static_cast<int>(std::min<Index>(count, INT_MAX))};
  record.achieved = Achievement{amount / each.value, unit, 0, ""};
}

void require_none_given(std::initializer_list<RestartOption> options, const std::string& start) {
  for (const RestartOption& option : options) {
    if (!option.is_given) continue;
    throw UsageError(fmt::format("{} cannot be given with --restart: the run goes on with its own; "
                                 "to change it, start anew from {}",
                                 option.name, start));
  }
}

} // namespace ridge::app
