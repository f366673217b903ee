// The 12-6 potential of Lennard-Jones with a cutoff.
#pragma once

#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets and sources: x, y, z. Sums: the force (3) and the potential energy, in units of epsilon
/// and sigma: u = 4 (r^-12 - r^-6) for r below the cutoff, else 0 (truncated, not shifted);
/// F = 24 (2 r^-12 - r^-6) d / r^2, d = target - source.
struct LennardJones {
  static constexpr int targets = 3, sources = 3, sums = 4, positions = 3, vector = 3;
  /// Beside the root: 3 differences, 3 for the distance, 3 for what is within, 6 for the force, 3
  /// for the sums, 3 for the energy.
  static constexpr double flops = 26, operations = 21, rsqrts = 1;
  static constexpr double force_flops = 22; ///< without the energy
  static constexpr Grade grade = Grade::refined;

  double cutoff_squared = 6.25;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V r2 = dx * dx + (dy * dy + dz * dz);
    const V root = rsqrt<Grade::refined>(r2); // sooner than a division, and as exact
    const V inverse = select(r2 < V(cutoff_squared), root * root, V(0));
    const V sixth = inverse * inverse * inverse;
    const V force = V(24) * sixth * inverse * (V(2) * sixth - V(1));
    sum[0] += dx * force;
    sum[1] += dy * force;
    sum[2] += dz * force;
    sum[3] += V(4) * sixth * (sixth - V(1));
  }
};

} // namespace ridge::pairs
