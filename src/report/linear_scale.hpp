// Linear axes.
#pragma once

#include <vector>

namespace ridge::report {

/// Where the values of a linear axis lie on the page.
class LinearScale {
public:
  /// From `low` to at least `high`, which is rounded up to a tick where `round` says so. `low` lies
  /// at `from` and the end of the axis at `to`.
  LinearScale(double low, double high, bool round, double from, double to);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }
  [[nodiscard]] double at(double value) const;
  /// Multiples of 1, 2 or 5 times a power of ten, at most about ten.
  [[nodiscard]] std::vector<double> ticks() const;

private:
  double low_, high_, from_, to_, step_;
};

} // namespace ridge::report
