// A fifth pattern, which takes no line of the house (rooms.patterns): benched, listed and tuned as
// the four are.
#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/pattern/pattern_row.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace ridge {
namespace {

BenchRequest request_of(const char* device, const char* precision, const char* schedule) {
  BenchRequest request{Device(device), Extents{1009}, precision, schedule, {}};
  request.measure.repeats = 1;
  request.roof = false;
  return request;
}

TEST(FifthPattern, IsBenchedAndCheckedUnderItsSpace) {
  const BenchKernel& kernel = lab::find_bench_kernel("reversal");
  EXPECT_EQ(place_of_pattern(kernel.pattern), 900); // its row says so
  for (const char* const device : {"cpu", "simt:32", "simt:64"}) {
    for (const char* const precision : {"fp32", "fp64"}) {
      const BenchRequest request = request_of(device, precision, "space");
      RoofSource roof(request.device, true, false);
      std::vector<std::string> schedules;
      lab::run_kernel(kernel, request, roof, [&](const Record& r) {
        EXPECT_TRUE(r.check->ok) << device << ' ' << r.schedule << ": " << r.check->message;
        EXPECT_EQ(r.pattern, "gathers");
        EXPECT_EQ(r.compiled, "ahead");
        schedules.push_back(r.schedule);
      });
      EXPECT_EQ(schedules, (std::vector<std::string>{"items=1", "items=2", "items=4"})) << device;
    }
  }
}

TEST(FifthPattern, IsNotRightBeforeALaunch) {
  const BenchRequest request = request_of("simt:32", "fp64", "auto");
  RoofSource roof(request.device, true, false);
  const auto made = lab::find_bench_kernel("reversal").make_case(request, roof);
  made->poison();
  EXPECT_FALSE(made->check().ok);
  made->bind(made->menu().parse("wide")).run();
  EXPECT_TRUE(made->check().ok);
}

TEST(FifthPattern, IsTuned) {
  const BenchRequest request = request_of("cpu", "fp32", "auto");
  RoofSource roof(request.device, true, false);
  const auto made = lab::find_bench_kernel("reversal").make_case(request, roof);
  const std::string wisdom = ::testing::TempDir() + "wisdom-of-gathers";
  setenv("RIDGE_WISDOM", wisdom.c_str(), 1);
  tune::SearchOptions options;
  options.budget = 0.2;
  const tune::Tuned tuned = lab::tune_case(*made, options);
  EXPECT_TRUE(tuned.found.best.schedule.starts_with("items=")) << tuned.found.best.schedule;
  std::remove(wisdom.c_str());
  unsetenv("RIDGE_WISDOM");
}

} // namespace
} // namespace ridge
