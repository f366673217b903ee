#include <ridge/record/measure.hpp>

#include "../core/refuse.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace ridge {

namespace {

/// Launches shorter than this are timed in batches: a clock's resolution and the event's own cost
/// are a few percent of it.
constexpr Seconds short_launch{20e-6};
/// What a batch should last, so that those vanish.
constexpr Seconds batch_time{1e-3};
constexpr int largest_batch = 100000;
constexpr std::size_t least_repeats = 3;
/// Beside launches longer than this, the time to hand one over does not show.
constexpr Seconds long_launch{5e-3};

Timing statistics(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {{median_of(seconds).value}, {*least}, {*most}, static_cast<int>(seconds.size())};
}

void check(const MeasureOptions& options) {
  refuse_if(options.repeats < 1, "{} repeats: at least 1 is needed", options.repeats);
}

void pause(const MeasureOptions& options) {
  if (options.between) options.between();
}

} // namespace

struct LaunchClock::State {
  State(Queue& q, std::function<void()> f)
      : queue(q), launch(std::move(f)), begin(q.device()), end(q.device()) {}

  /// Launches that follow each other without a wait in between. `before` launches go ahead untimed:
  /// a GPU that is busy with them does not wait, between the first event and the first timed
  /// launch, while the host hands that over.
  [[nodiscard]] Seconds time(int launches, int before = 0) {
    for (int i = 0; i < before; ++i)
      launch();
    begin.record(queue);
    for (int i = 0; i < launches; ++i)
      launch();
    if (queue.device().host_accessible()) queue.wait(); // an event of the host does not
    end.record(queue);
    return begin.until(end);
  }
  [[nodiscard]] Seconds time_batch() {
    const bool hidden = queue.device().is_gpu() && latest < long_launch;
    latest = time(batch, hidden ? 1 : 0);
    return latest;
  }
  /// Takes as many launches as last long enough to be timed, where one of them took `once`.
  void grow(Seconds once) {
    for (Seconds all = once; all < batch_time && batch < largest_batch; all = time(batch)) {
      const double growth = batch_time.value / std::max(all.value, 1e-9);
      batch = static_cast<int>(std::ceil(batch * std::clamp(growth, 1.5, 16.0)));
    }
    batch = std::min(batch, largest_batch);
  }

  Queue& queue;
  std::function<void()> launch;
  Event begin, end;
  Seconds latest;
  int batch = 1;
};

LaunchClock::LaunchClock(Queue& queue, std::function<void()> launch)
    : state_(std::make_unique<State>(queue, std::move(launch))) {}
LaunchClock::LaunchClock(LaunchClock&&) noexcept = default;
LaunchClock& LaunchClock::operator=(LaunchClock&&) noexcept = default;
LaunchClock::~LaunchClock() = default;

void LaunchClock::warm_up() {
  state_->latest = state_->time(1);
}

Seconds LaunchClock::next(Seconds* spent) {
  Seconds all = state_->time_batch();
  if (state_->batch == 1 && all < short_launch) {
    state_->grow(all);
    all = state_->time_batch();
  }
  if (spent != nullptr) *spent = all;
  return {all.value / state_->batch};
}

int LaunchClock::batch() const {
  return state_->batch;
}

Timing measure(Queue& queue, const std::function<void()>& launch, const MeasureOptions& options) {
  check(options);
  queue.wait(); // earlier work is not ours
  LaunchClock clock(queue, launch);
  for (int i = 0; i < options.warm_up; ++i) {
    pause(options);
    clock.warm_up();
  }
  std::vector<double> seconds;
  double together = 0;
  while (static_cast<int>(seconds.size()) < options.repeats) {
    if (seconds.size() >= least_repeats && together > options.patience.value) break;
    pause(options);
    const int batch = clock.batch();
    Seconds spent;
    const Seconds each = clock.next(&spent);
    if (clock.batch() != batch) seconds.clear(); // those were too short to be timed alone
    together += spent.value;
    seconds.push_back(each.value);
  }
  return statistics(seconds);
}

InTurn measure_in_turn(Queue& queue, const std::function<void()>& first,
                       const std::function<void()>& second, const MeasureOptions& options) {
  check(options);
  queue.wait();
  LaunchClock clocks[2] = {{queue, first}, {queue, second}};
  for (int i = 0; i < options.warm_up; ++i) {
    pause(options);
    clocks[0].warm_up();
  }
  if (options.warm_up > 0) clocks[1].warm_up();
  std::vector<double> seconds[2], quotients;
  double together = 0;
  while (static_cast<int>(quotients.size()) < options.repeats) {
    if (quotients.size() >= least_for_interval && together > options.patience.value) break;
    for (int i = 0; i < 2; ++i) {
      pause(options);
      Seconds spent;
      seconds[i].push_back(clocks[i].next(&spent).value);
      together += spent.value;
    }
    quotients.push_back(seconds[1].back() / seconds[0].back());
  }
  return {statistics(seconds[0]), statistics(seconds[1]), median_of(quotients)};
}

std::optional<Seconds> host_time(Queue& queue, const std::function<void()>& launch) {
  if (queue.device().host_accessible()) return std::nullopt;
  using Clock = std::chrono::steady_clock;
  constexpr int launches = 20; // far fewer than a stream takes
  double least = 0;
  for (int batch = 0; batch < 5; ++batch) {
    queue.wait();
    const auto begin = Clock::now();
    for (int i = 0; i < launches; ++i)
      launch();
    const double each = std::chrono::duration<double>(Clock::now() - begin).count() / launches;
    if (batch == 0 || each < least) least = each;
  }
  queue.wait();
  return Seconds{least};
}

} // namespace ridge
