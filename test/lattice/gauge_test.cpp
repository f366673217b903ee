// The gauge example: free field eigenvalues, gauge invariance, and the same on every device.
#include <ridge/device/generate.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include "../../examples/gauge/random_links.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace ridge::lattice {
namespace {

using C = Complex<double>;
using Spin = Matrix<C, 4>;
using gauge::dimensions;
using gauge::Fermion;
using gauge::Link;

/// The gamma matrices, written out.
std::array<Spin, dimensions> gammas() {
  std::array<Spin, dimensions> all{};
  const C i(0, 1), one(1, 0), minus(-1, 0), minus_i(0, -1);
  const auto set = [&](int mu, std::array<int, 4> column, std::array<C, 4> value) {
    for (int row = 0; row < 4; ++row) {
      for (int c = 0; c < 4; ++c)
        all[static_cast<std::size_t>(mu)](row, c) = 0.0;
      all[static_cast<std::size_t>(mu)](row, column[static_cast<std::size_t>(row)]) =
          value[static_cast<std::size_t>(row)];
    }
  };
  set(0, {3, 2, 1, 0}, {i, i, minus_i, minus_i});
  set(1, {3, 2, 1, 0}, {minus, one, one, minus});
  set(2, {2, 3, 0, 1}, {i, minus_i, minus_i, i});
  set(3, {2, 3, 0, 1}, {one, one, one, one});
  return all;
}

TEST(Gammas, AnticommuteToTwiceTheUnitMatrix) {
  const auto g = gammas();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t nu = 0; nu < 4; ++nu) {
      const Spin sum = g[mu] * g[nu] + g[nu] * g[mu];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
          EXPECT_EQ(sum(i, j), C(mu == nu && i == j ? 2.0 : 0.0, 0.0)) << mu << nu << i << j;
      }
    }
  }
}

/// The plain hopping term at a site, with whole gamma matrices.
class Reference {
public:
  Reference(const Lattice& lattice, std::vector<std::vector<ColourMatrix<double>>> links,
            std::vector<Spinor<double>> psi)
      : lattice_(lattice), links_(std::move(links)), psi_(std::move(psi)) {}

  [[nodiscard]] Spinor<double> at(Index i) const {
    Spinor<double> sum{};
    const auto g = gammas();
    for (int mu = 0; mu < dimensions; ++mu) {
      const auto m = static_cast<std::size_t>(mu);
      const Index ahead = neighbour(i, mu, 1);
      const Index behind = neighbour(i, mu, -1);
      add(sum, -1, g[m], links_[m][static_cast<std::size_t>(i)],
          psi_[static_cast<std::size_t>(ahead)]);
      add(sum, 1, g[m], adj(links_[m][static_cast<std::size_t>(behind)]),
          psi_[static_cast<std::size_t>(behind)]);
    }
    return sum;
  }

private:
  static void add(Spinor<double>& sum, double sign, const Spin& gamma,
                  const ColourMatrix<double>& u, const Spinor<double>& psi) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const C projector = C(a == b ? 1.0 : 0.0, 0.0) + C(sign, 0.0) * gamma(a, b);
        sum(a) = sum(a) + projector * (u * psi(b));
      }
    }
  }
  [[nodiscard]] Index neighbour(Index i, int d, int by) const {
    Index stride = 1;
    for (int k = 0; k < d; ++k)
      stride *= lattice_.extents()[k];
    const Index n = lattice_.extents()[d];
    const Index x = i / stride % n;
    return i + ((x + by + n) % n - x) * stride;
  }

  Lattice lattice_;
  std::vector<std::vector<ColourMatrix<double>>> links_;
  std::vector<Spinor<double>> psi_;
};

class GaugeOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  Lattice lattice{{4, 6, 2, 4}};

  std::vector<Link> random_links() {
    std::vector<Link> links;
    for (std::uint64_t mu = 0; mu < dimensions; ++mu)
      links.push_back(gauge::random_links(queue, lattice, mu + 1));
    return links;
  }
  Fermion hop(const std::vector<Link>& links, const Fermion& psi,
              const std::optional<Schedule>& schedule = {}) {
    Fermion out(device, lattice, "H psi");
    gauge::hopping(queue, out, links, psi, schedule);
    return out;
  }
};

TEST_P(GaugeOn, HoppingTermEqualsWholeGammaMatrices) {
  const auto links = random_links();
  Fermion psi(device, lattice, "psi");
  fill_random(queue, psi, 5);
  std::vector<std::vector<ColourMatrix<double>>> host;
  for (const Link& link : links)
    host.push_back(link.get(queue));
  const Reference reference(lattice, host, psi.get(queue));
  std::vector<std::optional<Schedule>> schedules{{}};
  if (device.kind() != DeviceKind::cpu) {
    GpuSchedule s;
    s.groups = 16;
    s.items = 4;
    s.bounds = 256;
    schedules.emplace_back(s);
  }
  for (const auto& schedule : schedules) {
    const auto got = hop(links, psi, schedule).get(queue);
    for (Index i = 0; i < lattice.sites(); ++i) {
      const auto a = test::reals(got[static_cast<std::size_t>(i)]);
      const auto b = test::reals(reference.at(i));
      for (std::size_t k = 0; k < a.size(); ++k)
        ASSERT_NEAR(a[k], b[k], 1e-13) << "site " << i << " real " << k;
    }
  }
}

