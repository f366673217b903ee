#include <ridge/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace ridge {
namespace {

TEST(Random, IsAFunctionOfSeedAndIndex) {
  EXPECT_EQ(random_value(1, 5), random_value(1, 5));
  EXPECT_NE(random_value(1, 5), random_value(2, 5));
  EXPECT_NE(random_value(1, 5), random_value(1, 6));
}

TEST(Random, IsExactInFloatAndWithinOne) {
  for (int i = 0; i < 10000; ++i) {
    const double v = random_value(3, i);
    EXPECT_EQ(static_cast<double>(static_cast<float>(v)), v);
    EXPECT_GE(v, -1.0);
    EXPECT_LT(v, 1.0);
  }
}

TEST(Random, HasTheMomentsOfTheUniformDistribution) {
  double sum = 0;
  double squares = 0;
  double neighbours = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double v = random_value(9, i);
    sum += v;
    squares += v * v;
    neighbours += v * random_value(9, i + 1);
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / 3 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
  EXPECT_NEAR(neighbours / n, 0, 5.0 / 3 / std::sqrt(n));
}

} // namespace
} // namespace ridge
