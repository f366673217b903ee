// Several right-hand sides at once against one after the other.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
    x[0] = random_column(9); // where it begins
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
