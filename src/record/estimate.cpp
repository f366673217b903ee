#include <ridge/record/estimate.hpp>

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

/// How many of n sorted values lie outside the interval at each end: as many as leave the chance
/// that the true median is below them at 1 in 20, as each value is below it with the chance 1/2.
std::size_t outside(std::size_t n) {
  double chance = std::pow(0.5, static_cast<double>(n)); // that none is below the true median
  double all = chance;
  std::size_t k = 0;
  while (all <= 0.05) {
    ++k;
    chance *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    all += chance;
  }
  return k; // 0: not even from the first to the last
}

} // namespace

Estimate median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Estimate found{(values[(n - 1) / 2] + values[n / 2]) / 2};
  // Beyond a thousand the chances leave the numbers, and the interval no longer matters.
  const std::size_t k = n > 1000 ? n / 2 - n / 20 : outside(n);
  if (k > 0) {
    found.low = values[k - 1];
    found.high = values[n - k];
  }
  return found;
}

} // namespace ridge
