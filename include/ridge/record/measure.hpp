// Timing launches: warm-up, repeats, median.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/estimate.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ridge {

struct MeasureOptions {
  int repeats = 15;
  /// Untimed launches first.
  int warm_up = 2;
  /// Repeats stop early, at no fewer than 3, when all of them together have taken this long.
  Seconds patience{10};
  /// Called between launches; may throw to stop.
  std::function<void()> between = {};
};

/// Times launches of one kind, one at a time: by device events on a GPU, by the steady clock around
/// launch and wait on the host. Launches under 20 microseconds are timed in batches. On a GPU each
/// timed launch of less than 5 ms follows one that is not timed, as launches of a program do that
/// does not wait between them: so the time to hand it over is not in it.
class LaunchClock {
public:
  /// `launch` gives its work to `queue`, which must outlive the clock.
  LaunchClock(Queue& queue, std::function<void()> launch);
  LaunchClock(LaunchClock&&) noexcept;
  LaunchClock& operator=(LaunchClock&&) noexcept;
  ~LaunchClock();

  /// Launches once, untimed as far as the caller is concerned.
  void warm_up();
  /// Seconds of one launch now; `spent`, where given, takes those of the whole batch.
  [[nodiscard]] Seconds next(Seconds* spent = nullptr);
  /// How many launches are timed together.
  [[nodiscard]] int batch() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Times `launch`, which gives its work to `queue`, by a LaunchClock.
[[nodiscard]] Timing measure(Queue& queue, const std::function<void()>& launch,
                             const MeasureOptions& options = {});

/// Two launches that were timed in turn.
struct InTurn {
  Timing first, second;
  /// An estimate from the quotients of the pairs: how many times as long the second takes.
  Estimate quotient;
};

/// Times two launches in turn, a pair a repeat, so that what slows both down for a while is in
/// both; at least the five pairs that an interval needs, unless fewer repeats are asked for. The
/// second, which others have run before, warms up at most once.
[[nodiscard]] InTurn measure_in_turn(Queue& queue, const std::function<void()>& first,
                                     const std::function<void()>& second,
                                     const MeasureOptions& options = {});

/// Time of the host to give one launch to the queue, the device's own launch included: the least of
/// several batches that a GPU's queue takes without waiting. Nothing on the cpu and the emulated
/// GPU, where a launch is its work.
[[nodiscard]] std::optional<Seconds> host_time(Queue& queue, const std::function<void()>& launch);

} // namespace ridge