TEST_P(GaugeOn, FreeFieldHasExactEigenvalues) {
  // H exp(ipx) chi = (sum 2 cos p_mu - 2i sum gamma_mu sin p_mu) exp(ipx) chi, and the sum of
  // gammas times sines has the eigenvalues +-|s|.
  const std::vector<Link> links = [&] {
    std::vector<Link> all;
    for (int mu = 0; mu < dimensions; ++mu)
      all.push_back(gauge::unit_links(queue, lattice));
    return all;
  }();
  const auto g = gammas();
  for (const std::array<int, 4> k : {std::array{0, 0, 0, 0},
                                     {1, 0, 0, 0},
                                     {1, 2, 0, 3},
                                     {3, 5, 1, 1},
                                     {2, 3, 1, 2},
                                     {0, 1, 0, 1}}) {
    double p[dimensions], s2 = 0, cosines = 0;
    Spin slashed{};
    for (int mu = 0; mu < dimensions; ++mu) {
      const auto m = static_cast<std::size_t>(mu);
      p[mu] = 2 * std::numbers::pi * k[m] / static_cast<double>(lattice.extents()[mu]);
      cosines += 2 * std::cos(p[mu]);
      s2 += std::sin(p[mu]) * std::sin(p[mu]);
      slashed = slashed + std::sin(p[mu]) * g[m];
    }
    for (const double sign : {1.0, -1.0}) {
      const double s = sign * std::sqrt(s2);
      Vector<C, 4> chi{{C(0.3, 0.1), C(-0.7, 0.2), C(0.5, 0.5), C(0.1, -0.9)}};
      if (s2 > 1e-20) chi = slashed * chi + s * chi; // an eigenvector of eigenvalue s
      const C eigenvalue(cosines, s2 > 1e-20 ? -2 * s : 0.0);
      std::vector<Spinor<double>> sites(static_cast<std::size_t>(lattice.sites()));
      for (Index i = 0; i < lattice.sites(); ++i) {
        double phase = 0;
        for (int mu = 0; mu < dimensions; ++mu)
          phase += p[mu] * static_cast<double>(test::coordinate(lattice, i, mu));
        for (int spin = 0; spin < 4; ++spin) {
          for (int colour = 0; colour < 3; ++colour) {
            sites[static_cast<std::size_t>(i)](spin)(colour) =
                (1.0 + colour) * (C(std::cos(phase), std::sin(phase)) * chi(spin));
          }
        }
      }
      Fermion psi(device, lattice, "a wave");
      psi.set(queue, sites);
      const auto got = hop(links, psi).get(queue);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto a = test::reals(got[i]);
        const auto b = test::reals(eigenvalue * sites[i]);
        for (std::size_t c = 0; c < a.size(); ++c)
          ASSERT_NEAR(a[c], b[c], 3e-13) << k[0] << k[1] << k[2] << k[3] << " site " << i;
      }
    }
  }
}

TEST_P(GaugeOn, NothingChangesUnderGaugeTransformations) {
  const auto links = random_links();
  const Link g = gauge::random_links(queue, lattice, 77);
  std::vector<Link> turned;
  for (int mu = 0; mu < dimensions; ++mu)
    turned.emplace_back(device, lattice, "turned links");
  Fermion psi(device, lattice, "psi"), turned_psi(device, lattice, "turned psi"),
      left(device, lattice, "g H psi");
  fill_random(queue, psi, 5);
  Field<C> before(device, lattice, "plaquettes"), after(device, lattice, "turned plaquettes");
  const Fermion hopped = hop(links, psi);
  gauge::transform(queue, turned, links, g);
  gauge::transform(queue, turned_psi, psi, g);
  gauge::transform(queue, left, hopped, g);
  gauge::plaquettes(queue, before, links);
  gauge::plaquettes(queue, after, turned);
  // Site by site, not only on average.
  const auto a = before.get(queue), b = after.get(queue);
  double spread = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i].re, b[i].re, 1e-12);
    ASSERT_NEAR(a[i].im, b[i].im, 1e-12);
    spread = std::max(spread, std::abs(a[i].re - a[0].re));
  }
  EXPECT_GT(spread, 0.1) << "the links are not random";
  Fermion right = hop(turned, turned_psi);
  const double size = norm2(queue, right);
  axpy(queue, right, -1.0, left, right);
  EXPECT_LT(norm2(queue, right) / size, 1e-28);
}

INSTANTIATE_TEST_SUITE_P(Here, GaugeOn, ::testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

} // namespace
} // namespace ridge::lattice
