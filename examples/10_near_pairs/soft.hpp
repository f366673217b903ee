#pragma once

#include <ridge/near_pairs.hpp>

/// Soft spheres: the force of the energy strength (1 - r^2)^2 / 4 within 1. Targets and sources: x,
/// y, z.
struct Soft {
  static constexpr int targets = 3, sources = 3, sums = 3; // components of each
  static constexpr int positions = 3;                      // the first components of both
  double strength = 1;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0], dy = target[1] - source[1], dz = target[2] - source[2];
    const V f = strength * (1.0 - (dx * dx + dy * dy + dz * dz));
    sum[0] += f * dx;
    sum[1] += f * dy;
    sum[2] += f * dz;
  }
};
