// The staggered operator (Kogut and Susskind) on stored fields, a colour vector a site:
//
//   out(x) = diagonal source(x) + hop sum over mu of (V_mu(x) psi(x + mu) - V_mu(x - mu)^+ psi(x -
//   mu))
//
// The links V hold the phases: V_mu(x) = eta_mu(x) U_mu(x), eta_mu(x) = (-1)^(x_0 + ... + x_(mu -
// 1)), and are stored with all 18 numbers, for their determinant is 1 or -1. D = m + hopping / 2
// has diagonal m, hop 1/2; its adjoint has -1/2.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/code.hpp>

namespace ridge::gauge {

/// eta_mu at coordinates x: 1 or -1.
template <class X>
[[nodiscard]] int staggered_phase(const X& x, int mu) {
  int sum = 0;
  for (int d = 0; d < mu; ++d)
    sum += static_cast<int>(x[d]);
  return sum % 2 == 0 ? 1 : -1;
}

template <class Number>
struct Staggered {
  using Real = typename lattice::StoredNumber<Number>::Real;
  using Fermion = ColourVector<Real>;
  using Link = ColourMatrix<Real>;
  static constexpr const char* name = "staggered";
  static constexpr const char* form = "links of 18 numbers with phases";
  static constexpr bool fixed = false;
  static constexpr int inner_ahead[1] = {1};

  lattice::StoredView<const Link, Number> links[2][dimensions]; ///< of out's sites, and of psi's
  lattice::StoredView<const Fermion, Number> psi, source;
  lattice::StoredView<Fermion, Number> out;
  Real hop = 1, diagonal = 0;
  Real boundary[dimensions] = {1, 1, 1, 1};

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    ColourVector<V> sum;
    RIDGE_UNROLL
    for (int c = 0; c < colours; ++c)
      sum(c) = {V(Real(0)), V(Real(0))};
    both_hops<0>(at, sum);
    both_hops<1>(at, sum);
    both_hops<2>(at, sum);
    both_hops<3>(at, sum);
    const V h(hop);
    RIDGE_UNROLL
    for (int c = 0; c < colours; ++c)
      sum(c) = {h * sum(c).re, h * sum(c).im};
    if (source.elements.data != nullptr) {
      const auto here = at.read(source, at.here());
      const V d(diagonal);
      RIDGE_UNROLL
      for (int c = 0; c < colours; ++c)
        sum(c) = {sum(c).re + d * here.value(c).re, sum(c).im + d * here.value(c).im};
    }
    at.write(out, sum);
    V squares(Real(0));
    if (sums) {
      RIDGE_UNROLL
      for (int c = 0; c < colours; ++c)
        squares = squares + sum(c).re * sum(c).re + sum(c).im * sum(c).im;
    }
    return squares;
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& parity : links) {
      for (const auto& link : parity)
        f(link, false);
    }
    f(psi, false), f(source, true), f(out, false);
  }
  /// Operations a result, as QUDA counts them: 8 products of 66, 7 sums of 6.
  [[nodiscard]] double flops() const {
    return 570 + (source.elements.data != nullptr ? 12 : 0) + (hop != 1 ? 6 : 0);
  }

private:
  template <int Mu, class At, class V>
  RIDGE_FN void both_hops(const At& at, ColourVector<V>& sum) const {
    const V factor(boundary[Mu]);
    {
      const auto there = at.template next<Mu, 1>();
      const auto u = at.read_once(links[0][Mu], at.here());
      add(sum, u.value, at.read(psi, there).value, at.edge(there, factor));
    }
    {
      const auto there = at.template next<Mu, -1>();
      const auto u = at.read_once(links[1][Mu], there);
      add(sum, adj(u.value), at.read(psi, there).value, -at.edge(there, factor));
    }
  }
  /// sum += w U x.
  template <class V>
  static RIDGE_FN void add(ColourVector<V>& sum, const ColourMatrix<V>& u, const ColourVector<V>& x,
                           const V& w) {
    RIDGE_UNROLL
    for (int row = 0; row < colours; ++row) {
      V re = u(row, 0).re * x(0).re;
      V im = u(row, 0).re * x(0).im;
      re = re - u(row, 0).im * x(0).im;
      im = im + u(row, 0).im * x(0).re;
      RIDGE_UNROLL
      for (int k = 1; k < colours; ++k) {
        re = re + u(row, k).re * x(k).re;
        im = im + u(row, k).re * x(k).im;
        re = re - u(row, k).im * x(k).im;
        im = im + u(row, k).im * x(k).re;
      }
      sum(row) = {sum(row).re + w * re, sum(row).im + w * im};
    }
  }
};

} // namespace ridge::gauge
