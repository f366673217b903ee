// Molecular dynamics of links: momenta in su(3), the force of the Wilson action, and links along
// their momenta. Rounded: the same bits on every device.
//
//   H = K + S,   K = - sum over links of tr P P,   S = - beta / 3 sum over plaquettes of Re tr U_p
//   d/dt U = P U,   d/dt P = - beta / 6 (traceless antihermitian part of U times its staples)
//
// with P antihermitian and traceless: P = i sum of p_a lambda_a / 2, K = sum of p_a^2 / 2 (Gottlieb
// and others, Phys. Rev. D 35 (1987) 2531).
#pragma once

#include <ridge/gauge/antihermitian.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/smear.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::gauge {

inline namespace RIDGE_TARGET_NAME {

/// Directions of random numbers from here on are those of molecular dynamics, which heatbath leaves
/// free: 12 + mu.
inline constexpr std::uint32_t first_direction_of_momenta = 12;

/// Two independent Gaussian numbers of variance 1 (Box and Muller).
RIDGE_CALL lattice::Complex<Exact> gaussian_pair(const LinkRandom::Pair& uniform) {
  const Exact length = square_root(Exact(-2.0) * logarithm(uniform.first));
  const CosSin around = cos_sin_of_turns(uniform.second);
  return {length * around.cos, length * around.sin};
}

/// A momentum whose eight numbers p_a are Gaussian of variance 1.
RIDGE_CALL ExactLink gaussian_momentum(const LinkRandom& random) {
  const Exact half(0.5);
  ExactLink p;
  constexpr int rows[3] = {0, 0, 1}, columns[3] = {1, 2, 2};
  for (int k = 0; k < 3; ++k) {
    const auto pair = gaussian_pair(random.draw(static_cast<std::uint32_t>(k)));
    const Exact re = half * pair.re, im = half * pair.im;
    p(rows[k], columns[k]) = {re, im};
    p(columns[k], rows[k]) = {-re, im};
  }
  const auto pair = gaussian_pair(random.draw(3));
  const Exact third = half * pair.re,
              eighth = Exact(0.28867513459481288225) * pair.im; // 1 / 2 sqrt 3
  p(0, 0) = {Exact(0.0), third + eighth};
  p(1, 1) = {Exact(0.0), eighth - third};
  p(2, 2) = {Exact(0.0), -(eighth + eighth)};
  return p;
}

} // namespace RIDGE_TARGET_NAME

/// Gaussian momenta along mu: functions of seed, trajectory, site and direction.
struct DrawMomenta {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "momenta";
  static constexpr double flops = 4 * 80;

  lattice::SiteView<const lattice::Complex<double>> site; ///< its number, as the real part
  lattice::SiteView<Link> out;
  std::uint64_t seed = 0;
  std::uint32_t trajectory = 0;
  int mu = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    const V number = at.load(site, 0).re;
    RoundedLink<V> p = zero_link<V>();
    for_each_lane(p, p, [&](ExactLink& one, const ExactLink& /*same*/, int lane) {
      if constexpr (std::is_arithmetic_v<V>) {
        one = gaussian_momentum(random_of(number));
      } else {
        one = gaussian_momentum(random_of(number[lane]));
      }
    });
    rounded_write(at, out, p);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(site), f(out);
  }

private:
  RIDGE_FN LinkRandom random_of(double number) const {
    return {seed, static_cast<std::uint64_t>(number), trajectory,
            first_direction_of_momenta + static_cast<std::uint32_t>(mu)};
  }
};

/// momentum += factor times the traceless antihermitian part of U_mu times its staples.
struct KickMomenta {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "gauge force";
  static constexpr double flops = 6 * (2 * 198 + 18) + 198 + 54;

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<Link> momentum; ///< along mu
  double factor = 0;
  int mu = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> staples = zero_link<V>();
    RIDGE_NO_UNROLL
    for (int nu = 0; nu < 4; ++nu) {
      if (nu != mu) add_staples(staples, at, links, mu, nu);
    }
    RoundedLink<V> p = rounded_read(at, momentum);
    add_antihermitian(p, product(rounded_read(at, links[mu]), staples), Rounded<V>(factor));
    rounded_write(at, momentum, p);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(momentum);
  }
};

/// U = exp(step P) U, put back into SU(3).
struct MoveLinks {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "links along momenta";
  static constexpr double flops = 17 * 198 + 300;

  lattice::SiteView<const Link> momentum;
  lattice::SiteView<Link> link;
  double step = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> u = rounded_read(at, link);
    RoundedLink<V> p = rounded_read(at, momentum);
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      component(p, c) = {Rounded<V>(step) * component(p, c).re,
                         Rounded<V>(step) * component(p, c).im};
    for_each_lane(u, p, [](ExactLink& one, const ExactLink& exponent, int /*lane*/) {
      one = exponential(exponent) * one;
      restore_unitarity(one);
    });
    rounded_write(at, link, u);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(momentum), f(link);
  }
};

} // namespace ridge::gauge
