// Coulomb's law, softened.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

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

  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    const V dx = a[0] - b[0];
    const V dy = a[1] - b[1];
    const V dz = a[2] - b[2];
    // Out of a register: an FMA that reads constant memory is slower where registers are short.
    const V softened(double{softening_squared});
    const V near = rsqrt<grade>(fma(dx, dx, fma(dy, dy, fma(dz, dz, softened))));
    const V cube = near * (near * near);
    const V field_a = b[3] * cube;
    const V field_b = a[3] * cube;
    sum_a[0] = fma(dx, field_a, sum_a[0]);
    sum_a[1] = fma(dy, field_a, sum_a[1]);
    sum_a[2] = fma(dz, field_a, sum_a[2]);
    sum_a[3] = fma(b[3], near, sum_a[3]);
    less_b[0] = fma(dx, field_b, less_b[0]);
    less_b[1] = fma(dy, field_b, less_b[1]);
    less_b[2] = fma(dz, field_b, less_b[2]);
    less_b[3] = fma(-a[3], near, less_b[3]);
  }
};

} // namespace ridge::pairs
