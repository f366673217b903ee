// The Wilson operator on fields of a whole lattice.
//
//   H psi(x)  = sum over mu of (1 - gamma_mu) U_mu(x) psi(x + mu)
//                            + (1 + gamma_mu) U_mu(x - mu)^+ psi(x - mu)
//   D psi     = diagonal psi + hop H psi
//
// By kappa: diagonal 1, hop -kappa. By mass: diagonal mass + 4, hop -1/2; the two differ by the
// factor 2 kappa, with kappa = 1 / (2 (mass + 4)). D^+ has the signs of gamma_mu turned; it is
// gamma_5 D gamma_5. Boundaries lie in the links (ridge/gauge/links.hpp).
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/site_access.hpp>

namespace ridge::gauge {

/// The two numbers of a Wilson operator.
struct WilsonNumbers {
  double diagonal = 1, hop = 1;
};
[[nodiscard]] constexpr WilsonNumbers by_kappa(double kappa) {
  return {1, -kappa};
}
[[nodiscard]] constexpr WilsonNumbers by_mass(double mass) {
  return {mass + 4, -0.5};
}

inline namespace RIDGE_TARGET_NAME {

template <int Mu, class V, class At, class Links, class Psi>
RIDGE_FN void add_both_hops(const At& at, Spinor<V>& sum, const Links& links, const Psi& psi,
                            const V& sign) {
  const V one(1);
  const auto ahead = at.shifted(Mu, 1);
  add_hop<Mu>(sum, coalesced_read(at, links[Mu]), coalesced_read(ahead, psi), sign, one);
  const auto behind = at.shifted(Mu, -1);
  add_hop<Mu>(sum, adj(coalesced_read(behind, links[Mu])), coalesced_read(behind, psi), -sign, one);
}

/// H psi at a site, or H^+ psi for sign = -1. `links`: four views; `psi`: one.
template <class V, class At, class Links, class Psi>
RIDGE_FN Spinor<V> hopping_term(const At& at, const Links& links, const Psi& psi, const V& sign) {
  Spinor<V> sum = zero_spinor<V>();
  add_both_hops<0>(at, sum, links, psi, sign);
  add_both_hops<1>(at, sum, links, psi, sign);
  add_both_hops<2>(at, sum, links, psi, sign);
  add_both_hops<3>(at, sum, links, psi, sign);
  return sum;
}

} // namespace RIDGE_TARGET_NAME

/// Operations of the hopping term a site, as Grid and QUDA count them: 8 projections, 16 products
/// of links and vectors, 7 sums of spinors.
inline constexpr double hopping_flops = 1320;

/// out = H psi, or H^+ psi for sign = -1.
template <class T>
struct Hopping {
  using Link = ColourMatrix<T>;
  using Fermion = Spinor<T>;
  static constexpr const char* name = "hopping";
  static constexpr double flops = hopping_flops;

  lattice::SiteView<const Link> links[dimensions];
  lattice::SiteView<const Fermion> psi;
  lattice::SiteView<Fermion> out;
  T sign = 1;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<T>;
    coalesced_write(at, out, hopping_term(at, links, psi, V(sign)));
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(out);
  }
};

/// out = D psi, or D^+ psi for sign = -1.
template <class T>
struct Wilson {
  using Link = ColourMatrix<T>;
  using Fermion = Spinor<T>;
  static constexpr const char* name = "wilson";
  static constexpr double flops = hopping_flops + 48;

  lattice::SiteView<const Link> links[dimensions];
  lattice::SiteView<const Fermion> psi;
  lattice::SiteView<Fermion> out;
  T diagonal = 1, hop = 1;
  T sign = 1;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<T>;
    auto sum = hopping_term(at, links, psi, V(sign));
    const auto here = coalesced_read(at, psi);
    const V d(diagonal), h(hop);
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(sum, c) = {d * component(here, c).re + h * component(sum, c).re,
                           d * component(here, c).im + h * component(sum, c).im};
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(out);
  }
};

} // namespace ridge::gauge
