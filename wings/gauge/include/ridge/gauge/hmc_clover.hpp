// The clover term in molecular dynamics: made of links on their device, inverted, applied, and its
// part of the force.
//
//   A = 1 + kappa csw (i / 2) sum of sigma_mu_nu F_mu_nu,   F = (Q - Q^+) / 8,   D = A - kappa H
//
// Q is the sum of the four leaves around a site. Even-odd, with S = A_ee - kappa^2 H A_oo^-1 H,
//
//   S(U) = phi^+ (S^+ S)^-1 phi - 2 log det A_oo,   dS(U) = 2 kappa Re Y^+ dH X
//                                                   - 2 Re (Y^+ dA X + tr_odd A^-1 dA)
//
// where X and Y are those of ridge/gauge/hmc_fermions.hpp with A_oo^-1 on odd sites. Every
// plaquette is a leaf of its four corners: V, by which Re tr V dQ is the last bracket, stands at
// each of them in the force of its links (Jansen and Liu, Comput. Phys. Commun. 99 (1997) 221).
#pragma once

#include <ridge/gauge/clover_links.hpp>
#include <ridge/gauge/rounded_math.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::gauge {

/// inverse = A^-1 and log = log (det A)^2 at chosen sites, by A = L D L^+.
struct InvertCloverTerm {
  static constexpr const char* name = "inverse clover term";
  static constexpr double flops = 2 * 6 * 6 * 6 * 8;

  lattice::SiteView<const CloverSite<double>> term;
  lattice::SiteView<CloverSite<double>> inverse;
  lattice::SiteView<Complex<double>> log;
  lattice::ChosenSites chosen;

  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    V determinant(1.0);
    RIDGE_NO_UNROLL
    for (int chirality = 0; chirality < 2; ++chirality)
      determinant = determinant * invert<V>(at, 18 * chirality);
    at.store(log, 0, {logarithms(determinant * determinant), V(0.0)});
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(term), f(inverse), f(log);
  }

private:
  template <class V>
  static RIDGE_FN V logarithms(const V& x) {
    if constexpr (std::is_arithmetic_v<V>) {
      return logarithm(x).v;
    } else {
      V all(0.0);
      for (int lane = 0; lane < lanes_of<V>; ++lane)
        all.set(lane, logarithm(x[lane]).v);
      return all;
    }
  }
  /// The block from component `first` on; its determinant.
  template <class V, class At>
  RIDGE_FN V invert(const At& at, int first) const {
    Complex<V> l[15], m[15];
    V d[6], determinant(1.0);
    factor(at, first, l, d);
    RIDGE_UNROLL
    for (int i = 0; i < 6; ++i)
      determinant = determinant * d[i];
    // M = L^-1, below its diagonal of 1.
    RIDGE_UNROLL
    for (int i = 1; i < 6; ++i) {
      RIDGE_UNROLL
      for (int j = 0; j < i; ++j) {
        Complex<V> sum = l[place(i, j)];
        RIDGE_UNROLL
        for (int k = j + 1; k < i; ++k)
          sum += l[place(i, k)] * m[place(k, j)];
        m[place(i, j)] = -sum;
      }
    }
    // M^+ D^-1 M.
    const auto element = [&](int i, int j) -> Complex<V> {
      Complex<V> sum(V(0.0), V(0.0));
      RIDGE_UNROLL
      for (int k = i; k < 6; ++k) {
        const Complex<V> right = k == j ? Complex<V>(V(1.0), V(0.0)) : m[place(k, j)];
        const V by = V(1.0) / d[k];
        sum += by * (k == i ? right : conj(m[place(k, i)]) * right);
      }
      return sum;
    };
    RIDGE_UNROLL
    for (int i = 0; i < 3; ++i)
      at.store(inverse, first + i, {element(2 * i, 2 * i).re, element(2 * i + 1, 2 * i + 1).re});
    RIDGE_UNROLL
    for (int i = 1; i < 6; ++i) {
      RIDGE_UNROLL
      for (int j = 0; j < i; ++j)
        at.store(inverse, first + clover_place(i, j), element(i, j));
    }
    return determinant;
  }
  /// L below its diagonal of 1, and D.
  template <class V, class At>
  RIDGE_FN void factor(const At& at, int first, Complex<V> (&l)[15], V (&d)[6]) const {
    RIDGE_UNROLL
    for (int j = 0; j < 6; ++j) {
      const Complex<V> pair = at.load(term, first + j / 2);
      V pivot = j % 2 == 0 ? pair.re : pair.im;
      RIDGE_UNROLL
      for (int k = 0; k < j; ++k) {
        const Complex<V>& z = l[place(j, k)];
        pivot = pivot - d[k] * (z.re * z.re + z.im * z.im);
      }
      d[j] = pivot;
      const V by = V(1.0) / pivot;
      RIDGE_UNROLL
      for (int i = j + 1; i < 6; ++i) {
        Complex<V> z = at.load(term, first + clover_place(i, j));
        RIDGE_UNROLL
        for (int k = 0; k < j; ++k)
          z -= d[k] * (l[place(i, k)] * conj(l[place(j, k)]));
        l[place(i, j)] = by * z;
      }
    }
  }
  static RIDGE_FN constexpr int place(int i, int j) { return i * (i - 1) / 2 + j; }
};

