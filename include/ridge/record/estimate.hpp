// Medians and how sure they are.
#pragma once

#include <vector>

namespace ridge {

/// A value, and the two between which the true one lies nine times of ten.
struct Estimate {
  double value = 0;
  /// Both 0 where there are too few measurements to say.
  double low = 0, high = 0;
  [[nodiscard]] bool has_interval() const { return high > 0; }
};

/// Fewer measurements than these have no interval.
inline constexpr int least_for_interval = 5;

/// The median of positive values. Its interval goes from one of them to another, so that it assumes
/// nothing of how they are spread; of fewer than five values there is none. `values` is not empty.
[[nodiscard]] Estimate median_of(std::vector<double> values);

} // namespace ridge
