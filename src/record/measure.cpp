#include <ridge/core/error.hpp>
#include <ridge/record/measure.hpp>

#include <fmt/format.h>

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

/// Times launches that follow each other without a wait in between.
class Stopwatch {
public:
  Stopwatch(Queue& queue, const std::function<void()>& launch)
      : queue_(queue), launch_(launch), begin_(queue.device()), end_(queue.device()) {}

  /// `before` launches go ahead untimed: a GPU that is busy with them does not wait, between the
  /// first event and the first timed launch, while the host hands that over.
  [[nodiscard]] Seconds time(int launches, int before = 0) {
    for (int i = 0; i < before; ++i)
      launch_();
    begin_.record(queue_);
    for (int i = 0; i < launches; ++i)
      launch_();
    if (queue_.device().host_accessible()) queue_.wait(); // an event of the host does not
    end_.record(queue_);
    return begin_.until(end_);
  }

private:
  Queue& queue_;
  const std::function<void()>& launch_;
  Event begin_, end_;
};

/// How many launches last long enough to be timed, where one of them took `once`.
int grow_batch(Stopwatch& watch, Seconds once) {
  int batch = 1;
  for (Seconds all = once; all < batch_time && batch < largest_batch; all = watch.time(batch)) {
    const double growth = batch_time.value / std::max(all.value, 1e-9);
    batch = static_cast<int>(std::ceil(batch * std::clamp(growth, 1.5, 16.0)));
  }
  return std::min(batch, largest_batch);
}

Timing statistics(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  const double median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
  return {{median}, {seconds.front()}, {seconds.back()}, static_cast<int>(n)};
}

} // namespace

Timing measure(Queue& queue, const std::function<void()>& launch, const MeasureOptions& options) {
  if (options.repeats < 1) {
    throw UsageError(fmt::format("{} repeats: at least 1 is needed", options.repeats));
  }
  queue.wait(); // earlier work is not ours
  Stopwatch watch(queue, launch);
  const auto pause = [&] {
    if (options.between) options.between();
  };
  Seconds latest;
  for (int i = 0; i < options.warm_up; ++i) {
    pause();
    latest = watch.time(1);
  }
  int batch = 1;
  std::vector<double> seconds;
  double together = 0;
  while (static_cast<int>(seconds.size()) < options.repeats) {
    if (seconds.size() >= least_repeats && together > options.patience.value) break;
    pause();
    const bool hidden = queue.device().is_gpu() && latest < long_launch;
    const Seconds all = watch.time(batch, hidden ? 1 : 0);
    latest = all;
    if (batch == 1 && all < short_launch) {
      batch = grow_batch(watch, all);
      seconds.clear();
      continue;
    }
    together += all.value;
    seconds.push_back(all.value / batch);
  }
  return statistics(std::move(seconds));
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
