// Several right-hand sides at once against one after the other.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::gauge {
namespace {

using SpinorSites = WilsonColumns::Sites;

constexpr int number = 6; // the values that other tests compile kernels for
const Extents size_here{4, 4, 2, 4};

HostLinks links_here() {
  HostLinks links(static_cast<std::size_t>(4 * size_here.count()));
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i] = random_su3(3, static_cast<std::int64_t>(i), 0.4);
  return links;
}

SpinorSites random_column(std::uint64_t seed) {
  SpinorSites sites(static_cast<std::size_t>(size_here.count()));
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (int c = 0; c < 12; ++c) {
      const auto at = static_cast<std::int64_t>(24 * i) + 2 * c;
      component(sites[i], c) = {random_value(seed, at), random_value(seed, at + 1)};
    }
  }
  return sites;
}

double length_of(const SpinorSites& x) {
  double sum = 0;
  for (const auto& site : x)
    for (int c = 0; c < 12; ++c)
      sum += component(site, c).re * component(site, c).re +
             component(site, c).im * component(site, c).im;
  return std::sqrt(sum);
}

double apart(SpinorSites x, const SpinorSites& y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = x[i] - y[i];
  return length_of(x);
}

class ColumnsOn : public ::testing::TestWithParam<std::string> {
protected:
  /// D x by another way: the operator on lattice fields, on the cpu.
  SpinorSites image(const WilsonNumbers& n, const SpinorSites& x) {
    Queue queue{Device{DeviceId{DeviceKind::cpu}}};
    WilsonSolver d(queue, size_here, links_here(), n, antiperiodic_in_time,
                   WilsonSolver::Method::cg);
    Fermion<double> in(queue.device(), d.lattice(), "x"), out(queue.device(), d.lattice(), "D x");
    in.set(queue, x);
    d.apply(out, in);
    return out.get(queue);
  }
};

TEST_P(ColumnsOn, EachIsSolvedAsIfAlone) {
  Queue queue{Device{GetParam()}};
  const WilsonNumbers n = by_mass(0.3);
  for (const auto method : {WilsonColumns::Method::mixed_cg, WilsonColumns::Method::cg}) {
    WilsonColumns solver(queue, size_here, links_here(), n, number, antiperiodic_in_time, method);
    // One of them is 0, and one a point: they converge in other numbers of iterations.
    std::vector<SpinorSites> b{random_column(5), SpinorSites(random_column(5).size()),
                               random_column(6), random_column(7),
                               random_column(8), random_column(4)};
    for (auto& site : b[2])
      site = 0.0 * site;
    component(b[2][5], 7) = {1, 0};
    std::vector<SpinorSites> x(number, SpinorSites(b[0].size()));
    x[0] = random_column(9); // where it begins, near the solution
    b[0] = image(n, x[0]);
    component(b[0][3], 2).re += 1e-2;
    const double tolerance = 1e-12;
    const auto solved = solver.solve(x, b, {.tolerance = tolerance});
    ASSERT_EQ(solved.size(), std::size_t{number});
    for (std::size_t c = 0; c < number; ++c) {
      EXPECT_TRUE(solved[c].converged) << c;
      const double size = c == 1 ? 1 : length_of(b[c]);
      const double rest = apart(image(n, x[c]), b[c]) / size;
      EXPECT_LE(rest, tolerance) << c;
      EXPECT_NEAR(rest, solved[c].residual, 1e-14) << c;
      EXPECT_EQ(solved[c].updates > 0, method == WilsonColumns::Method::mixed_cg);
    }
    EXPECT_EQ(solved[1].iterations, 0);
    EXPECT_EQ(length_of(x[1]), 0);
    EXPECT_GT(solved[0].iterations, 5);
    EXPECT_NE(solved[0].iterations, solved[2].iterations);
  }
}

TEST_P(ColumnsOn, StopsWhereIterationsEnd) {
  Queue queue{Device{GetParam()}};
  WilsonColumns solver(queue, size_here, links_here(), by_mass(0.3), number);
  const std::vector<SpinorSites> b(number, random_column(1));
  std::vector<SpinorSites> x(number, SpinorSites(b[0].size()));
  const auto few = solver.solve(x, b, {.tolerance = 1e-12, .most_iterations = 4});
  EXPECT_FALSE(few[0].converged);
  EXPECT_LE(few[0].iterations, 4);
  EXPECT_GT(few[0].residual, 1e-12);
  EXPECT_GT(length_of(x[0]), 0);
  int asked = 0;
  const auto stopped = solver.solve(x, b, {.tolerance = 1e-12, .go_on = [&](const auto&) {
                                             ++asked;
                                             return false;
                                           }});
  EXPECT_TRUE(stopped[2].stopped && !stopped[2].converged);
  EXPECT_GE(asked, 1);
}

