// The vector part of an iteration of conjugate gradients on stored fields, in one pass:
//
//   x += (rp / pAp) p,   p = r + (new_rr / rr) p
//
// The numbers are those that the device has found: rr = |r|^2 before, new_rr after, rp = r.p, which
// is rr but where r was computed anew, pAp = p.A p.
// The launch may add up |p|^2.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/code.hpp>

namespace ridge::gauge {

template <class Number>
struct CgStep {
  using Real = typename lattice::StoredNumber<Number>::Real;
  using Fermion = Spinor<Real>;
  static constexpr const char* name = "cg step";
  static constexpr const char* form = "three spinors";
  static constexpr bool fixed = lattice::StoredNumber<Number>::fixed;
  static constexpr int inner_ahead[1] = {1};

  lattice::StoredView<const Fermion, Number> r;
  lattice::StoredView<Fermion, Number> x, p;
  Span<const double> rr, new_rr, pap, rp;

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    const double before = at.number(rr);
    const V alpha(static_cast<Real>(at.number(rp) / at.number(pap)));
    const V beta(static_cast<Real>(at.number(new_rr) / before));
    const auto there = at.here();
    const auto rs = at.read(r, there);
    const auto xs = at.read(x, there);
    const auto ps = at.read(p, there);
    Spinor<V> to_x, to_p;
    const V by_x = alpha * ps.scale, by_p = beta * ps.scale;
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c) {
      const auto &a = component(rs.value, c), &b = component(xs.value, c),
                 &d = component(ps.value, c);
      component(to_x, c) = {xs.scale * b.re + by_x * d.re, xs.scale * b.im + by_x * d.im};
      component(to_p, c) = {rs.scale * a.re + by_p * d.re, rs.scale * a.im + by_p * d.im};
    }
    at.write(x, to_x);
    at.write(p, to_p);
    V squares(Real(0));
    if (sums) {
      RIDGE_UNROLL
      for (int c = 0; c < spins * colours; ++c) {
        const Complex<V>& z = component(to_p, c);
        squares = squares + z.re * z.re + z.im * z.im;
      }
    }
    return squares;
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(r, false), f(x, false), f(p, false);
  }
  [[nodiscard]] double flops() const { return 96; }
};

} // namespace ridge::gauge
