#pragma once

#include <ridge/pairs.hpp>

/// The electric field of point charges. Targets: x, y, z. Sources: x, y, z, charge.
struct Coulomb {
  static constexpr int targets = 3, sources = 4, sums = 3; // components of each
  double softening_squared;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0], dy = target[1] - source[1], dz = target[2] - source[2];
    const V r =
        ridge::rsqrt<ridge::Grade::refined>(dx * dx + dy * dy + dz * dz + softening_squared);
    const V f = source[3] * (r * r * r);
    sum[0] += f * dx;
    sum[1] += f * dy;
    sum[2] += f * dz;
  }
};
