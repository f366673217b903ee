// The quick functions that GPUs use in place of their toolkits'.
#include <ridge/core/extents.hpp>
#include <ridge/core/quick_math.hpp>
#include <ridge/core/quick_root.hpp>
#include <ridge/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge {
namespace {

double units_in_last_place(double got, long double right) {
  const double r = static_cast<double>(right);
  const double unit = std::nextafter(std::abs(r), INFINITY) - std::abs(r);
  return static_cast<double>(std::abs(static_cast<long double>(got) - right) / unit);
}

TEST(QuickMath, DividesWithinTwoUnits) {
  double worst = 0;
  for (Index i = 0; i < 200000; ++i) {
    const double a = random_value(1, i) * std::pow(2.0, static_cast<double>(i % 60 - 30));
    const double b =
        (random_value(2, i) + 0.01) * std::pow(2.0, static_cast<double>(i % 200 - 100));
    const double got = quotient(Pack<double, 1>(a), Pack<double, 1>(b))[0];
    worst = std::max(worst, units_in_last_place(a * detail::quick_reciprocal(b),
                                                static_cast<long double>(a) / b));
    ASSERT_LE(units_in_last_place(got, static_cast<long double>(a) / b), 2) << a << " / " << b;
  }
  EXPECT_LE(worst, 2);
  EXPECT_EQ(detail::quick_reciprocal(1.0), 1);
  EXPECT_EQ(detail::quick_reciprocal(-0.25), -4);
}

TEST(QuickMath, RaisesPositiveNumbersToPowers) {
  EXPECT_EQ(detail::quick_power(1.0, 1.4), 1);
  EXPECT_EQ(detail::quick_power(2.0, 10.0), 1024);
  EXPECT_EQ(detail::quick_power(0.5, 3.0), 0.125);
  const double exponents[] = {1.4, -0.7, 0.25, 3, -2};
  for (Index i = 0; i < 300000; ++i) {
    // Around powers of two and the edges between them, and everywhere.
    const double near = i % 3 == 0 ? 1.0 : i % 3 == 1 ? std::sqrt(0.5) : 1 + random_value(3, i);
    const double x = near * (1 + 1e-6 * (random_value(4, i) - 0.5)) *
                     std::pow(2.0, static_cast<double>(i % 240 - 120));
    const double y = exponents[i % 5];
    const long double right = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    const double allowed = 3 + 1.5 * std::abs(y * std::log2(x));
    ASSERT_LE(units_in_last_place(detail::quick_power(x, y), right), allowed) << x << " ^ " << y;
    ASSERT_LE(units_in_last_place(power_of_positive(Pack<double, 1>(x), y)[0], right), allowed);
  }
}

TEST(QuickRoot, ImprovesWhatGpusApproximate) {
  double worst = 0;
  for (Index i = 0; i < 200000; ++i) {
    const double x =
        (random_value(5, i) + 1.001) * std::pow(2.0, static_cast<double>(i % 600 - 300));
    const double off = 0x1p-19 * random_value(6, i); // as rsqrt.approx.ftz.f64 is
    const double got = detail::improved_root(x, (1 + off) / std::sqrt(x));
    worst = std::max(worst, units_in_last_place(got, std::sqrt(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2);
  EXPECT_LE(units_in_last_place(detail::quick_root_of(2.0), std::sqrt(2.0L)), 2);
  EXPECT_LE(detail::quick_root_of(0.0), 1e-140);
  EXPECT_TRUE(std::isnan(detail::quick_root_of(std::numeric_limits<double>::quiet_NaN())));
}

TEST(QuickRoot, IsTheRootWhereTheDeviceHasIt) {
  const Pack<double, 1> x(7.0);
  EXPECT_EQ(quick_root(x)[0], std::sqrt(7.0));
  EXPECT_EQ(quick_root(Pack<double, 1>(0.0))[0], 0);
  EXPECT_EQ(quick_reciprocal(x)[0], 1 / 7.0);
  EXPECT_EQ(quick_max(x, Pack<double, 1>(8.0))[0], 8);
  EXPECT_TRUE(std::isnan(quick_max(Pack<double, 1>(std::nan("")), x)[0]));
}

} // namespace
} // namespace ridge
