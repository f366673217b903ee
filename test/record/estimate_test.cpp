// Medians and their intervals: against counts of what they promise.
#include <ridge/record/estimate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ridge {
namespace {

TEST(Estimate, IsTheMedian) {
  EXPECT_EQ(median_of({3}).value, 3);
  EXPECT_EQ(median_of({5, 1, 3}).value, 3);
  EXPECT_EQ(median_of({4, 1, 3, 2}).value, 2.5);
}

TEST(Estimate, OfFewerThanFiveHasNoInterval) {
  EXPECT_FALSE(median_of({1, 2, 3, 4}).has_interval());
  const Estimate five = median_of({5, 4, 3, 2, 1});
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
}

TEST(Estimate, TakesTheRanksOfTheSignTest) {
  // Of 15 values, the chance that at most 3 are below the median is 0.018, at most 4: 0.059.
  std::vector<double> values;
  for (int i = 1; i <= 15; ++i)
    values.push_back(i);
  EXPECT_EQ(median_of(values).low, 4);
  EXPECT_EQ(median_of(values).high, 12);
}

/// However lopsided the values are spread, the true median is inside nine times of ten.
TEST(Estimate, HoldsTheTrueMedianNineTimesOfTen) {
  std::mt19937 random(1);
  std::exponential_distribution<double> spread(1);
  const double truth = std::log(2.0);
  for (const int n : {5, 8, 15, 40}) {
    constexpr int trials = 4000;
    int inside = 0;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i)
        values.push_back(spread(random));
      const Estimate e = median_of(values);
      inside += e.low <= truth && truth <= e.high ? 1 : 0;
    }
    EXPECT_GE(inside, 0.885 * trials) << n;
    EXPECT_LE(inside, 0.985 * trials) << n << ": wider than it need be";
  }
}

TEST(Estimate, OfThousandsIsNarrow) {
  std::vector<double> values;
  for (int i = 1; i <= 3001; ++i)
    values.push_back(i);
  const Estimate e = median_of(values);
  EXPECT_LT(e.low, 1501);
  EXPECT_GT(e.low, 1300);
  EXPECT_GT(e.high, 1501);
}

} // namespace
} // namespace ridge
