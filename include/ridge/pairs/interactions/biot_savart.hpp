// The law of Biot and Savart for vortex particles, smoothed as Rosenhead and Moore did.
#pragma once

#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: x, y, z and the circulation vector (3). Sums: the velocity (3),
///   u = 1/(4 pi) sum gamma x d / (d^2 + delta^2)^(3/2),  d = target - source.
struct BiotSavart {
  static constexpr int targets = 3, sources = 6, sums = 3, positions = 3, vector = 3;
  static constexpr double flops = 29, operations = 18, rsqrts = 1;
  static constexpr Grade grade = Grade::refined;

  double smoothing_squared = 0;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V near = rsqrt<grade>(dx * dx + (dy * dy + (dz * dz + V(smoothing_squared))));
    const V weight = V(0.0795774715459476679) * near * (near * near); // 1/(4 pi)
    sum[0] += weight * (source[4] * dz - source[5] * dy);
    sum[1] += weight * (source[5] * dx - source[3] * dz);
    sum[2] += weight * (source[3] * dy - source[4] * dx);
  }

  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    const V dx = a[0] - b[0];
    const V dy = a[1] - b[1];
    const V dz = a[2] - b[2];
    const V smoothed(smoothing_squared);
    const V near = rsqrt<grade>(fma(dx, dx, fma(dy, dy, fma(dz, dz, smoothed))));
    const V weight = V(0.0795774715459476679) * near * (near * near); // 1/(4 pi)
    const V x = weight * dx;
    const V y = weight * dy;
    const V z = weight * dz;
    sum_a[0] = fma(b[4], z, fma(-b[5], y, sum_a[0]));
    sum_a[1] = fma(b[5], x, fma(-b[3], z, sum_a[1]));
    sum_a[2] = fma(b[3], y, fma(-b[4], x, sum_a[2]));
    less_b[0] = fma(a[4], z, fma(-a[5], y, less_b[0]));
    less_b[1] = fma(a[5], x, fma(-a[3], z, less_b[1]));
    less_b[2] = fma(a[3], y, fma(-a[4], x, less_b[2]));
  }
};

} // namespace ridge::pairs
