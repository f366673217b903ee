// The clover term made of links, and its force on them (ridge/gauge/hmc_clover.hpp). Rounded: the
// same bits on every device for the same fermions.
#pragma once

#include <ridge/gauge/antihermitian.hpp>
#include <ridge/gauge/clover_block.hpp>
#include <ridge/gauge/leaves.hpp>

namespace ridge::gauge {

/// The blocks of both chiralities at a site.
template <class T>
using CloverSite = lattice::Vector<CloverBlock<T>, 2>;
/// A matrix for each of the planes 01, 02, 03, 12, 13, 23.
template <class T>
using Planes = lattice::Vector<ColourMatrix<T>, 6>;

/// term = A of links, at every site. In this basis of gamma matrices the block of chirality c = +-1
/// is 1 + kappa csw i (sigma_1 (F_12 - c F_03) + sigma_2 (F_02 + c F_13) + sigma_3 (F_01 - c
/// F_23)).
struct MakeCloverTerm {
  static constexpr const char* name = "clover term";
  static constexpr double flops = 6 * (4 * 3 * 198 + 4 * 18 + 36) + 2 * 90;

  lattice::SiteView<const ColourMatrix<double>> links[4];
  lattice::SiteView<CloverSite<double>> term;
  double factor = 0; ///< kappa csw

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RIDGE_NO_UNROLL
    for (int k = 1; k <= 3; ++k) {
      // F_12 and F_03, F_02 and F_13, F_01 and F_23.
      const auto one = strength(leaves<V>(at, links, k == 1 ? 1 : 0, k == 3 ? 1 : 2));
      const auto other = strength(leaves<V>(at, links, k - 1, 3));
      const RoundedLink<V> a = k == 2 ? one + other : one - other;
      const RoundedLink<V> b = k == 2 ? one - other : one + other;
      if (k < 3) {
        write_across(at, 0, a, k == 2);
        write_across(at, 18, b, k == 2);
      } else {
        write_along(at, 0, a);
        write_along(at, 18, b);
      }
    }
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(term);
  }

private:
  /// i kappa csw F.
  template <class V>
  RIDGE_FN RoundedLink<V> strength(const RoundedLink<V>& q) const {
    const Rounded<V> eighth(factor / 8);
    RoundedLink<V> h;
    RIDGE_UNROLL
    for (int i = 0; i < 3; ++i) {
      RIDGE_UNROLL
      for (int j = 0; j < 3; ++j)
        h(i, j) = {-(eighth * (q(i, j).im + q(j, i).im)), eighth * (q(i, j).re - q(j, i).re)};
    }
    return h;
  }
  /// Rows of the second spin, columns of the first: those of sigma_1 a, or what there is and
  /// sigma_2 a.
  template <class At, class V>
  RIDGE_FN void write_across(const At& at, int first, const RoundedLink<V>& a, bool second) const {
    RIDGE_UNROLL
    for (int i = 0; i < 3; ++i) {
      RIDGE_UNROLL
      for (int j = 0; j < 3; ++j) {
        const int c = first + clover_place(i + 3, j);
        Complex<V> z(a(i, j).re.v, a(i, j).im.v);
        if (second) z = at.load(term, c) + times_i(z);
        at.store(term, c, z);
      }
    }
  }
  /// The rest, of 1 + sigma_3 c.
  template <class At, class V>
  RIDGE_FN void write_along(const At& at, int first, const RoundedLink<V>& c) const {
    const V one(1.0);
    at.store(term, first, {one + c(0, 0).re.v, one + c(1, 1).re.v});
    at.store(term, first + 1, {one + c(2, 2).re.v, one - c(0, 0).re.v});
    at.store(term, first + 2, {one - c(1, 1).re.v, one - c(2, 2).re.v});
    RIDGE_UNROLL
    for (int i = 1; i < 3; ++i) {
      RIDGE_UNROLL
      for (int j = 0; j < i; ++j) {
        at.store(term, first + clover_place(i, j), {c(i, j).re.v, c(i, j).im.v});
        at.store(term, first + clover_place(i + 3, j + 3), {-c(i, j).re.v, -c(i, j).im.v});
      }
    }
  }
};

/// momentum += factor times the traceless antihermitian part of U_mu times what the loops around
/// the plaquettes at it are with V at one corner.
struct KickByClover {
  static constexpr const char* name = "clover force";
  static constexpr double flops = 6 * (8 * 198 + 4 * 18) + 198 + 54;

  lattice::SiteView<const ColourMatrix<double>> links[4];
  lattice::SiteView<const Planes<double>> leaves;
  lattice::SiteView<ColourMatrix<double>> momentum; ///< along mu
  double factor = 0;
  int mu = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> sum = zero_link<V>();
    RIDGE_NO_UNROLL
    for (int nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      RIDGE_NO_UNROLL
      for (int way = 1; way >= -1; way -= 2) {
        const RoundedLink<V> one = loop<V>(at, nu, way);
        // Leaves turn from the lower dimension to the higher one.
        sum = (mu < nu) == (way > 0) ? sum + one : sum - one;
      }
    }
    RoundedLink<V> p = rounded_read(at, momentum);
    add_antihermitian(p, product(rounded_read(at, links[mu]), sum), Rounded<V>(factor));
    rounded_write(at, momentum, p);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(leaves), f(momentum);
  }

private:
  /// From x + mu on along a, b, c: ((V a + a V) b + a b V) c + a b c V, V of the corner where it
  /// stands.
  template <class V, class At>
  RIDGE_FN RoundedLink<V> loop(const At& at, int nu, int way) const {
    const int low = mu < nu ? mu : nu, high = mu < nu ? nu : mu;
    const int plane = low == 0 ? high - 1 : low + high;
    const auto ahead = at.shifted(mu, 1), beside = at.shifted(nu, way),
               across = ahead.shifted(nu, way);
    RoundedLink<V> a = side<V>(way > 0 ? ahead : across, nu, way < 0);
    RoundedLink<V> with = product(corner<V>(ahead, plane), a);
    with += product(a, corner<V>(across, plane));
    RoundedLink<V> next = side<V>(beside, mu, true);
    with = product(with, next);
    a = product(a, next);
    with += product(a, corner<V>(beside, plane));
    next = side<V>(way > 0 ? at : beside, nu, way > 0);
    with = product(with, next);
    a = product(a, next);
    with += product(a, corner<V>(at, plane));
    return with;
  }
  template <class V, class At>
  RIDGE_FN RoundedLink<V> side(const At& at, int along, bool backwards) const {
    const RoundedLink<V> u = rounded_read(at, links[along]);
    return backwards ? adj(u) : u;
  }
  template <class V, class At>
  RIDGE_FN RoundedLink<V> corner(const At& at, int plane) const {
    RoundedLink<V> v;
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      component(v, c) = lattice::rounded(at.load(leaves, 9 * plane + c));
    return v;
  }
};

} // namespace ridge::gauge
