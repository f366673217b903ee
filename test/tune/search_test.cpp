// The search on grounds whose times are known: clocks, noise and models are made up.
#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>
#include <ridge/tune/search.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace ridge::tune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct Stop {};

std::string name(int a, int b, int c) {
  return "a=" + std::to_string(a) + " b=" + std::to_string(b) + " c=" + std::to_string(c);
}

/// 500 schedules; the time of each depends on its three fields.
class Made {
public:
  Made() {
    for (int a = 0; a < 10; ++a) {
      for (int b = 0; b < 10; ++b) {
        for (int c = 0; c < 5; ++c) {
          const double dip = 1 + 0.03 * std::abs(a - 7) + 0.05 * std::abs(b - 3) + 0.02 * c;
          times[name(a, b, c)] = 1e-3 * dip * (1 + 0.01 * ((a * 7 + b * 3 + c) % 5));
        }
      }
    }
  }

  Ground ground() {
    Ground g;
    for (const auto& [schedule, seconds] : times)
      g.space.push_back(schedule);
    g.bind = [this](const std::string& schedule) {
      ++binds;
      clock += bind_seconds;
      if (const auto at = broken.find(schedule); at != broken.end()) throw Failure(at->second);
      return [this, seconds = times.at(schedule)] {
        ++launches;
        const bool is_spike = std::uniform_real_distribution<double>()(random) < spikes;
        const double now =
            seconds * weather() * (1 + noise * jitter(random)) * (is_spike ? 100 : 1);
        clock += now;
        return now;
      };
    };
    g.around = [this](const std::string& schedule) {
      std::vector<std::string> near;
      for (const auto& [other, seconds] : times) {
        const auto a = text::words(schedule);
        const auto b = text::words(other);
        int apart = 0;
        for (std::size_t i = 0; i < 3; ++i)
          apart += a[i] != b[i] ? 1 : 0;
        if (apart == 1) near.push_back(other);
      }
      return near;
    };
    return g;
  }
  SearchOptions options(double budget = 30) {
    SearchOptions o;
    o.budget = budget;
    o.now = [this] { return clock; };
    return o;
  }
  [[nodiscard]] double least() const {
    double all = 1;
    for (const auto& [schedule, seconds] : times)
      all = std::min(all, seconds);
    return all;
  }
  /// What slows everything down for a while, as on a shared machine.
  [[nodiscard]] double weather() const { return slow && std::fmod(clock, 0.1) < 0.05 ? 2 : 1; }

  std::map<std::string, double> times;
  std::map<std::string, std::string> broken;
  double clock = 0, bind_seconds = 0.01, noise = 0.01, spikes = 0;
  bool slow = false;
  int binds = 0, launches = 0;
  std::mt19937 random{7};
  std::normal_distribution<double> jitter{0, 1};
};

TEST(Search, ComesWithinTwoPercentAfterATenthOfTheSpaceWithAModelThatErrs) {
  Made made;
  Ground ground = made.ground();
  std::normal_distribution<double> error(0, 0.1);
  std::map<std::string, double> said;
  for (const auto& [schedule, seconds] : made.times)
    said[schedule] = seconds * std::exp(error(made.random));
  ground.cost = [&](const std::string& s) { return said.at(s); };
  const Found found = search(ground, name(0, 0, 0), made.options());
  EXPECT_LE(made.times.at(found.best.schedule), 1.02 * made.least());
  EXPECT_EQ(found.space, 500);
  EXPECT_LE(found.measured, 50);
  EXPECT_EQ(found.end, Found::End::settled);
  EXPECT_LE(found.left, 0.02);
  const auto first = std::min_element(said.begin(), said.end(),
                                      [](auto& a, auto& b) { return a.second < b.second; });
  EXPECT_EQ(found.ranked_first, first->first);
}

TEST(Search, ClimbsWithoutAModelFromTheDefault) {
  Made made;
  const Found found = search(made.ground(), name(6, 5, 1), made.options());
  EXPECT_LE(made.times.at(found.best.schedule), 1.02 * made.least());
  EXPECT_LE(found.measured, 50);
}

