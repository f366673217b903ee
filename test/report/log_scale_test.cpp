#include "report/log_scale.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace ridge::report {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::Pointwise;

TEST(LogScale, PutsDecadesAtEqualDistances) {
  const LogScale scale({1, 1000}, 1, 100, 400);
  EXPECT_NEAR(scale.at(1), 100, 1e-9);
  EXPECT_NEAR(scale.at(10), 200, 1e-9);
  EXPECT_NEAR(scale.at(1000), 400, 1e-9);
  EXPECT_NEAR(LogScale({1, 1000}, 1, 400, 100).at(10), 300, 1e-9);
}

TEST(LogScale, HasAMarginAndAtLeastADecade) {
  const LogScale wide({1, 1000}, 2, 0, 1);
  EXPECT_DOUBLE_EQ(wide.low(), 0.5);
  EXPECT_DOUBLE_EQ(wide.high(), 2000);
  const LogScale single({7}, 1, 0, 1);
  EXPECT_NEAR(single.high() / single.low(), 10, 1e-9);
  EXPECT_NEAR(single.at(7), 0.5, 1e-9);
}

TEST(LogScale, LeavesOutWhatHasNoLogarithm) {
  const double infinity = std::numeric_limits<double>::infinity();
  const LogScale scale({0, -3, infinity, 1, 1000}, 1, 0, 3);
  EXPECT_DOUBLE_EQ(scale.low(), 1);
  EXPECT_DOUBLE_EQ(scale.high(), 1000);
  EXPECT_GT(LogScale({}, 1, 0, 1).high(), 0);
  EXPECT_LE(LogScale({1e-308, 1e308}, 2, 0, 1).ticks().size(), 9U);
}

TEST(LogScale, HasRoundTicksInNumbersThatOneCanRead) {
  EXPECT_THAT(LogScale({1, 100}, 1, 0, 1).ticks(),
              Pointwise(DoubleNear(1e-9), {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}));
  EXPECT_THAT(LogScale({1, 1e4}, 1, 0, 1).ticks(),
              Pointwise(DoubleNear(1e-6), {1.0, 10.0, 100.0, 1e3, 1e4}));
  for (const double span : {10.0, 30.0, 1e3, 1e7, 1e20, 1e100}) {
    const std::size_t ticks = LogScale({1, span}, 1.3, 0, 1).ticks(8).size();
    EXPECT_GE(ticks, 2U) << span;
    EXPECT_LE(ticks, 9U) << span;
  }
}

} // namespace
} // namespace ridge::report
