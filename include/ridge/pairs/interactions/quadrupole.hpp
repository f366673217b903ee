// Gravity of a cluster from afar: its mass at its centre of mass, and its quadrupole.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: centre of mass (3), mass M, the traceless quadrupole
/// Q = sum m (3 d d - d^2 1) about it as xx, xy, xz, yy, yz, and - eps^2 sum m d^2. Sums as of
/// Gravity. With r from target to centre and s^2 = r^2 + eps^2, the expansion of
/// - sum m / sqrt(|r + d|^2 + eps^2) to second order in d, exact in the softening:
///   phi = - M / s - (r Q r - eps^2 sum m d^2) / (2 s^5),  a = - grad phi.
/// 54 operations as the tree's draft counted them: 31 beside those of Gravity.
template <Grade G = Grade::refined>
struct Quadrupole {
  static constexpr int targets = 3, sources = 10, sums = 4, positions = 3, vector = 3;
  static constexpr double flops = 54, operations = 33, rsqrts = 1;
  static constexpr Grade grade = G;

  Coefficient softening_squared = 0;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V x = source[0] - target[0];
    const V y = source[1] - target[1];
    const V z = source[2] - target[2];
    const V near = rsqrt<G>(fma(x, x, fma(y, y, fma(z, z, softening_squared.as<V>()))));
    const V near2 = near * near;
    const V near5 = near2 * near2 * near;
    const V weight = source[3] * near;
    const V qzz = -(source[4] + source[7]);
    const V qx = fma(source[4], x, fma(source[5], y, source[6] * z));
    const V qy = fma(source[5], x, fma(source[7], y, source[8] * z));
    const V qz = fma(source[6], x, fma(source[8], y, qzz * z));
    const V q = fma(qx, x, fma(qy, y, fma(qz, z, source[9]))) * near5;
    const V radial = fma(V(2.5), q, weight) * near2;
    sum[0] = fma(x, radial, fma(-near5, qx, sum[0]));
    sum[1] = fma(y, radial, fma(-near5, qy, sum[1]));
    sum[2] = fma(z, radial, fma(-near5, qz, sum[2]));
    sum[3] -= fma(V(0.5), q, weight);
  }
};

} // namespace ridge::pairs
