// Where a run of iterations ends, foreseen by how fast residuals fall.
#include "solve/iteration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge::solve {
namespace {

/// A column whose |r|^2 falls by `rate` an iteration, in natural logarithms.
struct Decay {
  double rate, target2;
  [[nodiscard]] double residual2_at(Index iteration) const {
    return 7 * std::exp(-rate * static_cast<double>(iteration));
  }
  /// Iterations after which it is no larger than its target.
  [[nodiscard]] Index end() const {
    return static_cast<Index>(std::ceil(std::log(7 / target2) / rate));
  }
};

/// Scalars of columns after so many iterations of each; those at their targets have ended.
std::vector<double> scalars_at(const std::vector<Decay>& columns, Index iteration) {
  std::vector<double> all(columns.size() * static_cast<std::size_t>(scalars), 0);
  double* s = all.data();
  for (const Decay& c : columns) {
    const Index done = std::min(iteration, c.end());
    s[residual2] = c.residual2_at(done);
    s[target2] = c.target2;
    s[iterations] = static_cast<double>(done);
    s[ended] = iteration >= c.end() ? 1 : 0;
    s += scalars;
  }
  return all;
}

TEST(Forecast, ForeseesASteadyDecayFromTwoLooks) {
  const std::vector<Decay> one{{0.37, 1e-12}};
  Forecast forecast(1);
  forecast.forget();
  EXPECT_FALSE(forecast.knows());
  EXPECT_GT(forecast.left(0), 1'000'000);
  forecast.note(scalars_at(one, 0).data(), 0);
  EXPECT_FALSE(forecast.knows()); // a height, but no rate
  forecast.note(scalars_at(one, 3).data(), 3);
  EXPECT_TRUE(forecast.knows());
  const Index end = one[0].end(); // 80
  EXPECT_EQ(forecast.left(3), end - 3);
  EXPECT_EQ(forecast.left(13), end - 13); // what was given since then
  EXPECT_EQ(forecast.left(end + 5), 0);
  forecast.note(scalars_at(one, end).data(), end + 5);
  EXPECT_EQ(forecast.left(end + 5), 0);
}

TEST(Forecast, WaitsForTheSlowestOfItsColumns) {
  const std::vector<Decay> columns{{1.9, 1e-9}, {0.2, 1e-9}, {0.5, 1e-20}};
  Forecast forecast(3);
  forecast.note(scalars_at(columns, 0).data(), 0);
  forecast.note(scalars_at(columns, 2).data(), 2);
  EXPECT_EQ(forecast.left(2), std::max(columns[1].end(), columns[2].end()) - 2);
  // The first has ended: its residual stands still and counts no more.
  ASSERT_LT(columns[0].end(), 20);
  forecast.note(scalars_at(columns, 20).data(), 20);
  forecast.note(scalars_at(columns, 30).data(), 30);
  EXPECT_EQ(forecast.left(30), std::max(columns[1].end(), columns[2].end()) - 30);
}

TEST(Forecast, KeepsRatesFromRunToRun) {
  std::vector<Decay> one{{0.37, 1e-4}};
  Forecast forecast(1);
  forecast.note(scalars_at(one, 0).data(), 0);
  forecast.note(scalars_at(one, 10).data(), 10);
  forecast.forget();
  EXPECT_FALSE(forecast.knows());
  one[0].target2 = 1e-10; // the same column goes on to another target
  forecast.note(scalars_at(one, 30).data(), 0);
  EXPECT_EQ(forecast.left(0), one[0].end() - 30);
  // The next solve counts its iterations from 0.
  forecast.forget();
  forecast.note(scalars_at(one, 0).data(), 0);
  EXPECT_EQ(forecast.left(0), one[0].end());
}

TEST(Forecast, KnowsNothingOfWhatDoesNotFall) {
  const std::vector<Decay> grows{{-0.3, 1e-10}};
  std::vector<double> s(static_cast<std::size_t>(scalars), 0);
  Forecast forecast(1);
  for (const Index done : {0, 3, 13}) {
    s[residual2] = grows[0].residual2_at(done);
    s[target2] = 1e-10;
    s[iterations] = static_cast<double>(done);
    forecast.note(s.data(), done);
    EXPECT_FALSE(forecast.knows()) << done;
  }
  s[residual2] = 1e-3; // a target of 0 is never met
  s[target2] = 0;
  s[iterations] = 23;
  forecast.note(s.data(), 23);
  EXPECT_FALSE(forecast.knows());
}

TEST(Forecast, TakesLogarithmsThatRanksAgreeOn) {
  for (const double x : {1e-300, 3.7e-11, 0.5, 0.75, 0.99999, 1.0, 1.5, 2.0, 6.02e23, 1e300})
    EXPECT_NEAR(log_of(x), std::log(x), 1e-6) << x;
  EXPECT_EQ(log_of(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(log_of(1), 0);
}

TEST(Drop, GoesFurtherWhereResidualsAreRight) {
  Drop drop(1e-2);
  drop.note(1.1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(drop.factor(), 1e-3);
  drop.note(1e-10, 1e-10);
  drop.note(1e-18, 1e-18);
  EXPECT_DOUBLE_EQ(drop.factor(), 1e-4); // single precision knows no more
  drop.note(2e-18, 1e-18);
  EXPECT_DOUBLE_EQ(drop.factor(), 1e-4);
  drop.note(9e-18, 1e-18);
  EXPECT_DOUBLE_EQ(drop.factor(), 1e-3);
  for (int i = 0; i < 4; ++i)
    drop.note(std::numeric_limits<double>::quiet_NaN(), 1e-18);
  EXPECT_DOUBLE_EQ(drop.factor(), 0.1);
}

} // namespace
} // namespace ridge::solve
