#include <ridge/model/reuse.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

/// Probability that a Poisson distributed number of this mean is at least `least`.
double poisson_at_least(double mean, int least) {
  if (mean <= 0) return least <= 0 ? 1 : 0;
  if (mean > 50 + 2 * least) return 1; // less than 1e-10 below
  double term = std::exp(-mean);
  double below = 0;
  for (int k = 0; k < least; ++k) {
    below += term;
    term *= mean / (k + 1);
  }
  return std::clamp(1 - below, 0.0, 1.0);
}

} // namespace

double gone(double fraction, int ways, Hash hash) {
  const double others = fraction * ways;
  switch (hash) {
  case Hash::random:
    return poisson_at_least(others, ways);
  case Hash::even:
    return poisson_at_least(others - 1, ways);
  case Hash::between:
    break;
  }
  return (poisson_at_least(others, ways) + poisson_at_least(others - 1, ways)) / 2;
}

} // namespace ridge::model
