// The 12-6 potential of Lennard-Jones with a cutoff.
#pragma once

#include <ridge/core/quick_root.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets and sources: x, y, z. Sums: the force (3) and the potential energy, in units of epsilon
/// and sigma: u = 4 (r^-12 - r^-6) for r below the cutoff, else 0 (truncated, not shifted);
/// F = 24 (2 r^-12 - r^-6) d / r^2, d = target - source.
struct LennardJones {
  static constexpr int targets = 3, sources = 3, sums = 4, positions = 3, vector = 3;
  /// Beside the root: 3 differences, 3 for the distance, 3 for what is within, 5 for the force, 3
  /// for the sums, 2 for the energy.
  static constexpr double flops = 26, operations = 19, rsqrts = 1;
  static constexpr double force_flops = 22; ///< without the energy
  static constexpr Grade grade = Grade::refined;

  double cutoff_squared = 6.25;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V r2 = dx * dx + (dy * dy + dz * dz);
    const V inverse = select(r2 < V(cutoff_squared), inverse_of(r2), V(0));
    const V sixth = inverse * inverse * inverse;
    const V force = (sixth * inverse) * (V(48) * sixth - V(24));
    sum[0] += dx * force;
    sum[1] += dy * force;
    sum[2] += dz * force;
    sum[3] += sixth * (V(4) * sixth - V(4));
  }

private:
  /// Sooner than a division, and as exact.
  template <class V>
  static RIDGE_FN V inverse_of(const V& x) {
    if constexpr (sizeof(Element<V>) == sizeof(float) && ridge::detail::takes_quick_roots<V>) {
      return quick_reciprocal(x);
    } else {
      const V root = rsqrt<Grade::refined>(x);
      return root * root;
    }
  }
};

} // namespace ridge::pairs
