// Newton's gravity, softened as Plummer did.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: x, y, z, m. Sums: the acceleration (3) and the potential, with G = 1:
///   a = sum m d / (d^2 + eps^2)^(3/2),  phi = - sum m / (d^2 + eps^2)^(1/2),  d = source - target.
/// 23 operations an interaction, as the CSCS talk on thread cooperation counts (3 differences, 6
/// for the distance, 2 for the root, 4 for the weights, 8 for the sums).
template <Grade G = Grade::refined>
struct Gravity {
  static constexpr int targets = 3, sources = 4, sums = 4, positions = 3, vector = 3;
  static constexpr double flops = 23, operations = 13, rsqrts = 1;
  static constexpr Grade grade = G;

  Coefficient softening_squared = 0;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = source[0] - target[0];
    const V dy = source[1] - target[1];
    const V dz = source[2] - target[2];
    const V near = rsqrt<G>(distance_squared(dx, dy, dz, softening_squared.as<V>()));
    const V weight = source[3] * near;
    const V force = weight * (near * near);
    sum[0] = fma(dx, force, sum[0]);
    sum[1] = fma(dy, force, sum[1]);
    sum[2] = fma(dz, force, sum[2]);
    sum[3] -= weight;
  }

  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    const V dx = b[0] - a[0];
    const V dy = b[1] - a[1];
    const V dz = b[2] - a[2];
    // Out of a register: an FMA that reads constant memory is slower where registers are short.
    const V near = rsqrt<G>(distance_squared(dx, dy, dz, V(double{softening_squared})));
    const V cube = near * (near * near);
    const V force_a = b[3] * cube;
    const V force_b = a[3] * cube;
    sum_a[0] = fma(dx, force_a, sum_a[0]);
    sum_a[1] = fma(dy, force_a, sum_a[1]);
    sum_a[2] = fma(dz, force_a, sum_a[2]);
    sum_a[3] = fma(-b[3], near, sum_a[3]);
    less_b[0] = fma(dx, force_b, less_b[0]);
    less_b[1] = fma(dy, force_b, less_b[1]);
    less_b[2] = fma(dz, force_b, less_b[2]);
    less_b[3] = fma(a[3], near, less_b[3]);
  }

private:
  template <class V>
  static RIDGE_FN V distance_squared(const V& dx, const V& dy, const V& dz, const V& softened) {
    return fma(dx, dx, fma(dy, dy, fma(dz, dz, softened)));
  }
};

} // namespace ridge::pairs
