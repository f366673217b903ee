// Gravity of a cluster from afar: its mass at its centre of mass, and its higher moments.
#pragma once

#include <ridge/core/coefficient.hpp>
#include <ridge/core/fma.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Numbers of a node with moments up to an order.
RIDGE_FN constexpr int multipole_numbers(int order) {
  constexpr int of[6] = {4, 4, 10, 20, 35, 56};
  return of[order];
}
/// True where the c-th of them is times - eps^2: it is there for softening alone.
RIDGE_FN constexpr bool is_of_softening(int c) {
  return c == 9 || (c >= 17 && c < 20) || (c >= 29 && c < 35) || c >= 46;
}

/// Tensors without trace are known by their components with at most one z. This is the place of
/// x..y..z.. with `y` y and `z` z, whatever the rank: xx, xy, xz, yy, yz; xxx, xxy, xxz, xyy, ...
RIDGE_FN constexpr int traceless_place(int y, int z) {
  return y + z == 0 ? 0 : 2 * (y + z) - 1 + z;
}

/// Targets: x, y, z. Sources: centre of mass (3), mass M, and about that centre
///   Q = sum m (3 d d - d^2 1), 5 numbers without trace; sum m d^2;
///   O = sum m (5 d d d - d^2 (d 1 + ...)), 7; sum m d^2 d, 3;
///   H = sum m (35 d d d d - 5 d^2 (d d 1 + ...) + d^4 (1 1 + ...)) / 8, 9; 5/2 sum m d^2 (3 d d -
///   d^2 1), 5; 1/2 sum m d^4;
///   F = sum m (63 d d d d d - 7 d^2 (d d d 1 + ...) + d^4 (d 1 1 + ...)) / 8, 11; 7/2 sum m d^2 (5
///   d d d - d^2 (d 1 + ...)), 7; -3/2 sum m d^4 d, 3;
/// the second and later ones of each line times - eps^2. Sums as of Gravity. With r from target to
/// centre and s^2 = r^2 + eps^2, this is Legendre's series of - sum m / sqrt(|r + d|^2 + eps^2),
///   - sum m |d|^n P_n(- r d / (s |d|)) / s^(n + 1),
/// whose powers of r d are written by polynomials of r that are harmonic, and r^2 = s^2 - eps^2:
/// exact in the softening. To order 2, phi = - M / s - (r Q r - eps^2 sum m d^2) / (2 s^5).
/// Beyond order 3 by r / s, since the ninth and later powers of s soon leave fp32.
template <int Order, Grade G = Grade::refined>
struct Multipole {
  static_assert(Order >= 2 && Order <= 5);
  static constexpr int targets = 3, sources = multipole_numbers(Order), sums = 4, positions = 3,
                       vector = 3;
  // As the tree's draft counted them, of order 2: 31 beside those of Gravity.
  static constexpr double flops = Order == 2 ? 54 : Order == 3 ? 102 : Order == 4 ? 261 : 427;
  static constexpr double operations = Order == 2 ? 33 : Order == 3 ? 68 : Order == 4 ? 162 : 261;
  static constexpr double rsqrts = 1;
  static constexpr Grade grade = G;

  Coefficient softening_squared = 0;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V at[3] = {source[0] - target[0], source[1] - target[1], source[2] - target[2]};
    const V near = rsqrt<G>(
        fma(at[0], at[0], fma(at[1], at[1], fma(at[2], at[2], softening_squared.as<V>()))));
    if constexpr (Order <= 3) {
      add_few(at, near, source, sum);
    } else {
      add_many(at, near, source, sum);
    }
  }

