// The gradient flow of the Wilson action, and what is measured on its links: energy densities and
// the topological charge (Luescher, JHEP 08 (2010) 071). Rounded: the same bits on every device.
//
//   d/dt V = Z(V) V,   Z = minus the traceless antihermitian part of V times its staples
//   E = - sum over mu < nu of tr G_mu_nu G_mu_nu,   q = - eps_mu_nu_rho_sigma tr G G / (32 pi^2)
//
// with G the traceless antihermitian part of the mean of the four leaves around a site. Times are
// in units of the lattice spacing squared.
#pragma once

#include <ridge/gauge/leaves.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/smear.hpp>

#include <optional>
#include <vector>

namespace ridge::gauge {

/// A stage of the third-order Runge-Kutta scheme along mu: force = now Z(links) + before force, and
/// out = exp(force) U.
struct FlowLinks {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "flow";
  static constexpr double flops = 6 * (2 * 198 + 18) + 198 + 54;

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<Link> force; ///< along mu
  lattice::SiteView<Link> out;
  double now = 0, before = 0;
  int mu = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> staples;
    for (int c = 0; c < 9; ++c)
      component(staples, c) = lattice::Complex<Rounded<V>>(Rounded<V>(0.0), Rounded<V>(0.0));
    RIDGE_NO_UNROLL
    for (int nu = 0; nu < 4; ++nu) {
      if (nu != mu) add_staples(staples, at, links, mu, nu);
    }
    RoundedLink<V> u = rounded_read(at, links[mu]);
    const RoundedLink<V> a = product(u, staples);
    const RoundedLink<V> old = rounded_read(at, force);
    const Rounded<V> half(-0.5 * now), keep(before);
    const Rounded<V> third = (a(0, 0).im + a(1, 1).im + a(2, 2).im) * Rounded<V>(1.0 / 3);
    RoundedLink<V> x;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const Rounded<V> trace = i == j ? third + third : Rounded<V>(0.0);
        x(i, j) = {half * (a(i, j).re - a(j, i).re) + keep * old(i, j).re,
                   half * (a(i, j).im + a(j, i).im - trace) + keep * old(i, j).im};
      }
    }
    for_each_lane(u, x, [](ExactLink& one, const ExactLink& exponent, int /*lane*/) {
      one = exponential(exponent) * one;
      restore_unitarity(one);
    });
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c) {
      at.store(force, c, {component(x, c).re.v, component(x, c).im.v});
      at.store(out, c, {component(u, c).re.v, component(u, c).im.v});
    }
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(force), f(out);
  }
};

/// out(x) = E(x) as the real part, and as the imaginary one 4 pi^2 q(x).
struct FieldStrength {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "field strength";
  static constexpr double flops = 6 * (4 * 3 * 198 + 4 * 18 + 36) + 9 * 36;

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<lattice::Complex<double>> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> g[6]; // of the planes 01, 02, 03, 12, 13, 23
    Rounded<V> energy(0.0);
    int plane = 0;
    RIDGE_NO_UNROLL
    for (int mu = 0; mu < 4; ++mu) {
      RIDGE_NO_UNROLL
      for (int nu = mu + 1; nu < 4; ++nu) {
        g[plane] = strength(leaves<V>(at, links, mu, nu));
        energy = energy + inner(g[plane], g[plane]);
        ++plane;
      }
    }
    const Rounded<V> charge = inner(g[0], g[5]) - inner(g[1], g[4]) + inner(g[2], g[3]);
    at.store(out, 0, {energy.v, charge.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(out);
  }

private:
  /// The traceless antihermitian part of a quarter of the leaves.
  template <class V>
  static RIDGE_FN RoundedLink<V> strength(const RoundedLink<V>& q) {
    const Rounded<V> eighth(0.125);
    const Rounded<V> third = (q(0, 0).im + q(1, 1).im + q(2, 2).im) * Rounded<V>(1.0 / 12);
    RoundedLink<V> g;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        g(i, j) = {eighth * (q(i, j).re - q(j, i).re), eighth * (q(i, j).im + q(j, i).im)};
      g(i, i).im = g(i, i).im - third;
    }
    return g;
  }
  /// - tr a b of antihermitian matrices.
  template <class V>
  static RIDGE_FN Rounded<V> inner(const RoundedLink<V>& a, const RoundedLink<V>& b) {
    Rounded<V> sum(0.0);
    for (int c = 0; c < 9; ++c)
      sum =
          sum + (component(a, c).re * component(b, c).re + component(a, c).im * component(b, c).im);
    return sum;
  }
};

/// Measurements at a time of the flow. Densities are means over sites.
struct FlowPoint {
  double time = 0;
  double clover = 0;    ///< E of the leaves
  double plaquette = 0; ///< 2 sum over planes of Re tr (1 - U_p)
  double charge = 0;    ///< the topological charge of the lattice
};

/// Links on their way along the flow, changed in place, on one rank. Bound to a queue.
class GradientFlow {
public:
  /// The links must outlive it, and nobody else may change their memory.
  GradientFlow(Queue& queue, Links<double>& links);
  /// From the time that was reached on by `step`. Throws UsageError for a step that is not
  /// positive.
  void advance(double step);
  [[nodiscard]] FlowPoint measure();

private:
  Queue& queue_;
  Links<double>& links_;
  Links<double> out_, force_;
  lattice::Field<lattice::Complex<double>> strength_;
  double time_ = 0;
};

/// t0, where t^2 E is 0.3 for the first time, of points in order of time; none where it is not
/// reached.
[[nodiscard]] std::optional<double> flow_t0(const std::vector<FlowPoint>& points);
/// w0, where t d/dt (t^2 E) is 0.3 for the first time at t = w0^2 (Borsanyi and others, JHEP 09
/// (2012) 010); none where it is not reached.
[[nodiscard]] std::optional<double> flow_w0(const std::vector<FlowPoint>& points);

} // namespace ridge::gauge
