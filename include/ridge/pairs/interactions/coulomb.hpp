// Coulomb's law, softened.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: x, y, z, q. Sums: the electric field (3) and the potential, with
/// 1/(4 pi eps0) = 1: E = sum q d / (d^2 + eps^2)^(3/2), phi = sum q / (d^2 + eps^2)^(1/2),
/// d = target - source.
struct Coulomb {
  static constexpr int targets = 3, sources = 4, sums = 4, positions = 3, vector = 3;
  static constexpr double flops = 23, operations = 13, rsqrts = 1;
  static constexpr Grade grade = Grade::refined;

  Coefficient softening_squared = 0;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V near = rsqrt<grade>(dx * dx + (dy * dy + (dz * dz + softening_squared.as<V>())));
    const V potential = source[3] * near;
    const V field = potential * (near * near);
    sum[0] += dx * field;
    sum[1] += dy * field;
    sum[2] += dz * field;
    sum[3] += potential;
  }

  /// Charges of one sign repel each other as masses attract: gravity between their negatives.
  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    const V mass_a[] = {a[0], a[1], a[2], -a[3]};
    const V mass_b[] = {b[0], b[1], b[2], -b[3]};
    Gravity<grade>{softening_squared}.mutual(mass_a, mass_b, sum_a, less_b);
  }
};

} // namespace ridge::pairs
