// Links every operation on which is rounded by itself, and sums of staples of them: the same bits
// on every device. V is a number or a pack.
#pragma once

#include <ridge/lattice/rounded.hpp>
#include <ridge/lattice/site_access.hpp>
#include <ridge/lattice/tensor.hpp>

namespace ridge::gauge::inline RIDGE_TARGET_NAME {

using lattice::Rounded;
template <class V>
using RoundedLink = lattice::ColourMatrix<Rounded<V>>;

/// The link of a field at a site.
template <class At, class S>
RIDGE_CALL auto rounded_read(const At& at, const lattice::SiteView<S>& view) {
  using V = typename At::template Value<double>;
  RoundedLink<V> u;
  RIDGE_UNROLL
  for (int c = 0; c < 9; ++c)
    component(u, c) = lattice::rounded(at.load(view, c));
  return u;
}

/// Products, calls: each would be inlined in many places.
template <class V>
RIDGE_CALL RoundedLink<V> product(const RoundedLink<V>& a, const RoundedLink<V>& b) {
  return a * b;
}
/// a b^+.
template <class V>
RIDGE_CALL RoundedLink<V> product_adj(const RoundedLink<V>& a, const RoundedLink<V>& b) {
  return a * adj(b);
}
/// a^+ b.
template <class V>
RIDGE_CALL RoundedLink<V> adj_product(const RoundedLink<V>& a, const RoundedLink<V>& b) {
  return adj(a) * b;
}

/// Adds the two staples of U_mu(x) in the plane of mu and nu:
/// U_nu(x+mu) U_mu(x+nu)^+ U_nu(x)^+ and U_nu(x+mu-nu)^+ U_mu(x-nu)^+ U_nu(x-nu).
/// Re tr (U_mu(x) staple) is that of the plaquette.
template <class V, class At, class S>
RIDGE_FN void add_staples(RoundedLink<V>& sum, const At& at, const lattice::SiteView<S>* links,
                          int mu, int nu) {
  const auto ahead = at.shifted(mu, 1);
  const RoundedLink<V> far =
      product_adj(rounded_read(ahead, links[nu]), rounded_read(at.shifted(nu, 1), links[mu]));
  sum += product_adj(far, rounded_read(at, links[nu]));
  const auto behind = at.shifted(nu, -1);
  const RoundedLink<V> path =
      product(rounded_read(behind, links[mu]), rounded_read(ahead.shifted(nu, -1), links[nu]));
  sum += adj_product(path, rounded_read(behind, links[nu]));
}

} // namespace ridge::gauge::inline RIDGE_TARGET_NAME
