// Outer products of fermions, by which sums over hops change with links.
//
// With D psi(x) = ... + hop sum over mu of ((1 - gamma_mu) U_mu(x) psi(x + mu) + (1 + gamma_mu)
// U_mu(x - mu)^+ psi(x - mu)) and L = Re sum of w^+ D psi, for links that are any complex matrices,
//
//   dL/dRe U + i dL/dIm U = hop tr_spin (w(x) ((1 - gamma_mu) psi(x + mu))^+
//                                        + (1 + gamma_mu) psi(x) w(x + mu)^+)
//
// (Gattringer and Lang, Quantum Chromodynamics on the Lattice, section 8.3). The staggered
// operator, hop sum of (V psi(x + mu) - V^+ psi(x - mu)), has no gamma_mu and the other sign in the
// second term.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/site_access.hpp>

#include <type_traits>

namespace ridge::gauge {

inline namespace RIDGE_TARGET_NAME {

/// sum(i, j) += w a_i conj(b_j).
template <class V>
RIDGE_FN void add_outer(ColourMatrix<V>& sum, const ColourVector<V>& a, const ColourVector<V>& b,
                          const V& w) {
  RIDGE_UNROLL
  for (int i = 0; i < colours; ++i) {
    RIDGE_UNROLL
    for (int j = 0; j < colours; ++j)
      sum(i, j) = sum(i, j) + w * (a(i) * conj(b(j)));
  }
}

/// The same, summed over spins.
template <class V>
RIDGE_CALL void add_outer(ColourMatrix<V>& sum, const Spinor<V>& a, const Spinor<V>& b,
                          const V& w) {
  RIDGE_NO_UNROLL
  for (int spin = 0; spin < spins; ++spin)
    add_outer(sum, a(spin), b(spin), w);
}

} // namespace RIDGE_TARGET_NAME

/// out_mu += factor times the gradient above, along all directions, of spinors (Wilson) or colour
/// vectors (staggered).
template <class Fermion>
struct HopsByLinks {
  static constexpr bool has_spin = std::is_same_v<Fermion, Spinor<double>>;
  static constexpr const char* name = "hops by links";
  static constexpr double flops = 4 * (has_spin ? 2 * (2 * 12 + 4 * 9 * 10) : 2 * 9 * 10);

  lattice::SiteView<const Fermion> psi, w;
  lattice::SiteView<ColourMatrix<double>> out[dimensions];
  double factor = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    add<0>(at);
    add<1>(at);
    add<2>(at);
    add<3>(at);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(psi), f(w);
    for (const auto& one : out)
      f(one);
  }

private:
  template <int Mu, class At>
  RIDGE_FN void add(const At& at) const {
    using V = typename At::template Value<double>;
    const auto ahead = at.shifted(Mu, 1);
    const V forward(factor), back(has_spin ? factor : -factor);
    auto sum = coalesced_read(at, out[Mu]);
    add_outer(sum, coalesced_read(at, w), hopping<Mu>(coalesced_read(ahead, psi), V(1.0)), forward);
    add_outer(sum, hopping<Mu>(coalesced_read(at, psi), V(-1.0)), coalesced_read(ahead, w), back);
    coalesced_write(at, out[Mu], sum);
  }
  /// (1 - s gamma_mu) psi, or a colour vector as it is.
  template <int Mu, class V>
  static RIDGE_FN Spinor<V> hopping(const Spinor<V>& one, const V& s) {
    Spinor<V> whole = zero_spinor<V>();
    add_whole<Mu>(whole, projected<Mu>(one, s), s, V(1.0));
    return whole;
  }
  template <int Mu, class V>
  static RIDGE_FN ColourVector<V> hopping(const ColourVector<V>& one, const V& /*s*/) {
    return one;
  }
};

} // namespace ridge::gauge
