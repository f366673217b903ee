// Timing of launches: how often they run and what the statistics are made of.
#include <ridge/core/error.hpp>
#include <ridge/record/load.hpp>
#include <ridge/record/measure.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
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

TEST_F(Measure, TakesTwoLaunchesInTurn) {
  std::string order;
  const InTurn turns = measure_in_turn(
      queue, [&] { order += 'a', spend(1e-3); }, [&] { order += 'b', spend(2e-3); },
      {.repeats = 6, .warm_up = 1});
  EXPECT_EQ(order, "abababababab"
                   "ab");
  EXPECT_EQ(turns.first.repeats, 6);
  EXPECT_EQ(turns.second.repeats, 6);
  EXPECT_GE(turns.first.least.value, 1e-3);
  EXPECT_GE(turns.second.least.value, 2e-3);
  ASSERT_TRUE(turns.quotient.has_interval());
  EXPECT_LE(turns.quotient.low, turns.quotient.value);
  EXPECT_GE(turns.quotient.high, turns.quotient.value);
}

/// A machine that becomes ten times slower half way: each launch's own times say nothing, the pairs
/// do. Times are given, not measured, by a launch that takes what the clock of the test says.
TEST(Pairs, AreNotMovedByWhatSlowsBothDown) {
  std::vector<double> quotients, first;
  for (int i = 0; i < 20; ++i) {
    const double weather = i < 10 ? 1 : 10;
    first.push_back(weather * (1 + 0.001 * (i % 3)));
    quotients.push_back(2 * weather * (1 + 0.001 * (i % 4)) / first.back());
  }
  const Estimate q = median_of(quotients);
  EXPECT_NEAR(q.value, 2, 0.01);
  EXPECT_LT(q.high - q.low, 0.02);
  const Estimate alone = median_of(first);
  EXPECT_GT(alone.high / alone.low, 9);
}

TEST_F(Measure, OfPairsEndsByPatienceButNotBeforeAnInterval) {
  int launches = 0;
  const InTurn turns = measure_in_turn(
      queue, [&] { ++launches, spend(2e-3); }, [] {},
      {.repeats = 1000, .warm_up = 0, .patience = Seconds{1e-3}});
  EXPECT_EQ(turns.first.repeats, least_for_interval);
  EXPECT_EQ(launches, least_for_interval);
}

TEST_F(Measure, OfPairsStopsWhenAsked) {
  struct Stop {};
  int asked = 0;
  const auto stop = [&] {
    if (++asked > 5) throw Stop{};
  };
  EXPECT_THROW((void)measure_in_turn(
                   queue, [] { spend(1e-3); }, [] { spend(1e-3); }, {.between = stop}),
               Stop);
}

TEST(Load, SaysHowLongThreadsWaitedForAProcessor) {
  const LoadWatch load;
  spend(0.05);
  if (const auto waited = load.waited()) {
    EXPECT_GE(*waited, 0);
    EXPECT_LE(*waited, 1.05);
    const bool busy = load.is_busy(); // a little later
    EXPECT_TRUE(busy || *waited < 0.2);
    EXPECT_TRUE(!busy || *waited > 0.05);
  }
}

} // namespace
} // namespace ridge