/// The operator at chosen sites: out = A here + hop H psi, or with A^-1 for A, and `after`, out =
/// hop A^-1 H psi; H^+ for sign = -1.
struct CloverAtSites {
  static constexpr const char* name = "clover, chosen sites";
  static constexpr double flops = hopping_flops + 504 + 48;

  lattice::SiteView<const ColourMatrix<double>> links[dimensions];
  lattice::SiteView<const Spinor<double>> psi, here;
  lattice::SiteView<const CloverSite<double>> term;
  lattice::SiteView<Spinor<double>> out;
  double hop = 1, sign = 1;
  bool after = false;
  lattice::ChosenSites chosen;

  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    Spinor<V> sum = hopping_term(at, links, psi, V(sign));
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(sum, c) = {V(hop) * component(sum, c).re, V(hop) * component(sum, c).im};
    Spinor<V> x = sum;
    if (after) {
      sum = zero_spinor<V>();
    } else {
      x = coalesced_read(at, here);
    }
    add_clover<0>(sum, block<V>(at, 0), x);
    add_clover<6>(sum, block<V>(at, 18), x);
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(here), f(term), f(out);
  }

private:
  template <class V, class At>
  RIDGE_FN CloverBlock<V> block(const At& at, int first) const {
    CloverBlock<V> c;
    RIDGE_UNROLL
    for (int i = 0; i < 18; ++i)
      c(i) = at.load(term, first + i);
    return c;
  }
};

/// out = V of each plane, antihermitian, at every site: i kappa csw / 8 times K, the hermitian
/// parts of tr_spin sigma_k (X Y^+ + A^-1) of both chiralities, added and subtracted.
struct CloverByLeaves {
  static constexpr const char* name = "clover by leaves";
  static constexpr double flops = 3 * 2 * 9 * 40;

  lattice::SiteView<const Spinor<double>> x, y;
  lattice::SiteView<const CloverSite<double>> inverse; ///< 0 where the force has no part of it
  lattice::SiteView<Planes<double>> out;
  double factor = 0; ///< kappa csw

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    by_sigma<1>(at, 3, 2, -factor / 8);
    by_sigma<2>(at, 1, 4, factor / 8);
    by_sigma<3>(at, 0, 5, -factor / 8);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(x), f(y), f(inverse), f(out);
  }

private:
  template <int K, class At>
  RIDGE_FN void by_sigma(const At& at, int added, int subtracted, double sign) const {
    using V = typename At::template Value<double>;
    RIDGE_NO_UNROLL
    for (int i = 0; i < 3; ++i) {
      RIDGE_NO_UNROLL
      for (int j = 0; j < 3; ++j) {
        const Complex<V> a = traced<K, V>(at, 0, i, j) + conj(traced<K, V>(at, 0, j, i));
        const Complex<V> b = traced<K, V>(at, 1, i, j) + conj(traced<K, V>(at, 1, j, i));
        at.store(out, 9 * added + 3 * i + j, times_i(V(factor / 8) * (a + b)));
        at.store(out, 9 * subtracted + 3 * i + j, times_i(V(sign) * (a - b)));
      }
    }
  }
  /// Element (i, j) in colours of tr_spin sigma_K N.
  template <int K, class V, class At>
  RIDGE_FN Complex<V> traced(const At& at, int chirality, int i, int j) const {
    if constexpr (K == 3) {
      return element<V>(at, chirality, i, j) - element<V>(at, chirality, i + 3, j + 3);
    } else {
      const Complex<V> a = element<V>(at, chirality, i, j + 3);
      const Complex<V> b = element<V>(at, chirality, i + 3, j);
      return K == 1 ? a + b : times_i(a - b);
    }
  }
  /// That of N = X Y^+ + A^-1.
  template <class V, class At>
  RIDGE_FN Complex<V> element(const At& at, int chirality, int i, int j) const {
    const Complex<V> product = at.load(x, 6 * chirality + i) * conj(at.load(y, 6 * chirality + j));
    const int first = 18 * chirality;
    if (i == j) {
      const Complex<V> pair = at.load(inverse, first + i / 2);
      return {product.re + (i % 2 == 0 ? pair.re : pair.im), product.im};
    }
    const Complex<V> z = at.load(inverse, first + clover_place(i > j ? i : j, i > j ? j : i));
    return product + (i > j ? z : conj(z));
  }
};

} // namespace ridge::gauge