private:
  /// What a tensor of rank L without trace gives L times with x, y, z, by its components' places:
  /// from those of rank L - 1.
  template <int L, class V>
  static RIDGE_FN void harmonics(const V* at, const V* lower, V* h) {
    if constexpr (L == 2) { // with fewer instructions
      const V zz = at[2] * at[2];
      const V twice = V(2) * at[0];
      h[0] = fma(at[0], at[0], -zz);
      h[1] = twice * at[1];
      h[2] = twice * at[2];
      h[3] = fma(at[1], at[1], -zz);
      h[4] = V(2) * at[1] * at[2];
    } else {
      RIDGE_UNROLL
      for (int y = 0; y <= L; ++y) {
        V flat =
            y < L ? at[0] * lower[traceless_place(y, 0)] : at[1] * lower[traceless_place(y - 1, 0)];
        if (y > 0 && y < L) flat = fma(at[1], lower[traceless_place(y - 1, 0)], flat);
        if (y <= L - 2) flat = fma(-at[2], lower[traceless_place(y, 1)], flat);
        if (y >= 2) flat = fma(-at[2], lower[traceless_place(y - 2, 1)], flat);
        h[traceless_place(y, 0)] = flat;
        if (y == L) continue;
        V up = at[2] * lower[traceless_place(y, 0)];
        if (y < L - 1) up = fma(at[0], lower[traceless_place(y, 1)], up);
        if (y > 0) up = fma(at[1], lower[traceless_place(y - 1, 1)], up);
        h[traceless_place(y, 1)] = up;
      }
    }
  }

  /// A tensor of rank L without trace, L - 1 times with x, y, z whose harmonics are given.
  template <int L, class V>
  static RIDGE_FN void rows(const V* tensor, const V* h, V* row) {
    row[0] = tensor[0] * h[0];
    row[1] = tensor[traceless_place(1, 0)] * h[0];
    row[2] = tensor[traceless_place(0, 1)] * h[0];
    RIDGE_UNROLL
    for (int k = 1; k < 2 * L - 1; ++k) {
      const int z = (k + 1) % 2;
      const int y = (k + 1) / 2 - z;
      row[0] = fma(tensor[k], h[k], row[0]);
      row[1] = fma(tensor[traceless_place(y + 1, z)], h[k], row[1]);
      if (z == 0) {
        row[2] = fma(tensor[traceless_place(y, 1)], h[k], row[2]);
      } else { // two z: minus what has two x or two y
        row[2] =
            fma(-(tensor[traceless_place(y, 0)] + tensor[traceless_place(y + 2, 0)]), h[k], row[2]);
      }
    }
  }

  template <class V>
  static RIDGE_FN V dot(const V* a, const V* b) {
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
  }
  template <int N, class V>
  static RIDGE_FN V dot_of(const V* a, const V* b) {
    V sum = a[0] * b[0];
    RIDGE_UNROLL
    for (int k = 1; k < N; ++k)
      sum = fma(a[k], b[k], sum);
    return sum;
  }

  /// Orders 2 and 3.
  template <class V>
  RIDGE_FN void add_few(const V* at, const V& near, const V* source, V* sum) const {
    const V near2 = near * near;
    const V near5 = near2 * near2 * near;
    const V weight = source[3] * near;
    V second[3];
    rows<2>(source + 4, at, second);
    const V q =
        fma(second[0], at[0], fma(second[1], at[1], fma(second[2], at[2], source[9]))) * near5;
    if constexpr (Order == 2) {
      const V radial = fma(V(2.5), q, weight) * near2;
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        sum[c] = fma(at[c], radial, fma(-near5, second[c], sum[c]));
      sum[3] -= fma(V(0.5), q, weight);
    } else {
      const V* const t = source + 17;
      const V near7 = near5 * near2;
      V h[5];
      V third[3];
      harmonics<2>(at, at, h);
      rows<3>(source + 10, h, third);
      const V b = fma(V(3), dot(t, at), dot(third, at)) * near7;
      const V radial = fma(V(-3.5), b, fma(V(2.5), q, weight)) * near2;
      const V of_third = V(1.5) * near7;
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        sum[c] = fma(of_third, third[c] + t[c], fma(at[c], radial, fma(-near5, second[c], sum[c])));
      sum[3] += fma(V(0.5), b - q, -weight);
    }
  }

  /// Orders 4 and 5. `all` is minus the potential over 1 / s, `radial` has each term times the
  /// power of 1 / s that it is multiplied with, `along` is what else its gradient has, over 1 /
  /// s^2.
  template <class V>
  RIDGE_FN void add_many(const V* from, const V& near, const V* source, V* sum) const {
    const V at[3] = {from[0] * near, from[1] * near, from[2] * near};
    const V near2 = near * near;
    const V near4 = near2 * near2;
    const V near6 = near4 * near2;
    const V softened = softening_squared.as<V>() * near2;
    // Alone: sum m d^2 and sum m d^4.
    const V flat2 = source[9] * near4;
    const V flat4 = source[34] * near6;
    const V flat4s = V(-1.75) * softened * flat4;
    V all = fma(V(0.5), flat2, source[3]) + (flat4 + flat4s);
    V radial = fma(V(2.5), flat2, source[3]) + fma(V(7), flat4, V(9) * flat4s);
    // Vectors.
    const V of_third = V(-1.5) * near4;
    V pole[3] = {of_third * source[17], of_third * source[18], of_third * source[19]};
    V v = dot(pole, at);
    V rv = V(7) * v;
    if constexpr (Order == 5) {
      const V* const t = source + 53;
      const V w = dot(t, at) * near6;
      const V ws = V(-2.25) * softened * w;
      v += w + ws;
      rv = fma(V(11), ws, fma(V(9), w, rv));
      const V factor = fma(V(-2.25), softened, V(1)) * near6;
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        pole[c] = fma(factor, t[c], pole[c]);
    }
    all = fma(near, v, all);
    radial = fma(near, rv, radial);
    // Rank 2, that of sum m d^2 d d within.
    V tensor[11];
    V row[3];
    V h2[5];
    harmonics<2>(at, at, h2);
    RIDGE_UNROLL
    for (int k = 0; k < 5; ++k)
      tensor[k] = fma(source[29 + k], near4, source[4 + k]);
    rows<2>(tensor, at, row);
    V along[3] = {row[0], row[1], row[2]};
    V value = dot(row, at);
    V extra = dot_of<5>(source + 29, h2) * near4;
    all = fma(V(0.5) * near2, value, all);
    radial = fma(near2, fma(V(2.5), value, V(2) * extra), radial);
    // Rank 3, that of sum m d^2 d d d within.
    V h3[7];
    harmonics<3>(at, h2, h3);
    if constexpr (Order == 5) {
      RIDGE_UNROLL
      for (int k = 0; k < 7; ++k)
        tensor[k] = fma(source[46 + k], near4, source[10 + k]);
      rows<3>(tensor, h2, row);
      extra = dot_of<7>(source + 46, h3) * near4;
    } else {
      rows<3>(source + 10, h2, row);
    }
    value = dot(row, at);
    V factor = near2 * near;
    all = fma(V(-0.5) * factor, value, all);
    value = V(3.5) * value;
    if constexpr (Order == 5) value = fma(V(2), extra, value);
    radial = fma(-factor, value, radial);
    factor = V(-1.5) * near;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      along[c] = fma(factor, row[c], along[c]);
    // Rank 4.
    rows<4>(source + 20, h3, row);
    value = dot(row, at) * near4;
    all += value;
    radial = fma(V(9), value, radial);
    factor = V(4) * near2;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      along[c] = fma(factor, row[c], along[c]);
    if constexpr (Order == 5) {
      V h4[9];
      harmonics<4>(at, h3, h4);
      rows<5>(source + 35, h4, row);
      value = dot(row, at) * near4 * near;
      all -= value;
      radial = fma(V(-11), value, radial);
      factor = V(-5) * near2 * near;
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        along[c] = fma(factor, row[c], along[c]);
    }
    const V of_pole = near2 * near;
    const V of_along = of_pole * near;
    radial = radial * near2;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      sum[c] = fma(at[c], radial, fma(-of_along, along[c], fma(-of_pole, pole[c], sum[c])));
    sum[3] = fma(-near, all, sum[3]);
  }
};

} // namespace ridge::pairs
