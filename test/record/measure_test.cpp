// Timing of launches: how often they run and what the statistics are made of.
#include <ridge/core/error.hpp>
#include <ridge/record/measure.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace ridge {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps the thread busy for at least this long: sleeping would depend on the system's timer.
void spend(double seconds) {
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
  }
}

class Measure : public testing::Test {
protected:
  Queue queue{Device("cpu")};
};

TEST_F(Measure, RunsALongLaunchOncePerWarmUpAndRepeat) {
  int launches = 0;
  const Timing timing =
      measure(queue, [&] { ++launches, spend(1e-3); }, {.repeats = 5, .warm_up = 3});
  EXPECT_EQ(launches, 8);
  EXPECT_EQ(timing.repeats, 5);
}

TEST_F(Measure, LeavesWarmUpOut) {
  int launches = 0;
  const Timing timing =
      measure(queue, [&] { spend(++launches <= 2 ? 0.2 : 1e-3); }, {.repeats = 5, .warm_up = 2});
  EXPECT_LT(timing.median.value, 0.2);
  EXPECT_GE(timing.least.value, 1e-3);
}

TEST_F(Measure, OrdersLeastMedianAndMost) {
  // Odd: the one in the middle, whatever the order they came in.
  const std::vector<double> times = {1e-3, 30e-3, 2e-3, 10e-3, 1e-3, 20e-3};
  std::size_t next = 0;
  const Timing timing = measure(queue, [&] { spend(times[next++]); }, {.repeats = 5, .warm_up = 1});
  EXPECT_GE(timing.least.value, 1e-3);
  EXPECT_GE(timing.median.value, 10e-3);
  EXPECT_GE(timing.most.value, 30e-3);
  EXPECT_LE(timing.least, timing.median);
  EXPECT_LE(timing.median, timing.most);
}

TEST_F(Measure, TakesTheMeanOfTheMiddleTwo) {
  const std::vector<double> times = {1e-3, 1e-3, 40e-3};
  std::size_t next = 0;
  const Timing timing = measure(queue, [&] { spend(times[next++]); }, {.repeats = 2, .warm_up = 1});
  EXPECT_NEAR(timing.median.value, (timing.least.value + timing.most.value) / 2, 1e-12);
}

TEST_F(Measure, TimesShortLaunchesInBatches) {
  int launches = 0;
  const Timing timing = measure(queue, [&] { ++launches; }, {.repeats = 4, .warm_up = 1});
  EXPECT_EQ(timing.repeats, 4);
  EXPECT_GT(launches, 100);
  EXPECT_GT(timing.least.value, 0);
  EXPECT_LT(timing.least.value, 1e-5); // of one launch, not of a batch
}

TEST_F(Measure, TimesShortLaunchesInBatchesAfterASlowFirstOne) {
  int launches = 0;
  const auto slow_first = [&] {
    if (++launches == 1) spend(5e-3);
  };
  const Timing timing = measure(queue, slow_first, {.repeats = 4, .warm_up = 1});
  EXPECT_EQ(timing.repeats, 4);
  EXPECT_GT(launches, 100);
}

TEST_F(Measure, StopsWhenItsPatienceEnds) {
  int launches = 0;
  const Timing timing = measure(queue, [&] { ++launches, spend(2e-3); },
                                {.repeats = 1000, .warm_up = 1, .patience = Seconds{1e-3}});
  EXPECT_EQ(timing.repeats, 3);
  EXPECT_EQ(launches, 4);
}

TEST_F(Measure, NeedsNoWarmUp) {
  int launches = 0;
  const Timing timing =
      measure(queue, [&] { ++launches, spend(1e-3); }, {.repeats = 1, .warm_up = 0});
  EXPECT_EQ(timing.repeats, 1);
  EXPECT_EQ(launches, 1);
  EXPECT_EQ(timing.least, timing.most);
}

TEST_F(Measure, RefusesNoRepeats) {
  EXPECT_THROW((void)measure(queue, [] {}, {.repeats = 0}), UsageError);
}

TEST_F(Measure, PassesOnWhatALaunchThrows) {
  EXPECT_THROW((void)measure(queue, [] { throw std::runtime_error("no"); }), std::runtime_error);
}

} // namespace
} // namespace ridge
