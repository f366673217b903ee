// Wilson and domain-wall operators on stored fields: one kernel for whole and half lattices, every
// storage, four dimensions and five.
//
//   out(x, s) = diagonal source(x, s) + r (also other(x, s) + hop H psi(x, s))
//             + walls (P_- source(x, s + 1) + P_+ source(x, s - 1)),  P_+- = (1 +- gamma_5) / 2
//
// H is the hopping term of ridge/gauge/wilson.hpp at each s. Across the walls of the fifth
// dimension, between s = 0 and the last, the factor is -mass. For sign = -1 it is H^+, and P_+ and
// P_- change places. Ways around the lattice along mu have the factor boundary[mu]: 1 periodic, -1
// antiperiodic, 0 cut. Of a half lattice psi has the other parity than out, source and other
// the same. r is 1, or above / below, numbers that the device has found. The launch may add up
// |out|^2: so the last operator of an iteration of conjugate gradients updates the residual and
// gives its norm.
//
//   Wilson, mass m         diagonal m + 4, hop -1/2 (or by kappa: 1, -kappa)
//   domain wall (Shamir)   diagonal 5 - M5, hop -1/2, walls -1, mass m
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/code.hpp>

namespace ridge::gauge {

/// `Number`: double, float or lattice::Fixed16, of spinors and links; `LinkReals`: 18, or 12 for
/// the first two rows.
template <class Number, int LinkReals>
struct Dslash {
  using Real = typename lattice::StoredNumber<Number>::Real;
  using Link = ColourMatrix<Real>;
  using Fermion = Spinor<Real>;
  using LinkView = lattice::StoredView<const Link, Number, LinkReals>;
  static constexpr const char* name = "dslash";
  static constexpr const char* form =
      LinkReals == 18 ? "links of 18 numbers" : "links of 12 numbers";
  static constexpr bool fixed = lattice::StoredNumber<Number>::fixed;
  /// Values a site that kernels are compiled for ahead: of a field, the layers of domain walls in
  /// fp32 and, on real GPUs, the columns that a solve takes at once.
  struct Inner {
#if defined(RIDGE_TARGET_SIMT)
    static constexpr bool columns = false;
#else
    static constexpr bool columns = !fixed && LinkReals == 18;
#endif
    static constexpr bool layers = !fixed && LinkReals == 18 && sizeof(Real) == 4;
    int value[3] = {1, columns ? 12 : 16, 16};
    constexpr const int* begin() const { return value; }
    constexpr const int* end() const { return value + 1 + columns + layers; }
  };
  static constexpr Inner inner_ahead{};

  LinkView links[2][dimensions]; ///< of out's sites, and of psi's
  lattice::StoredView<const Fermion, Number> psi, source, other;
  lattice::StoredView<Fermion, Number> out;
  Real hop = 1, diagonal = 0, also = 0, walls = 0, mass = 0;
  Span<const double> above, below;
  Real sign = 1;
  Real boundary[dimensions] = {1, 1, 1, 1};

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    Spinor<V> sum = hopping(at);
    if (source.elements.data != nullptr) {
      Real ratio = 1;
      if (above.data != nullptr) ratio = static_cast<Real>(at.number(above) / at.number(below));
      scale(sum, V(hop * ratio));
      const auto here = at.read(source, at.here());
      add(sum, here.value, V(diagonal) * here.scale);
      if (other.elements.data != nullptr) {
        const auto more = at.read(other, at.here());
        add(sum, more.value, V(also * ratio) * more.scale);
      }
      if (walls != 0) add_walls(at, sum);
    } else if (hop != 1) {
      scale(sum, V(hop));
    }
    at.write(out, sum);
    V squares(Real(0));
    if (sums) squares = squares_of(sum);
    return squares;
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& parity : links) {
      for (const auto& link : parity)
        f(link, false);
    }
    f(psi, false);
    f(source, walls == 0);
    f(other, true);
    f(out, false);
  }
  /// Operations a result.
  [[nodiscard]] double flops() const {
    return 1320 +
           (source.elements.data != nullptr ? 48
            : hop != 1                      ? 24
                                            : 0) +
           (walls != 0 ? 48 : 0);
  }

  /// H psi, or H^+ psi.
  template <class At>
  RIDGE_FN auto hopping(const At& at) const {
    using V = typename At::template Value<Real>;
    Spinor<V> sum = zero_spinor<V>();
    const V s(sign);
    both_hops<0>(at, sum, s);
    both_hops<1>(at, sum, s);
    both_hops<2>(at, sum, s);
    both_hops<3>(at, sum, s);
    return sum;
  }
  template <class V>
  static RIDGE_FN V squares_of(const Spinor<V>& sum) {
    V squares(Real(0));
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c) {
      const Complex<V>& z = component(sum, c);
      squares = squares + z.re * z.re + z.im * z.im;
    }
    return squares;
  }
  template <class V>
  static RIDGE_FN void scale(Spinor<V>& sum, const V& by) {
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(sum, c) = {by * component(sum, c).re, by * component(sum, c).im};
  }
  /// sum += w x, of the spin components [from, to).
  template <class V>
  static RIDGE_FN void add(Spinor<V>& sum, const Spinor<V>& x, const V& w, int from = 0,
                           int to = spins) {
    RIDGE_UNROLL
    for (int c = from * colours; c < to * colours; ++c)
      component(sum, c) = {component(sum, c).re + w * component(x, c).re,
                           component(sum, c).im + w * component(x, c).im};
  }

private:
  template <int Mu, class At, class V>
  RIDGE_FN void both_hops(const At& at, Spinor<V>& sum, const V& s) const {
    const V factor(boundary[Mu]);
    {
      const auto there = at.template next<Mu, 1>();
      const auto u = at.read_once(links[0][Mu], at.here());
      const auto p = at.read(psi, there);
      hop_by<Mu>(sum, u.value, p.value, s, u.scale * p.scale * at.edge(there, factor));
    }
    {
      const auto there = at.template next<Mu, -1>();
      const auto u = at.read_once(links[1][Mu], there);
      const auto p = at.read(psi, there);
      hop_by<Mu>(sum, adj(u.value), p.value, -s, u.scale * p.scale * at.edge(there, factor));
    }
  }
  /// In line: a call would take all three through memory.
  template <int Mu, class V>
  static RIDGE_FN void hop_by(Spinor<V>& sum, const ColourMatrix<V>& link, const Spinor<V>& p,
                              const V& s, const V& w) {
    add_whole<Mu>(sum, times(link, projected<Mu>(p, s)), s, w);
  }
  template <class At, class V>
  RIDGE_FN void add_walls(const At& at, Spinor<V>& sum) const {
    const V wall(-mass);
    const int by = sign < 0 ? -1 : 1;
    const auto before = at.inner_next(-by);
    const auto p = at.read(source, before);
    add(sum, p.value, V(walls) * p.scale * at.edge(before, wall), 0, 2);
    const auto after = at.inner_next(by);
    const auto q = at.read(source, after);
    add(sum, q.value, V(walls) * q.scale * at.edge(after, wall), 2, spins);
  }
};

} // namespace ridge::gauge
