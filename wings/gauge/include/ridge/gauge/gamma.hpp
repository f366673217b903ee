// The gamma matrices of DeGrand and Rossi on spinors, and the projections 1 - s gamma_mu.
//
//   gamma_0 = ( . . . i )  gamma_1 = ( . . . - )  gamma_2 = ( . . i . )  gamma_3 = ( . . 1 . )
//             ( . . i . )            ( . . + . )            ( . . . -i)            ( . . . 1 )
//             ( . -i. . )            ( . + . . )            ( -i. . . )            ( 1 . . . )
//             ( -i. . . )            ( - . . . )            ( . i . . )            ( . 1 . . )
//
// gamma_5 = gamma_0 gamma_1 gamma_2 gamma_3 = diag(1, 1, -1, -1). Each gamma_mu takes the upper
// half of a spinor to the lower one and back, so that a projection has two independent spin
// components.
//
// All functions work on one site and on packs of sites: V is a number or a pack.
#pragma once

#include <ridge/lattice/tensor.hpp>

namespace ridge::gauge {

using lattice::ColourMatrix;
using lattice::ColourVector;
using lattice::Complex;
using lattice::Spinor;

inline constexpr int dimensions = 4;
inline constexpr int colours = 3;
inline constexpr int spins = 4;

inline namespace RIDGE_TARGET_NAME {

/// Two spin components of three colours.
template <class V>
using HalfSpinor = lattice::Vector<ColourVector<V>, 2>;

/// The upper half of (1 - s gamma_mu) psi, for s = 1 or -1.
template <int Mu, class V>
RIDGE_FN HalfSpinor<V> projected(const Spinor<V>& psi, const V& s) {
  static_assert(Mu >= 0 && Mu < dimensions);
  HalfSpinor<V> h;
  RIDGE_UNROLL
  for (int c = 0; c < colours; ++c) {
    const Complex<V>&u = psi(0)(c), &v = psi(1)(c), &a = psi(2)(c), &b = psi(3)(c);
    if constexpr (Mu == 0) {
      h(0)(c) = {u.re + s * b.im, u.im - s * b.re};
      h(1)(c) = {v.re + s * a.im, v.im - s * a.re};
    } else if constexpr (Mu == 1) {
      h(0)(c) = {u.re + s * b.re, u.im + s * b.im};
      h(1)(c) = {v.re - s * a.re, v.im - s * a.im};
    } else if constexpr (Mu == 2) {
      h(0)(c) = {u.re + s * a.im, u.im - s * a.re};
      h(1)(c) = {v.re - s * b.im, v.im + s * b.re};
    } else {
      h(0)(c) = {u.re - s * a.re, u.im - s * a.im};
      h(1)(c) = {v.re - s * b.re, v.im - s * b.im};
    }
  }
  return h;
}

/// sum += w (h, rest), the spinor whose upper half is h = projected<Mu>(psi, s): its lower half
/// follows, because (1 - s gamma_mu) psi = v has gamma_mu v = -s v.
template <int Mu, class V>
RIDGE_FN void add_whole(Spinor<V>& sum, const HalfSpinor<V>& h, const V& s, const V& w) {
  static_assert(Mu >= 0 && Mu < dimensions);
  const V sw = s * w;
  RIDGE_UNROLL
  for (int c = 0; c < colours; ++c) {
    const Complex<V>&x = h(0)(c), &y = h(1)(c);
    Complex<V>&u = sum(0)(c), &v = sum(1)(c), &a = sum(2)(c), &b = sum(3)(c);
    u = {u.re + w * x.re, u.im + w * x.im};
    v = {v.re + w * y.re, v.im + w * y.im};
    if constexpr (Mu == 0) {
      a = {a.re - sw * y.im, a.im + sw * y.re};
      b = {b.re - sw * x.im, b.im + sw * x.re};
    } else if constexpr (Mu == 1) {
      a = {a.re - sw * y.re, a.im - sw * y.im};
      b = {b.re + sw * x.re, b.im + sw * x.im};
    } else if constexpr (Mu == 2) {
      a = {a.re - sw * x.im, a.im + sw * x.re};
      b = {b.re + sw * y.im, b.im - sw * y.re};
    } else {
      a = {a.re - sw * x.re, a.im - sw * x.im};
      b = {b.re - sw * y.re, b.im - sw * y.im};
    }
  }
}

/// U h, term by term, so that each product is fused with the sum before: products of complex
/// numbers that are added take half as many operations again.
template <class V>
RIDGE_FN HalfSpinor<V> times(const ColourMatrix<V>& u, const HalfSpinor<V>& h) {
  HalfSpinor<V> result;
  RIDGE_UNROLL
  for (int spin = 0; spin < 2; ++spin) {
    RIDGE_UNROLL
    for (int row = 0; row < colours; ++row) {
      V re = u(row, 0).re * h(spin)(0).re;
      V im = u(row, 0).re * h(spin)(0).im;
      re = re - u(row, 0).im * h(spin)(0).im;
      im = im + u(row, 0).im * h(spin)(0).re;
      RIDGE_UNROLL
      for (int k = 1; k < colours; ++k) {
        re = re + u(row, k).re * h(spin)(k).re;
        im = im + u(row, k).re * h(spin)(k).im;
        re = re - u(row, k).im * h(spin)(k).im;
        im = im + u(row, k).im * h(spin)(k).re;
      }
      result(spin)(row) = {re, im};
    }
  }
  return result;
}

/// gamma_5 psi.
template <class V>
RIDGE_FN Spinor<V> gamma5(Spinor<V> psi) {
  RIDGE_UNROLL
  for (int spin = 2; spin < spins; ++spin) {
    RIDGE_UNROLL
    for (int c = 0; c < colours; ++c)
      psi(spin)(c) = {-psi(spin)(c).re, -psi(spin)(c).im};
  }
  return psi;
}

/// The spinor of zeros.
template <class V>
RIDGE_FN Spinor<V> zero_spinor() {
  Spinor<V> zero;
  RIDGE_UNROLL
  for (int c = 0; c < spins * colours; ++c)
    component(zero, c) = {V(0), V(0)};
  return zero;
}

/// sum += w (1 - s gamma_mu) U psi: two products with the link do for four spin components.
template <int Mu, class V>
RIDGE_CALL void add_hop(Spinor<V>& sum, const ColourMatrix<V>& link, const Spinor<V>& psi,
                        const V& s, const V& w) {
  add_whole<Mu>(sum, times(link, projected<Mu>(psi, s)), s, w);
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::gauge
