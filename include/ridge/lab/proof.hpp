// Two launches of one case in turn: whether a change brings what was predicted.
#pragma once

#include <ridge/pattern/case.hpp>

#include <functional>

namespace ridge::lab {

/// Time before over time after: the median of pairs, one beside the other, and the interval in
/// which it lies at least nine times of ten.
struct Proof {
  double gain = 1, low = 1, high = 1;
  int pairs = 0;

  /// Whether a predicted gain came true: within 5 points or a quarter of what the change brought,
  /// or nearer than the measurement can tell.
  [[nodiscard]] bool confirms(double predicted) const;
};

/// Checks both launches against the reference, then times them in turn. `between` is called
/// between measurements and may throw to stop. Throws Failure when a check fails.
[[nodiscard]] Proof prove(Case& the_case, const AskedSchedule& before, const AskedSchedule& after,
                          const std::function<void()>& between);

} // namespace ridge::lab
