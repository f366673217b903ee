// Chains over elements, under every schedule, on every device here.
#include <ridge/chain/elements.hpp>
#include <ridge/chain/over_ranks.hpp>
#include <ridge/chain/reference.hpp>

#include "element_chains.hpp"
#include "on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ridge::chain {
namespace {

using test::expect_everywhere;
using test::inputs;
using test::random_of;
using test::refusal_of;
using ::testing::HasSubstr;

template <class C, class T>
void expect_reference(const Range& n, int output, double tolerance) {
  const auto given = inputs<C>(n, random_of);
  auto right = given;
  apply_reference(C{}, n, right);
  expect_everywhere<C, T>(n, given, [&](const std::vector<T>& got) {
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(static_cast<double>(got[i]), right[static_cast<std::size_t>(output)][i],
                  tolerance)
          << i;
  });
}

TEST(Elements, EqualTheReference) {
  for (const Index levels : {1, 2, 9, 37}) {
    expect_reference<test::Derivatives<4, true>, double>({4, 4, levels}, 3, 1e-13);
    expect_reference<test::Derivatives<4, true>, float>({4, 4, levels}, 3, 1e-4);
    expect_reference<test::Derivatives<5, true>, double>({5, 5, levels}, 3, 1e-13);
    expect_reference<test::Derivatives<12, false>, double>({12, 3, levels}, 3, 1e-11);
    expect_reference<lab::ElementLaplacian<4>, double>({4, 4, levels, 5}, 6, 1e-12);
  }
}
TEST(Elements, ReadElementsAbove) {
  for (const Index levels : {1, 2, 13})
    expect_reference<test::Stack, double>({3, 3, levels}, 2, 1e-13);
  const Plan plan =
      make_plan(describe<test::Stack, double>(), {3, 3, 9}, {fuse_all, true, {0, 0, 4}, true});
  EXPECT_THAT(plan.note, HasSubstr("'above' runs apart from 'twice': lanes have a row"));
}

/// Derivatives of all powers that the points determine, to rounding.
template <int Np>
void expect_derivatives() {
  constexpr auto x = gauss_lobatto_points<Np>();
  constexpr auto d = derivative_matrix<Np>();
  for (int power = 0; power < Np; ++power) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j)
        sum += d.rows[i][j] * std::pow(x[j], power);
      const double right = power == 0 ? 0 : power * std::pow(x[i], power - 1);
      EXPECT_NEAR(sum, right, 1e-15 * Np * Np * Np) << Np << " points, power " << power;
    }
  }
}
TEST(Elements, DifferentiatePolynomialsExactly) {
  expect_derivatives<2>();
  expect_derivatives<3>();
  expect_derivatives<4>();
  expect_derivatives<5>();
  expect_derivatives<8>();
  expect_derivatives<16>();
  EXPECT_NEAR(gauss_lobatto_points<4>()[1], -1 / std::sqrt(5.0), 1e-16);
  EXPECT_NEAR(gauss_lobatto_points<5>()[3], std::sqrt(3.0 / 7), 1e-15);
}
/// On devices, too: x^3 along x and y^2 along y.
TEST(Elements, DifferentiatePolynomialsOnDevices) {
  using C = test::Derivatives<4, true>;
  constexpr auto x = gauss_lobatto_points<4>();
  const Index3 n{4, 4, 7};
  const auto given = inputs<C>(n, [&](int array, Index i) {
    if (array == 1) return 1.0;
    const double at = x[static_cast<std::size_t>(i % 4)];
    const double up = x[static_cast<std::size_t>(i / 4 % 4)];
    return at * at * at + up * up;
  });
  expect_everywhere<C, double>(n, given, [&](const std::vector<double>& got) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double at = x[i % 4];
      ASSERT_NEAR(got[i], 3 * at * at + 2 * x[i / 4 % 4], 1e-14) << i;
    }
  });
}

TEST(ElementPlans, SayWhatElementsNeed) {
  Description d = describe<test::Stack, double>();
  EXPECT_THAT(refusal_of([&] {
                (void)make_plan(d, {4, 3, 9}, {});
              }),
              HasSubstr("4 items along x; its elements have 3 points"));
  d.dimensions[0].points = 20;
  EXPECT_THAT(refusal_of([&] { check(d); }),
              HasSubstr("20 points along x: registers hold 2 to 16 of each array"));
  d = describe<test::Stack, double>();
  d.dimensions[2] = points(4);
  EXPECT_THAT(refusal_of([&] { check(d); }), HasSubstr("elements have them along x"));
  d = describe<test::Stack, double>();
  d.operations[0].scan = Scan::up;
  EXPECT_THAT(refusal_of([&] { check(d); }), HasSubstr("scans, and the chain has elements"));
  const auto division = division_of<test::Stack, double>({});
  EXPECT_EQ(division.undivided[0], "elements are not divided");
}

} // namespace
} // namespace ridge::chain