TEST(Search, SaysTheGainOverTheDefaultWithAnInterval) {
  Made made;
  const std::string standard = name(2, 6, 0);
  const Found found = search(made.ground(), standard, made.options());
  const double truth = made.times.at(standard) / made.times.at(found.best.schedule);
  ASSERT_TRUE(found.gain.has_interval());
  EXPECT_NEAR(found.gain.value, truth, 0.02 * truth);
  EXPECT_LE(found.gain.low, found.gain.value);
  EXPECT_GE(found.gain.high, found.gain.value);
  EXPECT_EQ(found.standard.schedule, standard);
}

TEST(Search, IsNotFooledByAMachineThatIsSlowForAWhile) {
  Made made;
  made.slow = true;
  const Found found = search(made.ground(), name(7, 4, 0), made.options());
  EXPECT_LE(made.times.at(found.best.schedule), 1.03 * made.least());
}

TEST(Search, IsNotFooledByLaunchesThatAreInterruptedNowAndThen) {
  Made made;
  made.spikes = 0.2;
  const Found found = search(made.ground(), name(7, 4, 0), made.options());
  EXPECT_LE(made.times.at(found.best.schedule), 1.03 * made.least());
}

TEST(Search, KeepsTheDefaultWhereNothingIsBetter) {
  Made made;
  made.noise = 0;
  const auto best = std::min_element(made.times.begin(), made.times.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  const Found found = search(made.ground(), best->first, made.options());
  EXPECT_EQ(found.best.schedule, best->first);
  EXPECT_EQ(found.gain.value, 1);
}

TEST(Search, OfAllMeasuresTheWholeSpaceAndFindsItsBest) {
  Made made;
  made.noise = 0.001;
  SearchOptions options = made.options(1000);
  options.order = Order::all;
  const Found found = search(made.ground(), name(0, 0, 0), options);
  EXPECT_EQ(found.measured, 500);
  EXPECT_NEAR(made.times.at(found.best.schedule), made.least(), 0.003 * made.least());
}

TEST(Search, KeepsItsScaleWhereLaunchesVary) {
  Made made;
  made.noise = 0.1;
  SearchOptions options = made.options(1000);
  options.order = Order::all;
  const Found found = search(made.ground(), name(0, 9, 4), options); // the slowest but a few
  double sum = 0;
  for (const Trial& t : found.trials)
    sum += t.seconds / made.times.at(t.schedule);
  EXPECT_NEAR(sum / found.measured, 1, 0.2);
}

TEST(Search, OfAllLetsWhatIsKnownPlayInTheFinals) {
  Made made;
  made.noise = 0.04; // of one launch: the finals know better
  SearchOptions options = made.options(1000);
  options.order = Order::all;
  options.known = {name(2, 3, 0)};
  const Found found = search(made.ground(), name(0, 0, 0), options);
  const auto known = std::find_if(found.trials.begin(), found.trials.end(), [&](const Trial& t) {
    return t.schedule == options.known.front();
  });
  ASSERT_NE(known, found.trials.end());
  EXPECT_NEAR(known->seconds / found.best.seconds,
              made.times.at(known->schedule) / made.times.at(found.best.schedule), 0.06);
}

TEST(Search, AtRandomMeasuresAsManyOthersAndFindsLess) {
  int worse = 0;
  std::string gaps;
  for (int i = 0; i < 5; ++i) {
    Made made;
    made.random.seed(static_cast<unsigned>(i));
    const Found guided = search(made.ground(), name(i, 9, 4), made.options());
    SearchOptions options = made.options(1000);
    options.order = Order::random;
    options.most = guided.measured;
    const Found random = search(made.ground(), name(i, 9, 4), options);
    EXPECT_EQ(random.measured, guided.measured);
    EXPECT_EQ(random.ranked_first, "");
    const double by = made.times.at(random.best.schedule) / made.times.at(guided.best.schedule);
    worse += by > 1 ? 1 : 0;
    gaps += std::to_string(by) + " ";
  }
  EXPECT_GE(worse, 4) << gaps;
}

TEST(Search, CorrectsTheFirstLookByTheFinals) {
  Made made;
  made.noise = 0.05;
  const Found found = search(made.ground(), name(7, 4, 0), made.options());
  for (const Trial& t : found.trials) {
    if (t.schedule == found.best.schedule) {
      EXPECT_EQ(t.seconds, found.best.seconds);
    }
  }
}

TEST(Search, EndsByTheBudgetAndSaysWhatMayBeLeft) {
  Made made;
  made.bind_seconds = 1; // compiling
  const Found found = search(made.ground(), name(0, 9, 4), made.options(5));
  EXPECT_LT(found.spent, 6.5);
  EXPECT_LE(found.measured, 6);
  EXPECT_GE(found.measured, 2);
  EXPECT_LE(found.best.seconds, found.standard.seconds);
}

TEST(Search, OfNoTimeForAnotherDoesNotSayThatTheDefaultIsTheBest) {
  Made made;
  made.bind_seconds = 9; // compiling the default alone
  const Found found = search(made.ground(), name(0, 9, 4), made.options(5));
  EXPECT_EQ(found.measured, 1);
  EXPECT_EQ(found.end, Found::End::budget);
  EXPECT_EQ(found.left, 1);
}

TEST(Search, OfTooLittleTimeForAnIntervalSaysThatNothingIsKnown) {
  Made made;
  made.bind_seconds = 0;
  for (auto& [schedule, seconds] : made.times)
    seconds *= 1000; // seconds a launch
  const Found found = search(made.ground(), name(0, 0, 0), made.options(20));
  EXPECT_EQ(found.end, Found::End::budget);
  EXPECT_EQ(found.left, 1);
  EXPECT_FALSE(found.gain.has_interval());
}

TEST(Search, CompilesOnlyWhenNothingElseIsLeftAroundTheBest) {
  Made made;
  made.bind_seconds = 0.001;
  Ground ground = made.ground();
  // The first field is compiled in, as a tile is; only that of the default is there.
  std::set<std::string> compiled{"a=5"};
  const auto variant = [](const std::string& s) { return std::string(text::words(s)[0]); };
  ground.ready = [&](const std::string& s) { return compiled.contains(variant(s)); };
  std::vector<std::size_t> batches;
  std::vector<int> measured_before;
  ground.prepare = [&](const std::vector<std::string>& all) {
    made.clock += 4;
    std::size_t lacking = 0;
    for (const std::string& s : all)
      lacking += compiled.insert(variant(s)).second ? 1 : 0;
    batches.push_back(lacking);
    measured_before.push_back(made.binds);
  };
  const Found found = search(ground, name(5, 9, 4), made.options(30));
  ASSERT_FALSE(batches.empty());
  EXPECT_GT(measured_before.front(), 10) << "what was there was looked at first";
  for (const std::size_t lacking : batches)
    EXPECT_GT(lacking, 0u);
  EXPECT_LE(made.times.at(found.best.schedule), 1.02 * made.least());
  EXPECT_LT(found.spent, 30);
}

TEST(Search, MeasuresWhatIsKnownFirst) {
  Made made;
  SearchOptions options = made.options();
  options.known = {name(7, 3, 0), name(1, 1, 1)};
  const Found found = search(made.ground(), name(0, 0, 0), options);
  EXPECT_EQ(found.trials[1].schedule, name(7, 3, 0));
  EXPECT_EQ(found.trials[2].schedule, name(1, 1, 1));
}

TEST(Search, GoesOnPastSchedulesThatCannotRun) {
  Made made;
  made.broken[name(7, 3, 0)] = "no room";
  const Found found = search(made.ground(), name(7, 4, 0), made.options());
  EXPECT_NE(found.best.schedule, name(7, 3, 0));
  const auto at = std::find_if(found.trials.begin(), found.trials.end(),
                               [](const Trial& t) { return t.schedule == name(7, 3, 0); });
  ASSERT_NE(at, found.trials.end());
  EXPECT_EQ(at->problem, "no room");
  EXPECT_EQ(at->seconds, 0);
}

TEST(Search, DoesNotBindWhatTheModelSaysCannotRun) {
  Made made;
  Ground ground = made.ground();
  ground.cost = [&](const std::string& s) -> std::optional<double> {
    if (s != name(0, 0, 0)) throw UsageError("no room");
    return 1;
  };
  const Found found = search(ground, name(0, 0, 0), made.options());
  EXPECT_EQ(found.measured, 1);
  EXPECT_EQ(made.binds, 1);
}

TEST(Search, DropsAWinnerWhoseResultsAreWrong) {
  Made made;
  Ground ground = made.ground();
  std::string wrong;
  ground.check = [&](const std::string& s) {
    if (wrong.empty()) wrong = s; // the first winner
    if (s == wrong) throw Failure("wrong at (1, 2, 3)");
  };
  const Found found = search(ground, name(0, 9, 4), made.options());
  EXPECT_NE(found.best.schedule, wrong);
  const auto at = std::find_if(found.trials.begin(), found.trials.end(),
                               [&](const Trial& t) { return t.schedule == wrong; });
  EXPECT_EQ(at->problem, "wrong at (1, 2, 3)");
}

TEST(Search, ThrowsWhereTheDefaultIsWrongOrCannotRun) {
  Made made;
  Ground ground = made.ground();
  ground.check = [](const std::string&) { throw Failure("wrong"); };
  EXPECT_THROW((void)search(ground, name(0, 0, 0), made.options()), Failure);
  made.broken[name(0, 0, 0)] = "no memory";
  EXPECT_THROW((void)search(made.ground(), name(0, 0, 0), made.options()), Failure);
}

TEST(Search, ReturnsWhatItHasWhenItIsStopped) {
  for (const int after : {1, 4, 30, 120, 400}) {
    Made made;
    SearchOptions options = made.options();
    int asked = 0;
    options.between = [&] {
      if (++asked > after) throw Stop{};
    };
    const Found found = search(made.ground(), name(0, 9, 4), options);
    EXPECT_EQ(found.stopped_by != nullptr, found.end == Found::End::stopped);
    if (found.end != Found::End::stopped) continue; // it was through before
    EXPECT_THROW(std::rethrow_exception(found.stopped_by), Stop);
    EXPECT_GE(found.measured, 1);
    EXPECT_LE(found.best.seconds, found.standard.seconds);
    EXPECT_GE(found.gain.value, 1);
  }
}

TEST(Search, SaysWhatStoppedItWhileSomethingWasCompiled) {
  Made made;
  Ground ground = made.ground();
  int bound = 0;
  ground.bind = [bind = ground.bind, &bound](const std::string& schedule) {
    if (++bound > 3) throw Stop{};
    return bind(schedule);
  };
  SearchOptions options = made.options();
  options.between = [] {}; // sees nothing of it
  const Found found = search(ground, name(0, 9, 4), options);
  ASSERT_EQ(found.end, Found::End::stopped);
  EXPECT_THROW(std::rethrow_exception(found.stopped_by), Stop);
}

TEST(Search, PassesOnWhatIsNoInterrupt) {
  Made made;
  Ground ground = made.ground();
  ground.check = [](const std::string&) { throw std::bad_alloc(); };
  SearchOptions options = made.options();
  options.between = [] {};
  EXPECT_THROW((void)search(ground, name(0, 0, 0), options), std::bad_alloc);
}

TEST(Search, RefusesABudgetOfNothing) {
  Made made;
  for (const double budget : {0.0, -1.0, std::nan("")}) {
    try {
      (void)search(made.ground(), name(0, 0, 0), made.options(budget));
      FAIL() << budget;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("budget"));
    }
  }
}

} // namespace
} // namespace ridge::tune
