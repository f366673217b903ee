// The Wilson operator with the clover term, on stored fields. The term is hermitian and has a block
// of 6 x 6 numbers for each chirality: 36 real ones each.
//
//   out(x) = C(x) source(x) + hop H psi(x)                   or, `after` the hop,
//   out(x) = C(x) (diagonal source(x) + hop H psi(x))        with C = A^-1, of even-odd solvers
//
// H is the hopping term of ridge/gauge/dslash.hpp. ridge/gauge/clover_term.hpp makes C of links.
#pragma once

#include <ridge/gauge/dslash.hpp>

namespace ridge::gauge {

/// A hermitian matrix of 6 x 6: the diagonal in pairs, then its lower triangle by rows.
template <class T>
using CloverBlock = lattice::Vector<Complex<T>, 18>;

/// Where element (i, j), i > j, is.
[[nodiscard]] RIDGE_FN constexpr int clover_place(int i, int j) {
  return 3 + i * (i - 1) / 2 + j;
}

/// `Number`: double or float.
template <class Number, int LinkReals>
struct Clover {
  using Plain = Dslash<Number, LinkReals>;
  using Real = typename Plain::Real;
  using Fermion = typename Plain::Fermion;
  using Block = CloverBlock<Real>;
  static constexpr const char* name = "clover";
  static constexpr const char* form = Plain::form;
  static constexpr bool fixed = false;
  static constexpr int inner_ahead[1] = {1};

  Plain plain; ///< links, psi, source, out, hop, diagonal, sign and boundary
  lattice::StoredView<const Block, Number> upper, lower;
  bool after = false;

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    Spinor<V> sum = plain.hopping(at);
    plain.scale(sum, V(plain.hop));
    Spinor<V> x = zero_spinor<V>();
    if (plain.source.elements.data != nullptr) {
      const auto here = at.read(plain.source, at.here());
      plain.add(x, here.value, after ? V(plain.diagonal) : V(Real(1)));
    }
    if (after) {
      plain.add(x, sum, V(Real(1)));
      sum = zero_spinor<V>();
    }
    add_product<0>(sum, at.read_once(upper, at.here()).value, x);
    add_product<6>(sum, at.read_once(lower, at.here()).value, x);
    at.write(plain.out, sum);
    V squares(Real(0));
    if (sums) squares = plain.squares_of(sum);
    return squares;
  }

  template <class F>
  void for_each_view(const F& f) const {
    plain.for_each_view(f);
    f(upper, false), f(lower, false);
  }
  /// Operations a result, as QUDA counts them.
  [[nodiscard]] double flops() const {
    return 1320 + 504 + (plain.source.elements.data != nullptr || plain.hop != 1 ? 48 : 0);
  }

private:
  /// Components [First, First + 6) of sum += a block times x.
  template <int First, class V>
  static RIDGE_FN void add_product(Spinor<V>& sum, const CloverBlock<V>& c, const Spinor<V>& x) {
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
};

} // namespace ridge::gauge
