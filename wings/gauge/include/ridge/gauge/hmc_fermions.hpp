// Two flavours of Wilson fermions in molecular dynamics, as pseudofermions phi of
//
//   S = phi^+ (A^+ A)^-1 phi,   phi = A^+ eta,   eta Gaussian
//
// with A the Schur complement of D = 1 - kappa H on even sites where all extents are even, whose
// determinant is D's, and D elsewhere. With X = (A^+ A)^-1 phi and Y = A X, on odd sites X = kappa
// H X and Y = kappa H^+ Y, dS = 2 kappa Re Y^+ dH X, and so
//
//   d/dt P_mu(x) = kappa (traceless antihermitian part of
//     tr_spin (U_mu(x) X(x + mu) Y(x)^+ (1 - gamma_mu) - X(x) Y(x + mu)^+ (1 + gamma_mu)
//     U_mu(x)^+))
//
// (Gottlieb and others, Phys. Rev. D 35 (1987) 2531; even-odd: Gupta and others, Phys. Rev. D 40
// (1989) 2072).
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/gauge/hmc_links.hpp>
#include <ridge/gauge/outer.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::gauge {

/// Gaussian spinors, the mean of |eta|^2 1 for each component, at chosen sites.
struct DrawPseudofermions {
  static constexpr const char* name = "pseudofermions";
  static constexpr double flops = 12 * 80;

  lattice::SiteView<const lattice::Complex<double>> site; ///< its number, as the real part
  lattice::SiteView<Spinor<double>> out;
  std::uint64_t seed = 0;
  std::uint32_t trajectory = 0;
  lattice::ChosenSites chosen;

  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    const V number = at.load(site, 0).re;
    RIDGE_NO_UNROLL
    for (int c = 0; c < spins * colours; ++c) {
      lattice::Complex<V> value(V(0.0), V(0.0));
      if constexpr (std::is_arithmetic_v<V>) {
        const auto z = draw(number, c);
        value = {z.re.v, z.im.v};
      } else {
        for (int lane = 0; lane < lanes_of<V>; ++lane) {
          const auto z = draw(number[lane], c);
          value.re.set(lane, z.re.v);
          value.im.set(lane, z.im.v);
        }
      }
      at.store(out, c, value);
    }
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(site), f(out);
  }

private:
  RIDGE_FN lattice::Complex<Exact> draw(double number, int c) const {
    constexpr std::uint32_t after_momenta = 4; // numbers that those of direction 0 take
    const LinkRandom random{seed, static_cast<std::uint64_t>(number), trajectory,
                            first_direction_of_momenta};
    const Exact half(0.70710678118654752440);
    const auto z = gaussian_pair(random.draw(after_momenta + static_cast<std::uint32_t>(c)));
    return {half * z.re, half * z.im};
  }
};

/// momentum += factor times the traceless antihermitian part above, along all directions.
struct KickByFermions {
  using Link = ColourMatrix<double>;
  static constexpr const char* name = "fermion force";
  static constexpr double flops = 4 * (2 * 330 + 2 * 9 * 32 + 54);

  lattice::SiteView<const Link> links[dimensions]; ///< with the boundary of fermions
  lattice::SiteView<const Spinor<double>> x, y;
  lattice::SiteView<Link> momenta[dimensions];
  double factor = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    kick<0>(at);
    kick<1>(at);
    kick<2>(at);
    kick<3>(at);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(x), f(y);
    for (const auto& momentum : momenta)
      f(momentum);
  }

private:
  template <int Mu, class At>
  RIDGE_FN void kick(const At& at) const {
    using V = typename At::template Value<double>;
    const V one(1.0), half(0.5), minus(-1.0);
    const auto u = coalesced_read(at, links[Mu]);
    const auto ahead = at.shifted(Mu, 1);
    ColourMatrix<V> sum;
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      component(sum, c) = {V(0.0), V(0.0)};
    // (1 - gamma) / 2 is a projection: it may stand on both sides.
    Spinor<V> left = zero_spinor<V>(), right = zero_spinor<V>();
    add_hop<Mu>(left, u, coalesced_read(ahead, x), one, half);
    add_whole<Mu>(right, projected<Mu>(coalesced_read(at, y), one), one, one);
    add_outer(sum, left, right, one);
    left = coalesced_read(at, x);
    right = zero_spinor<V>();
    add_hop<Mu>(right, u, coalesced_read(ahead, y), minus, one);
    add_outer(sum, left, right, minus);
    auto p = coalesced_read(at, momenta[Mu]);
    add_antihermitian(p, sum, V(factor));
    coalesced_write(at, momenta[Mu], p);
  }
};

/// link = factor link at chosen sites.
struct ScaleLinks {
  static constexpr const char* name = "boundary of fermions";
  static constexpr double flops = 18;

  lattice::SiteView<ColourMatrix<double>> link;
  double factor = 1;
  lattice::ChosenSites chosen;

  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    auto u = coalesced_read(at, link);
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      component(u, c) = {V(factor) * component(u, c).re, V(factor) * component(u, c).im};
    coalesced_write(at, link, u);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(link);
  }
};

} // namespace ridge::gauge
