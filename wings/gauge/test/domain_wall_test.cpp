// The domain-wall operator in five dimensions: hermiticity under reflection of the walls and
// gamma_5, and solutions put into the operator.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/device.hpp>
#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/gamma.hpp>
#include <ridge/gauge/su3.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace ridge::gauge {
namespace {

using FiveSites = DomainWallSolver::Sites;

HostLinks some_links(const Extents& extents) {
  HostLinks links(static_cast<std::size_t>(4 * extents.count()));
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i] = random_su3(3, static_cast<std::int64_t>(i), 0.4);
  return links;
}

FiveSites some_sites(Index count, std::uint64_t seed) {
  FiveSites sites(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (int c = 0; c < 12; ++c) {
      const auto at = static_cast<std::int64_t>(24 * i) + 2 * c;
      component(sites[i], c) = {random_value(seed, at), random_value(seed, at + 1)};
    }
  }
  return sites;
}

std::complex<double> inner(const FiveSites& x, const FiveSites& y) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < 12; ++c) {
      const auto &a = component(x[i], c), &b = component(y[i], c);
      sum += std::conj(std::complex(a.re, a.im)) * std::complex(b.re, b.im);
    }
  }
  return sum;
}

/// gamma_5 of what lies at Ls - 1 - s.
FiveSites reflected(const FiveSites& x, int values) {
  const std::size_t volume = x.size() / static_cast<std::size_t>(values);
  FiveSites turned(x.size());
  for (std::size_t s = 0; s < static_cast<std::size_t>(values); ++s)
    for (std::size_t i = 0; i < volume; ++i)
      turned[s * volume + i] = gamma5(x[(static_cast<std::size_t>(values) - 1 - s) * volume + i]);
  return turned;
}

double distance(const FiveSites& x, const FiveSites& y) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < 12; ++c) {
      const double error = std::hypot(component(x[i], c).re - component(y[i], c).re,
                                      component(x[i], c).im - component(y[i], c).im);
      worst = error <= worst ? worst : error;
    }
  }
  return worst;
}

/// |b - D x| / |b|.
double residual_of(DomainWallSolver& d, const FiveSites& x, const FiveSites& b) {
  const FiveSites image = d.apply(x);
  FiveSites rest = b;
  for (std::size_t i = 0; i < b.size(); ++i)
    rest[i] = b[i] - image[i];
  return std::sqrt(inner(rest, rest).real() / inner(b, b).real());
}

class DomainWallOn : public ::testing::TestWithParam<std::string> {};

TEST(DomainWall, IsHermitianUnderReflectionAndGamma5) {
  const Extents extents{4, 2, 2, 4};
  Queue queue{Device{DeviceId{DeviceKind::cpu}}};
  for (const int values : {2, 5, 8}) {
    DomainWallSolver shamir(queue, extents, some_links(extents), {0.1, 1.7, values});
    const FiveSites psi = some_sites(extents.count() * values, 5);
    EXPECT_LT(
        distance(reflected(shamir.apply(reflected(psi, values)), values), shamir.apply(psi, true)),
        1e-13);
  }
}

TEST(DomainWall, HasItsAdjoint) {
  const Extents extents{2, 4, 2, 2};
  Queue queue{Device{DeviceId{DeviceKind::cpu}}};
  for (const DomainWallNumbers& n :
       {DomainWallNumbers{0.2, 1.8, 6}, DomainWallNumbers{0.2, 1.4, 9, 1.5, 0.5}}) {
    DomainWallSolver d(queue, extents, some_links(extents), n);
    const FiveSites psi = some_sites(extents.count() * n.values, 5),
                    phi = some_sites(extents.count() * n.values, 6);
    EXPECT_LT(std::abs(inner(phi, d.apply(psi)) - inner(d.apply(phi, true), psi)), 1e-10);
  }
}

TEST(DomainWall, SolutionsSolve) {
  const Extents extents{4, 4, 2, 4};
  Queue queue{Device{DeviceId{DeviceKind::cpu}}};
  const DomainWallNumbers n{0.1, 1.6, 6, 1.25, 0.25};
  DomainWallSolver d(queue, extents, some_links(extents), n);
  const FiveSites b = some_sites(extents.count() * n.values, 5);
  FiveSites x;
  const solve::Solved solved = d.solve(x, b, {.tolerance = 1e-11});
  EXPECT_TRUE(solved.converged);
  EXPECT_GT(solved.iterations, 10);
  EXPECT_LT(residual_of(d, x, b), 1e-11);
  EXPECT_NEAR(residual_of(d, x, b), solved.residual, 1e-13);
}

TEST_P(DomainWallOn, MixedPrecisionReachesWhatDoubleReaches) {
  const Extents extents{4, 2, 2, 4};
  Queue queue{Device{GetParam()}};
  using Method = DomainWallSolver::Method;
  for (const DomainWallNumbers& n :
       {DomainWallNumbers{0.1, 1.5, 6, 1.25, 0.25}, DomainWallNumbers{0.1, 1.8, 2}}) {
    if (n.values == 2 && queue.device().kind() != DeviceKind::cpu) break; // one compilation less
    const FiveSites b = some_sites(extents.count() * n.values, 5);
    FiveSites x, right;
    DomainWallSolver mixed(queue, extents, some_links(extents), n, antiperiodic_in_time,
                           Method::mixed_cg);
    const solve::Solved solved = mixed.solve(x, b, {.tolerance = 1e-12});
    EXPECT_TRUE(solved.converged);
    EXPECT_GT(solved.updates, 3);
    EXPECT_LT(residual_of(mixed, x, b), 1e-12);
    EXPECT_NEAR(residual_of(mixed, x, b), solved.residual, 1e-14);
    DomainWallSolver wide(queue, extents, some_links(extents), n, antiperiodic_in_time, Method::cg);
    const solve::Solved reference = wide.solve(right, b, {.tolerance = 1e-12});
    EXPECT_LT(distance(x, right), 1e-10);
    EXPECT_EQ(reference.updates, 0);
    EXPECT_LE(solved.iterations, 1.3 * static_cast<double>(reference.iterations));
  }
}

INSTANTIATE_TEST_SUITE_P(Here, DomainWallOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(DomainWall, RefusesWhatItCannotDo) {
  const Extents extents{2, 2, 2, 2};
  Queue queue{Device{DeviceId{DeviceKind::cpu}}};
  const HostLinks links = some_links(extents);
  EXPECT_THROW(DomainWallSolver(queue, extents, links, {0.1, 1.8, 1}), UsageError);
  Boundary twisted = periodic;
  twisted[0] = {0, 1};
  EXPECT_THROW(DomainWallSolver(queue, extents, links, {0.1, 1.8, 4}, twisted), UsageError);
  DomainWallSolver d(queue, extents, links, {0.1, 1.8, 4});
  FiveSites q;
  EXPECT_THROW(d.propagate(q, FiveSites(3), {}), UsageError);
}

} // namespace
} // namespace ridge::gauge
