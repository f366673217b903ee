// Interactions that far fields are tested with: with a charge and a vector, and without either.
#pragma once

#include <ridge/core/functions.hpp>

namespace ridge::pairs::test {

/// Screened charges, and a vector that turns: sums are linear in four components.
struct Screened {
  static constexpr int targets = 3, sources = 7, sums = 2, positions = 3;

  double decay = 0.3;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V x = target[0] - source[0];
    const V y = target[1] - source[1];
    const V z = target[2] - source[2];
    const V r = sqrt(x * x + y * y + z * z + V(1e-4));
    sum[0] += source[3] * exp(r * V(-decay)) / r;
    sum[1] += (x * source[4] + y * source[5] + z * source[6]) / (r * r * r);
  }
};

/// Of positions alone.
struct Bump {
  static constexpr int targets = 3, sources = 3, sums = 1, positions = 3;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V x = target[0] - source[0];
    const V y = target[1] - source[1];
    const V z = target[2] - source[2];
    sum[0] += V(1) / (V(0.1) + x * x + y * y + z * z);
  }
};

/// Not linear in the charge.
struct Squared {
  static constexpr int targets = 3, sources = 4, sums = 1, positions = 3;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    sum[0] += source[3] * source[3] * (target[0] - source[0]);
  }
};

} // namespace ridge::pairs::test