/// Numbers of 16 bits know four digits of a spinor: the others come by residuals in double.
TEST_P(ColumnsOn, SixteenBitsInsideReachTwelveDigits) {
  Queue queue{Device{GetParam()}};
  const WilsonNumbers n = by_mass(0.2);
  WilsonColumns solver(queue, size_here, links_here(), n, 1, antiperiodic_in_time,
                       WilsonColumns::Method::fixed16_cg);
  const std::vector<SpinorSites> b{random_column(5)}, none{SpinorSites(b[0].size())};
  std::vector<SpinorSites> x{random_column(9)};
  const double tolerance = 1e-12;
  auto solved = solver.solve(x, b, {.tolerance = tolerance});
  ASSERT_EQ(solved.size(), 1U);
  EXPECT_TRUE(solved[0].converged);
  const double rest = apart(image(n, x[0]), b[0]) / length_of(b[0]);
  EXPECT_LE(rest, tolerance);
  EXPECT_NEAR(rest, solved[0].residual, 1e-14);
  EXPECT_NEAR(solver.residuals(x, b)[0], rest, 1e-14);
  EXPECT_GE(solved[0].updates, 4);
  EXPECT_GT(solved[0].flops, 0);

  // It goes on from what it has, stops where it must, and takes no step for nothing.
  x = none;
  solved = solver.solve(x, b, {.tolerance = tolerance, .most_iterations = 5});
  EXPECT_FALSE(solved[0].converged);
  EXPECT_LE(solved[0].iterations, 5);
  const double reached = solved[0].residual;
  EXPECT_LT(reached, 0.5);
  solved = solver.solve(x, b, {.tolerance = 0.9 * reached});
  EXPECT_TRUE(solved[0].converged);
  EXPECT_LT(solved[0].iterations, 5);
  x = none;
  solved = solver.solve(x, none, {.tolerance = tolerance});
  EXPECT_TRUE(solved[0].converged);
  EXPECT_EQ(solved[0].iterations, 0);
  x = none;
  solved = solver.solve(x, b, {.tolerance = tolerance, .go_on = [](const auto&) { return false; }});
  EXPECT_TRUE(solved[0].stopped && !solved[0].converged);
}

/// Near the critical mass fp32 and 16 bits know little of small residuals: with steps for another
/// residual than the one computed anew they diverged.
TEST_P(ColumnsOn, LowerPrecisionConvergesWhereDoubleDoes) {
  Queue queue{Device{GetParam()}};
  using Method = WilsonColumns::Method;
  for (const double mass : {-0.9}) {
    const WilsonNumbers n = by_mass(mass);
    std::vector<SpinorSites> b;
    for (std::uint64_t seed = 1; seed <= number; ++seed)
      b.push_back(random_column(seed));
    const auto most_of = [&](Method method) {
      const int columns = method == Method::fixed16_cg ? 1 : number;
      WilsonColumns solver(queue, size_here, links_here(), n, columns, periodic, method);
      Index most = 0;
      for (int first = 0; first < number; first += columns) {
        const std::vector<SpinorSites> some(b.begin() + first, b.begin() + first + columns);
        std::vector<SpinorSites> x(some.size(), SpinorSites(some[0].size()));
        for (const auto& one : solver.solve(x, some, {.tolerance = 1e-10})) {
          EXPECT_TRUE(one.converged) << mass;
          EXPECT_LE(one.residual, 1e-10) << mass;
          most = std::max(most, one.iterations);
        }
      }
      return most;
    };
    const Index right = most_of(Method::cg);
    EXPECT_GT(right, 100) << mass;
    for (const Method method : {Method::mixed_cg, Method::fixed16_cg})
      EXPECT_LE(most_of(method), 1.3 * static_cast<double>(right)) << mass;
  }
}

/// Few eigenvalues: exact after some iterations, and then rounding.
TEST_P(ColumnsOn, UnitLinksConvergeToo) {
  Queue queue{Device{GetParam()}};
  const Extents small{2, 2, 2, 2};
  const HostLinks unit(static_cast<std::size_t>(4 * small.count()), random_su3(3, 0, 0.0));
  WilsonColumns solver(queue, small, unit, by_mass(0.3), number);
  std::vector<SpinorSites> b(number, SpinorSites(16)), x = b;
  for (int c = 0; c < number; ++c)
    component(b[static_cast<std::size_t>(c)][0], c) = {1, 0};
  for (const auto& one : solver.solve(x, b, {.tolerance = 1e-10})) {
    EXPECT_TRUE(one.converged);
    EXPECT_LT(one.iterations, 20);
  }
}

