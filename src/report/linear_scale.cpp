#include "linear_scale.hpp"

#include <cmath>

namespace ridge::report {

namespace {

/// The distance of ticks that makes at most ten of a length.
double step_of(double length) {
  const double least = length / 10;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

} // namespace

LinearScale::LinearScale(double low, double high, bool round, double from, double to)
    : low_(low), high_(high > low ? high : low + 1), from_(from), to_(to),
      step_(step_of(high_ - low_)) {
  if (round) high_ = low_ + step_ * std::ceil((high_ - low_) / step_ - 1e-9);
}

double LinearScale::at(double value) const {
  return from_ + (to_ - from_) * (value - low_) / (high_ - low_);
}

std::vector<double> LinearScale::ticks() const {
  std::vector<double> ticks;
  const double end = high_ + 1e-6 * step_;
  for (double tick = step_ * std::ceil(low_ / step_ - 1e-9); tick <= end; tick += step_)
    ticks.push_back(std::abs(tick) < 1e-9 * step_ ? 0 : tick);
  return ticks;
}

} // namespace ridge::report
