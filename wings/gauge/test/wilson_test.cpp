// The Wilson operator: whole gamma matrices, the free field's eigenvalues, gamma_5, gauge
// transformations, boundaries; on every device.
#include <ridge/device/generate.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/site_call.hpp>

#include "../../../examples/gauge/random_links.hpp"
#include "lattice/support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace ridge::gauge {
namespace {

using lattice::Field;
using lattice::Lattice;
using C = Complex<double>;
using Spin = lattice::Matrix<C, 4>;
using lattice::test::reals;
namespace example = ::gauge;

// Else a branch stands between any two loads, which made them take five times as long.
static_assert(!lattice::SiteLoopAhead<Hopping<double>>::values[0].apart);
static_assert(!lattice::SiteLoopAhead<Hopping<float>>::values[0].apart);

std::array<Spin, 4> whole_gammas() {
  std::array<Spin, 4> all{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (int row = 0; row < 4; ++row) {
      for (int c = 0; c < 4; ++c)
        all[mu](row, c) = 0.0;
      const auto r = static_cast<std::size_t>(row);
      const std::complex<double> value = gammas()[mu].value[r];
      all[mu](row, gammas()[mu].column[r]) = {value.real(), value.imag()};
    }
  }
  return all;
}

TEST(Gammas, AnticommuteToTwiceTheUnitMatrixAndMultiplyToGamma5) {
  const auto g = whole_gammas();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t nu = 0; nu < 4; ++nu) {
      const Spin sum = g[mu] * g[nu] + g[nu] * g[mu];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
          EXPECT_EQ(sum(i, j), C(mu == nu && i == j ? 2.0 : 0.0, 0.0)) << mu << nu << i << j;
      }
    }
  }
  const Spin product = g[0] * g[1] * g[2] * g[3];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(product(i, j), C(i != j ? 0.0 : i < 2 ? 1.0 : -1.0, 0.0)) << i << j;
  }
}

class WilsonOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  Lattice lattice{{4, 6, 2, 4}};

  Fermion<double> random_fermion(std::uint64_t seed) {
    Fermion<double> psi(device, lattice, "psi");
    lattice::fill_random(queue, psi, seed);
    return psi;
  }
  Fermion<double> apply(const Links<double>& links, const Fermion<double>& psi,
                        const WilsonNumbers& numbers, bool dagger = false) {
    Fermion<double> out(device, lattice, "D psi");
    fill_bytes(queue, out.reals().data, 0xff, out.bytes());
    lattice::run_once(queue, wilson_call(out, links, psi, numbers, dagger), {});
    return out;
  }
  /// Site i in plain order.
  [[nodiscard]] lattice::Coordinates coordinates(Index i) const {
    lattice::Coordinates x;
    for (int d = 0; d < 4; ++d)
      x[d] = static_cast<int>(lattice::test::coordinate(lattice, i, d));
    return x;
  }
  [[nodiscard]] std::size_t site(const lattice::Coordinates& x) const {
    Index i = 0;
    for (int d = 3; d >= 0; --d)
      i = i * lattice.extents()[d] + x[d];
    return static_cast<std::size_t>(i);
  }
  /// The largest |D psi - reference|.
  double distance(const Links<double>& links, const Fermion<double>& psi,
                  const Fermion<double>& got, const WilsonNumbers& n, bool dagger) {
    std::vector<std::vector<ColourMatrix<double>>> u;
    for (const auto& link : links)
      u.push_back(link.get(queue));
    const auto from = psi.get(queue), out = got.get(queue);
    const auto complex_of = [](const C& z) { return std::complex<double>(z.re, z.im); };
    const auto spinor = [&](const std::vector<Spinor<double>>& field,
                            const lattice::Coordinates& x) {
      HostSpinor s;
      for (int c = 0; c < 12; ++c)
        s[static_cast<std::size_t>(c)] = complex_of(component(field[site(x)], c));
      return s;
    };
    double worst = 0;
    for (Index i = 0; i < lattice.sites(); ++i) {
      const auto x = coordinates(i);
      const Expected hop = reference_hopping(
          {4, 6, 2, 4}, x, dagger,
          [&](int mu, const lattice::Coordinates& at) {
            HostLink link;
            for (int c = 0; c < 9; ++c)
              link[static_cast<std::size_t>(c)] =
                  complex_of(component(u[static_cast<std::size_t>(mu)][site(at)], c));
            return link;
          },
          [&](const lattice::Coordinates& at) { return spinor(from, at); });
      const HostSpinor here = spinor(from, x), there = spinor(out, x);
      for (std::size_t c = 0; c < 12; ++c) {
        const double error = size_of(there[c] - n.diagonal * here[c] - n.hop * hop.value[c]);
        worst = std::isnan(error) || error > worst ? error : worst;
      }
    }
    return worst;
  }
};