TEST_P(ColumnsOn, KeepsTheBestThereIs) {
  Queue queue{Device{GetParam()}};
  const WilsonNumbers n = by_mass(0.3);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const auto method : {WilsonColumns::Method::mixed_cg, WilsonColumns::Method::cg}) {
    WilsonColumns solver(queue, size_here, links_here(), n, number, antiperiodic_in_time, method);
    std::vector<SpinorSites> b(number, random_column(5));
    std::vector<SpinorSites> x(number, SpinorSites(b[0].size()));
    for (auto& site : x[1])
      site = 1e30 * random_column(7)[0]; // worse than nothing
    component(x[2][3], 4) = {none, 0};
    component(b[3][2], 1) = {none, 0};
    // No number in double has such a residual.
    const auto solved = solver.solve(x, b, {.tolerance = 1e-18});
    for (std::size_t c = 0; c < number; ++c) {
      EXPECT_FALSE(solved[c].converged);
      if (c == 3) {
        EXPECT_TRUE(solved[c].broken);
        continue;
      }
      EXPECT_TRUE(solved[c].rounding) << c;
      EXPECT_LE(solved[c].residual, 1e-14) << c;
      EXPECT_LE(apart(image(n, x[c]), b[c]) / length_of(b[c]), 1e-14) << c;
      EXPECT_LT(solved[c].iterations, 300) << c;
    }
  }
}

/// Squares of some are no numbers, or 0.
TEST_P(ColumnsOn, SolveForRightHandSidesOfAnySize) {
  Queue queue{Device{GetParam()}};
  const std::vector<double> sizes{1, 0x1p531, 0x1p-665, 0x1p90, 1, 0x1p-90};
  for (const auto method : {WilsonColumns::Method::mixed_cg, WilsonColumns::Method::cg}) {
    WilsonColumns solver(queue, size_here, links_here(), by_mass(0.3), number, antiperiodic_in_time,
                         method);
    const std::vector<SpinorSites> plain(number, random_column(5)),
        none(number, SpinorSites(plain[0].size()));
    std::vector<SpinorSites> right = none, x = none, b = plain;
    (void)solver.solve(right, plain, {.tolerance = 1e-11});
    for (std::size_t c = 0; c < number; ++c)
      for (auto& site : b[c])
        site = sizes[c] * site;
    component(b[4][3], 2) = {std::numeric_limits<double>::infinity(), 0};
    const auto solved = solver.solve(x, b, {.tolerance = 1e-11});
    const auto rest = solver.residuals(x, b);
    for (std::size_t c = 0; c < number; ++c) {
      EXPECT_EQ(solved[c].converged, c != 4) << c;
      if (c == 4) continue;
      for (auto& site : x[c])
        site = (1 / sizes[c]) * site;
      EXPECT_LT(apart(x[c], right[c]), 1e-9 * length_of(right[c])) << c;
      EXPECT_GT(solved[c].residual, 0) << c;
      EXPECT_LE(solved[c].residual, 1e-11) << c;
      EXPECT_NEAR(rest[c], solved[c].residual, 1e-14) << c;
    }
  }
  WilsonColumns solver(queue, size_here, links_here(), by_mass(0.3), 1, antiperiodic_in_time,
                       WilsonColumns::Method::fixed16_cg);
  for (const double size : {0x1p531, 0x1p-665}) {
    std::vector<SpinorSites> b{random_column(5)}, x{SpinorSites(b[0].size())};
    for (auto& site : b[0])
      site = size * site;
    const auto solved = solver.solve(x, b, {.tolerance = 1e-10});
    EXPECT_TRUE(solved[0].converged) << size;
    EXPECT_GT(solved[0].residual, 0) << size;
    EXPECT_LE(solved[0].residual, 1e-10) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Here, ColumnsOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(Columns, RefuseWhatTheyCannotDo) {
  Queue queue{Device{DeviceId{DeviceKind::cpu}}};
  EXPECT_THROW(WilsonColumns(queue, size_here, links_here(), by_mass(0.3), 1), UsageError);
  EXPECT_THROW(WilsonColumns(queue, size_here, links_here(), by_mass(0.3), 2, antiperiodic_in_time,
                             WilsonColumns::Method::fixed16_cg),
               UsageError);
  WilsonColumns solver(queue, size_here, links_here(), by_mass(0.3), 2);
  std::vector<SpinorSites> x(2, SpinorSites(3)), b(2, random_column(1));
  EXPECT_THROW((void)solver.solve(x, b, {}), UsageError);
}

} // namespace
} // namespace ridge::gauge
