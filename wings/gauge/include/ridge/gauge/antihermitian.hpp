// Links of zeros, written links, and traceless antihermitian parts, in kernels of molecular
// dynamics.
#pragma once

#include <ridge/gauge/rounded_link.hpp>

namespace ridge::gauge::inline RIDGE_TARGET_NAME {

/// p += factor times the traceless antihermitian part of a.
template <class Number>
RIDGE_FN void add_antihermitian(lattice::ColourMatrix<Number>& p,
                                const lattice::ColourMatrix<Number>& a, const Number& factor) {
  const Number half = Number(0.5) * factor;
  const Number third = (a(0, 0).im + a(1, 1).im + a(2, 2).im) * Number(1.0 / 3);
  RIDGE_UNROLL
  for (int i = 0; i < 3; ++i) {
    RIDGE_UNROLL
    for (int j = 0; j < 3; ++j) {
      const Number trace = i == j ? third + third : Number(0.0);
      p(i, j).re = p(i, j).re + half * (a(i, j).re - a(j, i).re);
      p(i, j).im = p(i, j).im + half * (a(i, j).im + a(j, i).im - trace);
    }
  }
}

template <class V>
RIDGE_FN RoundedLink<V> zero_link() {
  RoundedLink<V> zero;
  RIDGE_UNROLL
  for (int c = 0; c < 9; ++c)
    component(zero, c) = {Rounded<V>(0.0), Rounded<V>(0.0)};
  return zero;
}

template <class At, class V>
RIDGE_FN void rounded_write(const At& at,
                            const lattice::SiteView<lattice::ColourMatrix<double>>& to,
                            const RoundedLink<V>& link) {
  RIDGE_UNROLL
  for (int c = 0; c < 9; ++c)
    at.store(to, c, {component(link, c).re.v, component(link, c).im.v});
}

} // namespace ridge::gauge::inline RIDGE_TARGET_NAME