TEST_P(WilsonOn, EqualsWholeGammaMatrices) {
  const auto links = random_links(queue, lattice, 1);
  const auto psi = random_fermion(5);
  for (const WilsonNumbers& n : {WilsonNumbers{0, 1}, by_kappa(0.13), by_mass(0.2)}) {
    for (const bool dagger : {false, true})
      EXPECT_LT(distance(links, psi, apply(links, psi, n, dagger), n, dagger), 3e-14);
  }
}

TEST_P(WilsonOn, HoppingTermEqualsWholeGammaMatricesUnderOtherSchedules) {
  const auto links = random_links(queue, lattice, 1);
  const auto psi = random_fermion(5);
  std::vector<std::optional<lattice::Schedule>> schedules{{}};
  if (device.kind() != DeviceKind::cpu) {
    lattice::GpuSchedule s;
    s.groups = 16;
    s.items = 4;
    s.bounds = 256;
    schedules.emplace_back(s);
  }
  for (const auto& schedule : schedules) {
    Fermion<double> out(device, lattice, "H psi");
    lattice::run_once(queue, hopping_call(out, links, psi), schedule);
    EXPECT_LT(distance(links, psi, out, {0, 1}, false), 3e-14);
  }
}

TEST_P(WilsonOn, Gamma5TimesTheOperatorIsHermitian) {
  const auto links = random_links(queue, lattice, 1);
  const auto psi = random_fermion(5), phi = random_fermion(6);
  const auto n = by_mass(0.1);
  const auto a = lattice::inner_product(queue, phi, apply(links, psi, n));
  const auto b = lattice::inner_product(queue, apply(links, phi, n, true), psi);
  EXPECT_NEAR(a.re, b.re, 1e-11);
  EXPECT_NEAR(a.im, b.im, 1e-11);
  auto sites = psi.get(queue);
  for (auto& s : sites)
    s = gamma5(s);
  Fermion<double> turned(device, lattice, "gamma_5 psi");
  turned.set(queue, sites);
  const auto left = apply(links, turned, n).get(queue),
             right = apply(links, psi, n, true).get(queue);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto l = reals(gamma5(left[i])), r = reals(right[i]);
    for (std::size_t k = 0; k < l.size(); ++k)
      ASSERT_NEAR(l[k], r[k], 1e-14);
  }
}

