// Timing launches: warm-up, repeats, median.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <optional>

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

/// Times `launch`, which gives its work to `queue`: by device events on a GPU, by the steady clock
/// around launch and wait on the host. Launches under 20 microseconds are timed in batches. On a
/// GPU each timed launch of less than 5 ms follows one that is not timed, as launches of a program
/// do that does not wait between them: so the time to hand it over is not in it.
[[nodiscard]] Timing measure(Queue& queue, const std::function<void()>& launch,
                             const MeasureOptions& options = {});

/// Time of the host to give one launch to the queue, the device's own launch included: the least of
/// several batches that a GPU's queue takes without waiting. Nothing on the cpu and the emulated
/// GPU, where a launch is its work.
[[nodiscard]] std::optional<Seconds> host_time(Queue& queue, const std::function<void()>& launch);

} // namespace ridge
