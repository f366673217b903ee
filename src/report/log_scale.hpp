// Logarithmic axes.
#pragma once

#include <vector>

namespace ridge::report {

/// Where the values of a logarithmic axis lie on the page.
class LogScale {
public:
  /// Holds all of `values` that are finite and above 0, with `margin` (a factor) on both sides and
  /// at least a decade, within 1e-150 to 1e150; the lowest lies at `from` and the highest at `to`,
  /// which may be the smaller one.
  LogScale(const std::vector<double>& values, double margin, double from, double to);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }
  /// Of a value above 0, which may lie outside the axis.
  [[nodiscard]] double at(double value) const;
  /// Round values to label: 1, 2 and 5 times powers of ten, or those powers alone where they are
  /// many; about 4 to `most`.
  [[nodiscard]] std::vector<double> ticks(int most = 8) const;

private:
  double low_ = 1, high_ = 10, from_, to_;
};

} // namespace ridge::report
