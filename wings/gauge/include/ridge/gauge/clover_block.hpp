// Blocks of the clover term: hermitian matrices of 6 x 6, one for each chirality of a site.
#pragma once

#include <ridge/gauge/gamma.hpp>

namespace ridge::gauge {

/// A hermitian matrix of 6 x 6: the diagonal in pairs, then its lower triangle by rows.
template <class T>
using CloverBlock = lattice::Vector<Complex<T>, 18>;

/// Where element (i, j), i > j, is.
[[nodiscard]] RIDGE_FN constexpr int clover_place(int i, int j) {
  return 3 + i * (i - 1) / 2 + j;
}

inline namespace RIDGE_TARGET_NAME {

/// Components [First, First + 6) of sum += a block times x.
template <int First, class V>
RIDGE_FN void add_clover(Spinor<V>& sum, const CloverBlock<V>& c, const Spinor<V>& x) {
  RIDGE_UNROLL
  for (int i = 0; i < 6; ++i) {
    const Complex<V>& pair = c(i / 2);
    const V& d = i % 2 == 0 ? pair.re : pair.im;
    V re = component(sum, First + i).re + d * component(x, First + i).re;
    V im = component(sum, First + i).im + d * component(x, First + i).im;
    RIDGE_UNROLL
    for (int j = 0; j < 6; ++j) {
      if (j == i) continue;
      const Complex<V>& l = c(j < i ? clover_place(i, j) : clover_place(j, i));
      const Complex<V>& y = component(x, First + j);
      const V li = j < i ? l.im : -l.im;
      re = re + l.re * y.re;
      im = im + l.re * y.im;
      re = re - li * y.im;
      im = im + li * y.re;
    }
    component(sum, First + i) = {re, im};
  }
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::gauge
