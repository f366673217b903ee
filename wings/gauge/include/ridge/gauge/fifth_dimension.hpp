// A matrix in the fifth dimension at every site, one for each chirality:
//
//   out(x, s) = diagonal source(x, s) + factor sum over t of (P_+ U(s, t) + P_- L(s, t)) psi(x, t)
//
// P_+- = (1 +- gamma_5) / 2: `upper` is U, for spin components 0 and 1, `lower` is L. Column t of a
// matrix is at t * stride. Domain-wall operators are made of these and of Dslash
// (ridge/gauge/domain_wall.hpp).
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/code.hpp>

namespace ridge::gauge {

template <class Number>
struct FifthDimension {
  using Real = typename lattice::StoredNumber<Number>::Real;
  using Fermion = Spinor<Real>;
  static constexpr const char* name = "fifth dimension";
  static constexpr const char* form = "a matrix for each chirality";
  static constexpr bool fixed = false;
  static constexpr int inner_ahead[1] = {16};

  lattice::StoredView<const Fermion, Number> psi, source;
  lattice::StoredView<Fermion, Number> out;
  Span<const Real> upper, lower;
  int values = 1, stride = 1;
  Real factor = 1, diagonal = 0;

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    Spinor<V> sum = zero_spinor<V>();
    for (int t = 0; t < values; ++t) {
      const auto there = at.read_inner(psi, t);
      const V u = at.inner_number(upper, t * stride), l = at.inner_number(lower, t * stride);
      RIDGE_UNROLL
      for (int c = 0; c < spins * colours; ++c) {
        const V& weight = c < spins * colours / 2 ? u : l;
        const auto& z = component(there.value, c);
        component(sum, c) = {component(sum, c).re + weight * z.re,
                             component(sum, c).im + weight * z.im};
      }
    }
    const V f(factor);
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(sum, c) = {f * component(sum, c).re, f * component(sum, c).im};
    if (source.elements.data != nullptr) {
      const V d(diagonal);
      const auto here = at.read(source, at.here());
      RIDGE_UNROLL
      for (int c = 0; c < spins * colours; ++c) {
        const auto& z = component(here.value, c);
        component(sum, c) = {component(sum, c).re + d * z.re, component(sum, c).im + d * z.im};
      }
    }
    at.write(out, sum);
    V squares(Real(0));
    if (sums) {
      RIDGE_UNROLL
      for (int c = 0; c < spins * colours; ++c) {
        const Complex<V>& z = component(sum, c);
        squares = squares + z.re * z.re + z.im * z.im;
      }
    }
    return squares;
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(psi, false), f(source, true), f(out, false);
  }
  /// Operations a result.
  [[nodiscard]] double flops() const {
    return 48.0 * values + (source.elements.data != nullptr ? 72 : 24);
  }
};

} // namespace ridge::gauge
