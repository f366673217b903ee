#include "log_scale.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::report {

LogScale::LogScale(const std::vector<double>& values, double margin, double from, double to)
    : from_(from), to_(to) {
  bool any = false;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low_ = any ? std::min(low_, value) : value;
    high_ = any ? std::max(high_, value) : value;
    any = true;
  }
  // Far from where a margin or a quotient would overflow.
  low_ = std::clamp(low_, 1e-150, 1e150) / margin;
  high_ = std::clamp(high_, 1e-150, 1e150) * margin;
  const double lacking = std::sqrt(std::max(1.0, 10 / (high_ / low_)));
  low_ /= lacking;
  high_ *= lacking;
}

double LogScale::at(double value) const {
  const double along = std::log(value) - std::log(low_);
  return from_ + (to_ - from_) * along / (std::log(high_) - std::log(low_));
}

std::vector<double> LogScale::ticks(int most) const {
  const double decades = std::log10(high_ / low_);
  const bool finer = 3 * decades <= most;
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low_)));
  for (int power = first; power <= first + static_cast<int>(decades) + 2; ++power) {
    if (power % every != 0) continue;
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10.0, power);
      if ((digit == 1.0 || finer) && value >= low_ && value <= high_) ticks.push_back(value);
    }
  }
  return ticks;
}

} // namespace ridge::report
