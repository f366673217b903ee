// How many bodies are nearer to each than several distances.
#pragma once

#include <ridge/core/functions.hpp>

#include "sums.hpp"

namespace ridge::md {

/// Targets and sources: x, y, z. Sums: bodies nearer than each distance.
struct CountShells {
  static constexpr int targets = 3, sources = 3, sums = shells_together, positions = 3;

  double cutoff_squared = 1; ///< the largest
  double squared[shells_together] = {};

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V r2 = dx * dx + (dy * dy + dz * dz);
    RIDGE_UNROLL
    for (int c = 0; c < sums; ++c)
      sum[c] += select(r2 < V(squared[c]), V(1), V(0));
  }
};

} // namespace ridge::md
