// Smeared links: APE (Phys. Lett. B 192 (1987) 163) and stout (Morningstar and Peardon, Phys. Rev.
// D 69 (2004) 054501). Rounded: the same bits on every device.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/su2.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::gauge {

inline namespace RIDGE_TARGET_NAME {

/// exp(x) of a matrix: of x / 16 by its series, then squared four times.
RIDGE_CALL ExactLink exponential(const ExactLink& x) {
  constexpr int degree = 12;
  constexpr int squarings = 4;
  const auto add_one = [](ExactLink& m) {
    for (int i = 0; i < 3; ++i)
      m(i, i).re = m(i, i).re + Exact(1.0);
  };
  ExactLink sum = x;
  const auto scale = [](ExactLink& m, double by) {
    for (int c = 0; c < 9; ++c)
      component(m, c) = {Exact(by) * component(m, c).re, Exact(by) * component(m, c).im};
  };
  ExactLink small = x;
  scale(small, 1.0 / (1 << squarings));
  sum = small;
  scale(sum, 1.0 / degree);
  add_one(sum);
  for (int k = degree - 1; k > 0; --k) {
    sum = small * sum;
    scale(sum, 1.0 / k);
    add_one(sum);
  }
  for (int i = 0; i < squarings; ++i)
    sum = sum * sum;
  return sum;
}

/// The link u with staples: APE takes the element of SU(3) nearest to (1 - weight) u + weight / n
/// staples^+, n their number; `weight` is given, and weight / n.
RIDGE_CALL void smear_ape(ExactLink& u, const ExactLink& staples, double weight, double each) {
  ExactLink sum;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      sum(i, j) = {Exact(1 - weight) * u(j, i).re + Exact(each) * staples(i, j).re,
                   -(Exact(1 - weight) * u(j, i).im) + Exact(each) * staples(i, j).im};
  }
  align_link(u, sum);
}

/// exp(i Q) u, with i Q the traceless antihermitian part of -rho u staples.
RIDGE_CALL void smear_stout(ExactLink& u, const ExactLink& staples, double rho) {
  const ExactLink a = u * staples;
  ExactLink x;
  const Exact half(-0.5 * rho);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      x(i, j) = {half * (a(i, j).re - a(j, i).re), half * (a(i, j).im + a(j, i).im)};
  }
  const Exact third = (x(0, 0).im + x(1, 1).im + x(2, 2).im) * Exact(1.0 / 3);
  for (int i = 0; i < 3; ++i)
    x(i, i).im = x(i, i).im - third;
  u = exponential(x) * u;
  restore_unitarity(u);
}

} // namespace RIDGE_TARGET_NAME

/// out = smeared links along mu, which are others' memory than the links.
template <bool Stout>
struct SmearLinks {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = Stout ? "stout" : "ape";
  /// Operations of the staples; what follows depends on the links.
  static constexpr double flops = 6 * (2 * 198 + 18);

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<Link> out;
  double weight = 0, each = 0; ///< each: a staple's part
  int mu = 0;
  int planes = 4; ///< staples lie in planes with dimensions below

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> staples;
    for (int c = 0; c < 9; ++c)
      component(staples, c) = lattice::Complex<Rounded<V>>(Rounded<V>(0.0), Rounded<V>(0.0));
    RIDGE_NO_UNROLL
    for (int nu = 0; nu < planes; ++nu) {
      if (nu != mu) add_staples(staples, at, links, mu, nu);
    }
    RoundedLink<V> u = rounded_read(at, links[mu]);
    for_each_lane(u, staples, [&](ExactLink& one, const ExactLink& sum, int /*lane*/) {
      if constexpr (Stout) {
        smear_stout(one, sum, each);
      } else {
        smear_ape(one, sum, weight, each);
      }
    });
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      at.store(out, c, {component(u, c).re.v, component(u, c).im.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(out);
  }
};

struct SmearOptions {
  bool stout = false;
  double weight = 0.5; ///< APE: of the staples beside the link; stout: rho
  int steps = 1;
  bool spatial = false; ///< links and staples in space only: those along time stay
};

/// Replaces the links by smeared ones. Throws UsageError for a weight that is no number.
void smear(Queue& queue, Links<double>& links, const SmearOptions& options);
/// Over ranks, of links on `part.held()`; a step exchanges what it reads of other ranks first.
/// A rank's own sites have the bits of one rank. Collective.
void smear(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
           Links<double>& links, const SmearOptions& options);

} // namespace ridge::gauge
