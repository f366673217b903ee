// How many bodies are within the cutoff of each.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/lists/lists.hpp>

namespace ridge::pairs {

/// Targets and sources: x, y, z. Sum: bodies nearer than the cutoff.
struct CountNear {
  static constexpr int targets = 3, sources = 3, sums = 1, positions = 3;

  double cutoff_squared = 1;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    sum[0] += select(dx * dx + (dy * dy + dz * dz) < V(cutoff_squared), V(1), V(0));
  }
};

/// Interactions within the cutoff at this time, each pair counted for both of its bodies: what a
/// sum over the lists is asked for.
template <class T>
[[nodiscard]] Index count_interactions(const Lists<T>& lists);

} // namespace ridge::pairs
