// The four leaves of a clover around a site. Rounded: the same bits on every device.
#pragma once

#include <ridge/gauge/rounded_link.hpp>

namespace ridge::gauge::inline RIDGE_TARGET_NAME {

/// The sum of the four leaves, each from the site around to it, from mu to nu.
template <class V, class At, class S>
RIDGE_FN RoundedLink<V> leaves(const At& at, const lattice::SiteView<S>* links, int mu, int nu) {
  const auto ahead = at.shifted(mu, 1), behind = at.shifted(mu, -1);
  const auto above = at.shifted(nu, 1), below = at.shifted(nu, -1);
  const RoundedLink<V> u = rounded_read(at, links[mu]), v = rounded_read(at, links[nu]);
  RoundedLink<V> sum = product_adj(
      product_adj(product(u, rounded_read(ahead, links[nu])), rounded_read(above, links[mu])), v);
  sum += product(product_adj(product_adj(v, rounded_read(behind.shifted(nu, 1), links[mu])),
                             rounded_read(behind, links[nu])),
                 rounded_read(behind, links[mu]));
  const auto corner = behind.shifted(nu, -1);
  const RoundedLink<V> back =
      product(rounded_read(corner, links[nu]), rounded_read(behind, links[mu]));
  sum +=
      product(adj_product(back, rounded_read(corner, links[mu])), rounded_read(below, links[nu]));
  sum += product_adj(
      product(adj_product(rounded_read(below, links[nu]), rounded_read(below, links[mu])),
              rounded_read(ahead.shifted(nu, -1), links[nu])),
      u);
  return sum;
}

} // namespace ridge::gauge::inline RIDGE_TARGET_NAME