TEST_P(WilsonOn, FreeFieldHasExactEigenvaluesAtEveryMomentum) {
  // D exp(ipx) chi = (diagonal + hop (sum 2 cos p_mu - 2i sum gamma_mu sin p_mu)) exp(ipx) chi, and
  // the sum of gammas times sines has the eigenvalues +-|s|. Antiperiodic in time: p_3 + pi / n.
  const auto n = by_mass(0.3);
  const auto links = with_boundary(queue, unit_links(queue, lattice), antiperiodic_in_time);
  const auto g = whole_gammas();
  Fermion<double> psi(device, lattice, "a wave"), out(device, lattice, "D of a wave");
  Program op(queue, wilson_call(out, links, psi, n));
  for (Index momentum = 0; momentum < lattice.sites(); ++momentum) {
    const auto k = coordinates(momentum);
    const double sign = momentum % 2 == 0 ? 1 : -1;
    double p[4], s2 = 0, cosines = 0;
    Spin slashed{};
    for (int mu = 0; mu < 4; ++mu) {
      p[mu] = std::numbers::pi * (2 * k[mu] + (mu == 3 ? 1 : 0)) /
              static_cast<double>(lattice.extents()[mu]);
      cosines += 2 * std::cos(p[mu]);
      s2 += std::sin(p[mu]) * std::sin(p[mu]);
      slashed = slashed + std::sin(p[mu]) * g[static_cast<std::size_t>(mu)];
    }
    const double s = sign * std::sqrt(s2);
    lattice::Vector<C, 4> chi{{C(0.3, 0.1), C(-0.7, 0.2), C(0.5, 0.5), C(0.1, -0.9)}};
    chi = slashed * chi + s * chi; // an eigenvector of eigenvalue s
    const C eigenvalue(n.diagonal + n.hop * cosines, -2 * n.hop * s);
    std::vector<Spinor<double>> sites(static_cast<std::size_t>(lattice.sites()));
    for (Index i = 0; i < lattice.sites(); ++i) {
      const auto x = coordinates(i);
      double phase = 0;
      for (int mu = 0; mu < 4; ++mu)
        phase += p[mu] * x[mu];
      for (int spin = 0; spin < 4; ++spin) {
        for (int colour = 0; colour < 3; ++colour) {
          sites[static_cast<std::size_t>(i)](spin)(colour) =
              (1.0 + colour) * (C(std::cos(phase), std::sin(phase)) * chi(spin));
        }
      }
    }
    psi.set(queue, sites);
    op.run();
    const auto got = out.get(queue);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto a = reals(got[i]), b = reals(eigenvalue * sites[i]);
      for (std::size_t c = 0; c < a.size(); ++c)
        ASSERT_NEAR(a[c], b[c], 1e-12) << "momentum " << momentum << " site " << i;
    }
  }
}

TEST_P(WilsonOn, NothingChangesUnderGaugeTransformations) {
  const auto links = random_links(queue, lattice, 1);
  const auto g = random_link_field(queue, lattice, 77);
  Links<double> turned;
  for (int mu = 0; mu < 4; ++mu)
    turned.emplace_back(device, lattice, "turned links");
  const auto psi = random_fermion(5);
  Fermion<double> turned_psi(device, lattice, "turned psi"), left(device, lattice, "g D psi");
  Field<C> before(device, lattice, "plaquettes"), after(device, lattice, "turned plaquettes");
  const auto hopped = apply(links, psi, by_kappa(0.15));
  example::transform(queue, turned, links, g);
  example::transform(queue, turned_psi, psi, g);
  example::transform(queue, left, hopped, g);
  example::plaquettes(queue, before, links);
  example::plaquettes(queue, after, turned);
  // Site by site, not only on average.
  const auto a = before.get(queue), b = after.get(queue);
  double spread = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i].re, b[i].re, 1e-12);
    ASSERT_NEAR(a[i].im, b[i].im, 1e-12);
    spread = std::max(spread, std::abs(a[i].re - a[0].re));
  }
  EXPECT_GT(spread, 0.1) << "the links are not random";
  auto right = apply(turned, turned_psi, by_kappa(0.15));
  const double size = lattice::norm2(queue, right);
  lattice::axpy(queue, right, -1.0, left, right);
  EXPECT_LT(lattice::norm2(queue, right) / size, 1e-28);
}

TEST(RandomLinks, AreSpecialUnitaryAndOthersAreNot) {
  for (const double spread : {1.0, 0.25}) {
    for (int i = 0; i < 50; ++i)
      EXPECT_LT(distance_from_su3(random_su3(3, i, spread)), 1e-14);
  }
  auto link = random_su3(3, 0);
  link(2, 1).im += 1e-6;
  EXPECT_GT(distance_from_su3(link), 1e-7);
  link(0, 0).re = std::nan("");
  EXPECT_TRUE(std::isnan(distance_from_su3(link)));
}

INSTANTIATE_TEST_SUITE_P(Here, WilsonOn, ::testing::ValuesIn(lattice::test::devices_here()),
                         lattice::test::DeviceName{});

} // namespace
} // namespace ridge::gauge
