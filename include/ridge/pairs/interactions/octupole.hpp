// Gravity of a cluster from afar: its mass at its centre of mass, its quadrupole and octupole.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: as of Quadrupole (10), then O = sum m (5 d d d - d^2 (d 1 + ...)) as
/// xxx, xxy, xxz, xyy, xyz, yyy, yyz, which has no trace, and T = - eps^2 sum m d^2 d (3). Sums as
/// of Gravity. With r from target to centre and s^2 = r^2 + eps^2, the next term of Quadrupole's
/// expansion, exact in the softening:
///   phi += (O r r r + 3 T r) / (2 s^7).
/// 102 operations: 48 beside those of Quadrupole.
template <Grade G = Grade::refined>
struct Octupole {
  static constexpr int targets = 3, sources = 20, sums = 4, positions = 3, vector = 3;
  static constexpr double flops = 102, operations = 68, rsqrts = 1;
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
    const V near7 = near5 * near2;
    const V weight = source[3] * near;
    const V qzz = -(source[4] + source[7]);
    const V qx = fma(source[4], x, fma(source[5], y, source[6] * z));
    const V qy = fma(source[5], x, fma(source[7], y, source[8] * z));
    const V qz = fma(source[6], x, fma(source[8], y, qzz * z));
    const V q = fma(qx, x, fma(qy, y, fma(qz, z, source[9]))) * near5;
    // O r r, a row a component: O's components with two z are the others' by its trace.
    const V* const o = source + 10;
    const V* const t = source + 17;
    const V xx = fma(x, x, -(z * z));
    const V yy = fma(y, y, -(z * z));
    const V xy = V(2) * x * y;
    const V xz = V(2) * x * z;
    const V yz = V(2) * y * z;
    const V ox = fma(o[0], xx, fma(o[3], yy, fma(o[1], xy, fma(o[2], xz, o[4] * yz))));
    const V oy = fma(o[1], xx, fma(o[5], yy, fma(o[3], xy, fma(o[4], xz, o[6] * yz))));
    const V oz =
        fma(o[2], xx, fma(o[6], yy, fma(o[4], xy, -fma(o[0] + o[3], xz, (o[1] + o[5]) * yz))));
    const V tr = fma(t[0], x, fma(t[1], y, t[2] * z));
    const V b = fma(V(3), tr, fma(ox, x, fma(oy, y, oz * z))) * near7;
    const V radial = fma(V(-3.5), b, fma(V(2.5), q, weight)) * near2;
    const V third = V(1.5) * near7;
    sum[0] = fma(third, ox + t[0], fma(x, radial, fma(-near5, qx, sum[0])));
    sum[1] = fma(third, oy + t[1], fma(y, radial, fma(-near5, qy, sum[1])));
    sum[2] = fma(third, oz + t[2], fma(z, radial, fma(-near5, qz, sum[2])));
    sum[3] += fma(V(0.5), b - q, -weight);
  }
};

} // namespace ridge::pairs
