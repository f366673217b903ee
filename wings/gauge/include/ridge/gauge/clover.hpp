// The Wilson operator with the clover term, on stored fields. The term is hermitian and has a block
// of 6 x 6 numbers for each chirality: 36 real ones each.
//
//   out(x) = C(x) source(x) + hop H psi(x)                   or, `after` the hop,
//   out(x) = C(x) (diagonal source(x) + hop H psi(x))        with C = A^-1, of even-odd solvers
//
// H is the hopping term of ridge/gauge/dslash.hpp. ridge/gauge/clover_term.hpp makes C of links.
#pragma once

#include <ridge/gauge/clover_block.hpp>
#include <ridge/gauge/dslash.hpp>

namespace ridge::gauge {

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
    add_clover<0>(sum, at.read_once(upper, at.here()).value, x);
    add_clover<6>(sum, at.read_once(lower, at.here()).value, x);
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
};

} // namespace ridge::gauge
