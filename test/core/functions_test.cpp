#include <ridge/core/pack_bounded.hpp>

#include "functions_checks.hpp"

#include <random>

namespace ridge {
namespace {

TEST(Functions, OfPacksAsArraysAreThoseOfTheStandardLibrary) {
  check_functions<Pack<double, 1>>();
  check_functions<Pack<double, 2>>();
  check_functions<Pack<float, 4>>();
}

TEST(Functions, OfPlainNumbersAreThoseOfTheStandardLibrary) {
  check_functions<double>();
  check_functions<float>();
  EXPECT_EQ(ridge::sqrt(2), std::sqrt(2.0));
  EXPECT_EQ(ridge::min(2, 3), 2);
  EXPECT_EQ(ridge::max(2, 2.5), 2.5);
  EXPECT_EQ(ridge::abs(-3), 3.0);
}

/// Each function that a bound is passed on through, of numbers where it is smooth and where not.
struct WholeNumbers {
  template <class V>
  V operator()(const V& x, const V& y) const {
    return floor(3.3 * x) + ceil(2.7 * y) - trunc(x * y) + abs(x - y);
  }
};
struct SmoothFunctions {
  template <class V>
  V operator()(const V& x, const V& y) const {
    return tan(0.6 * x) * tanh(x - y) + hypot(x - y, 0.1) + pow(1.5, x) +
           by_lane([](auto v) { return std::cbrt(v + 3); }, x * y);
  }
};
struct Choices {
  template <class V>
  V operator()(const V& x, const V& y) const {
    V sum = min(x + 0.1, 0.9 * y) + max(x - y, 0.25) + fma(x, 0.1, y);
    sum += select((x < 0.1 * y && !(y < -x)) || x == y, 3 * x, 0);
    sum *= 0.7;
    return sum + select(x != y, 0.1, 0);
  }
};

template <class T, class F>
void expect_within_bounds(const F& f) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> number(-2, 2);
  double worst = 0;
  int loose = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const T x = static_cast<T>(number(random)),
            y = i % 16 == 0 ? x : static_cast<T>(number(random));
    const auto found = static_cast<double>(f(Pack<T, 1>(x), Pack<T, 1>(y))[0]);
    const BoundedPack<T> right =
        f(BoundedPack<T>(static_cast<double>(x), 0), BoundedPack<T>(static_cast<double>(y), 0));
    ASSERT_LE(std::abs(found - right[0]), right.bound + rounding_of<T>(right[0])) << x << ' ' << y;
    worst = std::max(worst, std::abs(found - right[0]) / right.bound);
    if (!(right.bound < 1e3 * bounded_unit<T>)) ++loose;
  }
  EXPECT_GT(worst, 0.005) << "the bound says nothing";
  EXPECT_LT(loose, count / 100);
}

TEST(Functions, PassOnBounds) {
  expect_within_bounds<float>(WholeNumbers{});
  expect_within_bounds<float>(SmoothFunctions{});
  expect_within_bounds<float>(Choices{});
}

TEST(Functions, BoundsAllowBothSidesOfAStep) {
  const BoundedPack<float> x(2.9999999, 1e-6);
  EXPECT_EQ(floor(x)[0], 2);
  EXPECT_GE(floor(x).bound, 1);
  EXPECT_EQ(abs(x).bound, x.bound);
  EXPECT_LT(floor(BoundedPack<float>(2.5, 1e-6)).bound, 1e-5);
  EXPECT_TRUE(std::isinf(tan(BoundedPack<float>(1.5707963, 1e-3)).bound));
  EXPECT_FALSE((x == BoundedPack<float>(3.0, 0)).sure);
  EXPECT_TRUE((x == BoundedPack<float>(4.0, 0)).sure);
  EXPECT_TRUE((x == x).sure && (x <= x).sure) << "which asks for NaN";
  EXPECT_TRUE((x == BoundedPack<float>(3.0, 0) && x > 4).sure);
  EXPECT_FALSE((x == BoundedPack<float>(3.0, 0) || x > 4).sure);
  EXPECT_FALSE((!(x != BoundedPack<float>(3.0, 0))).sure);
}

} // namespace
} // namespace ridge
