// Timing launches: warm-up, repeats, median.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include <functional>

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
/// around launch and wait on the host. Launches under 20 microseconds are timed in batches.
[[nodiscard]] Timing measure(Queue& queue, const std::function<void()>& launch,
                             const MeasureOptions& options = {});

} // namespace ridge
