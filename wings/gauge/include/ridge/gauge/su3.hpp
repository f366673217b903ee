// SU(3) on the host: matrices made special unitary, the product's third row, random elements.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/lattice/tensor.hpp>

#include <cmath>
#include <cstdint>

namespace ridge::gauge {

/// Makes the rows of a matrix orthonormal (Gram and Schmidt, from the first on) and its determinant
/// 1: the third row is the conjugate of the cross product of the others. The first two rows must be
/// linearly independent.
template <class T>
void make_special_unitary(lattice::ColourMatrix<T>& m) {
  using C = lattice::Complex<T>;
  for (int row = 0; row < 2; ++row) {
    for (int before = 0; before < row; ++before) {
      C overlap(T(0));
      for (int j = 0; j < 3; ++j)
        overlap = overlap + conj(m(before, j)) * m(row, j);
      for (int j = 0; j < 3; ++j)
        m(row, j) = m(row, j) - overlap * m(before, j);
    }
    T norm = 0;
    for (int j = 0; j < 3; ++j)
      norm += m(row, j).re * m(row, j).re + m(row, j).im * m(row, j).im;
    for (int j = 0; j < 3; ++j)
      m(row, j) = (T(1) / std::sqrt(norm)) * m(row, j);
  }
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3;
    const int l = (j + 2) % 3;
    m(2, j) = conj(m(0, k) * m(1, l) - m(0, l) * m(1, k));
  }
}

/// The largest magnitude of a real number of U U^+ - 1 and of det U - 1: how far a link is from
/// SU(3). NaN where the link has one.
[[nodiscard]] inline double distance_from_su3(const lattice::ColourMatrix<double>& m) {
  using C = lattice::Complex<double>;
  double worst = 0;
  const auto take = [&](const C& z) {
    for (const double x : {z.re, z.im})
      worst = std::isnan(x) || std::abs(x) > worst ? std::abs(x) : worst;
  };
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      C product(i == j ? -1.0 : 0.0);
      for (int k = 0; k < 3; ++k)
        product = product + m(i, k) * conj(m(j, k));
      take(product);
    }
  }
  C determinant(-1.0);
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3;
    const int l = (j + 2) % 3;
    determinant = determinant + m(2, j) * (m(0, k) * m(1, l) - m(0, l) * m(1, k));
  }
  take(determinant);
  return worst;
}

/// A random element of SU(3) that depends on `seed` and `index` alone: `spread` R + 1, made special
/// unitary, where R has numbers uniform in [-1, 1). Without the 1 where spread is 1 or more.
[[nodiscard]] inline lattice::ColourMatrix<double>
random_su3(std::uint64_t seed, std::int64_t index, double spread = 1) {
  lattice::ColourMatrix<double> m;
  for (int k = 0; k < 9; ++k) {
    const std::int64_t at = (index * 9 + k) * 2;
    const double one = spread < 1 && k % 4 == 0 ? 1 : 0;
    component(m, k) = {spread * random_value(seed, at) + one, spread * random_value(seed, at + 1)};
  }
  make_special_unitary(m);
  return m;
}

} // namespace ridge::gauge
