// Whether the processors are busy with other work.
#pragma once

#include <optional>

namespace ridge {

/// Watches, while it lives, how long runnable threads waited for a processor: where that is a large
/// part of the time, others take the cores from what is measured here, and its time says little.
class LoadWatch {
public:
  LoadWatch();
  /// The part of the time since it was made in which something waited; nothing where the system
  /// does not say (Linux does, with pressure-stall information).
  [[nodiscard]] std::optional<double> waited() const;
  /// Whether so much waited, or, where the system does not say, whether the load of the last minute
  /// is above the cores this process may use.
  [[nodiscard]] bool is_busy() const;

private:
  std::optional<double> stalled_; ///< seconds, when it was made
  double began_;
};

} // namespace ridge
