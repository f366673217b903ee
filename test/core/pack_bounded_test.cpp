// Bounds of computations in a precision: they hold, for any functor, and are no larger than
// rounding explains.
#include <ridge/core/pack_bounded.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ridge {
namespace {

/// Functions of two numbers that cancel, divide, choose and call.
struct Difference {
  template <class V>
  V operator()(const V& x, const V& y) const {
    return (x + 0.1) * (x - y) - 0.3 * x * (x - y);
  }
};
struct Quotient {
  template <class V>
  V operator()(const V& x, const V& y) const {
    return (x * x - y * y) / (x + y + 5.5);
  }
};
struct Limited {
  template <class V>
  V operator()(const V& x, const V& y) const {
    const V slope = x - 0.7 * y;
    return select(slope < 0.0, slope * x, slope * y) + rsqrt<Grade::refined>(x * x + 0.01);
  }
};
struct Functions {
  template <class V>
  V operator()(const V& x, const V& y) const {
    return exp(x - y) * sin(3.0 * x) + log(x * x + 1.0) - sqrt(y * y + 0.5) +
           pow(x * x + 0.25, 1.7) * cos(y);
  }
};
struct Newton {
  template <class V>
  V operator()(const V& x, const V& /*y*/) const {
    const V square = x * x + 0.5;
    V root = 0.5 * (square + 1.0);
    for (int i = 0; i < 8; ++i)
      root = 0.5 * (root + square / root);
    return root - 1.0;
  }
};

/// The largest |f in T - f in double| / bound, and the largest bound, in roundings of the values.
template <class T, class F>
void expect_bounds(const F& f, double least_ratio, double most_bound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-2, 2);
  double worst = 0, loosest = 0;
  for (int i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(number(random)), y = static_cast<T>(number(random));
    using InT = Pack<T, 1, abi::Array>;
    const auto found = static_cast<double>(f(InT(x), InT(y))[0]);
    const BoundedPack<T> right =
        f(BoundedPack<T>(static_cast<double>(x), 0), BoundedPack<T>(static_cast<double>(y), 0));
    const double bound = right.bound + rounding_of<T>(right[0]);
    const double error = std::abs(found - right[0]);
    ASSERT_LE(error, bound) << x << " " << y;
    worst = std::max(worst, error / bound);
    loosest = std::max(loosest, bound / bounded_unit<T>);
  }
  EXPECT_GE(worst, least_ratio) << "the bound says nothing";
  EXPECT_LE(loosest, most_bound);
}

TEST(BoundedPack, HoldsForFloats) {
  expect_bounds<float>(Difference{}, 0.005, 200);
  expect_bounds<float>(Quotient{}, 0.005, 200);
  expect_bounds<float>(Limited{}, 0.005, 1e3);
  expect_bounds<float>(Functions{}, 0.005, 1e4);
  expect_bounds<float>(Newton{}, 0.0005, 1e4);
}

TEST(BoundedPack, IsExactForWhatIsGiven) {
  const BoundedPack<float> x(0.5, 0.0);
  EXPECT_EQ((-x).bound, 0);
  EXPECT_EQ(select(x < 1.0, x, BoundedPack<float>(7.0, 0)).bound, 0);
  EXPECT_EQ((2.0 * x)[0], 1);
  EXPECT_LE((2.0 * x).bound, 10 * static_cast<double>(std::numeric_limits<float>::epsilon()));
}

TEST(BoundedPack, AllowsBothSidesOfAChoiceThatRoundingTurns) {
  const BoundedPack<float> x(0.1, 0.0), y(0.3, 0.0);
  const BoundedPack<float> near = 3.0 * x - y; // nearly 0, by rounding
  const auto chosen = select(near > 0.0, BoundedPack<float>(5.0), BoundedPack<float>(8.0));
  EXPECT_GE(chosen.bound, 3);
  EXPECT_EQ(select(x > 0.0, BoundedPack<float>(5.0), BoundedPack<float>(8.0)).bound, 0);
}

TEST(BoundedPack, IsUnboundedWhereRoundingMayGiveAnything) {
  const BoundedPack<double> x(0.1, 0.0), y(0.3, 0.0);
  EXPECT_TRUE(std::isinf((x / (3.0 * x - y)).bound));
  EXPECT_FALSE(std::isinf((x / (2.0 * x - y)).bound));
}

/// A function of the user's that knows packs as arrays only.
template <class T, int N>
Pack<T, N, abi::Array> doubled(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return x.lane[i] + x.lane[i]; });
}

TEST(BoundedPack, TakesFunctionsThatDoNotKnowIt) {
  const BoundedPack<float> x(0.3, 0.0);
  BoundedPack<float> y = 2.0 * doubled(x) - x;
  y += doubled(y);
  EXPECT_NEAR(y[0], 2.7, 1e-12);
  EXPECT_GT(y.bound, 0);
  EXPECT_LT(y.bound, 1e-4);
}

} // namespace
} // namespace ridge
