// The atmosphere of chains against the plain program and the published norms.
#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>

#include "../src/model.hpp"
#include "devices.hpp"
#include "plain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ridge::atmosphere {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

Setup setup_of(const std::string& which, Index nx, Index nz, const std::string& schedule = "auto") {
  Setup s;
  s.which = parse_case(which);
  s.nx = nx;
  s.nz = nz;
  s.schedule = schedule;
  return s;
}

constexpr double forever = std::numeric_limits<double>::max();

/// Perturbations smaller than these are not resolved: rounding of what is at rest.
constexpr std::array<double, variables> least_scale{1e-3, 1e-2, 1e-2, 0.3};

/// The largest difference of any variable, relative to the largest value of that variable.
double difference(const State& state, const plain::Atmosphere& right, Index nx, Index nz) {
  double worst = 0;
  for (int v = 0; v < variables; ++v) {
    double scale = least_scale[static_cast<std::size_t>(v)];
    double error = 0;
    for (Index k = 0; k < nz; ++k) {
      for (Index i = 0; i < nx; ++i) {
        const double expected = right.at(v, static_cast<int>(i), static_cast<int>(k));
        const double got =
            state.of[static_cast<std::size_t>(v)][static_cast<std::size_t>(k * nx + i)];
        scale = std::max(scale, std::abs(expected));
        if (!(std::abs(got - expected) <= error)) error = std::abs(got - expected);
      }
    }
    if (!(error / scale <= worst)) worst = error / scale;
  }
  return worst;
}

TEST(Atmosphere, ReproducesThePublishedNorms) {
  Atmosphere air(Device("cpu"), setup_of("thermal", 100, 50));
  const Totals begin = air.totals();
  air.advance(400, std::numeric_limits<Index>::max());
  const Totals end = air.totals();
  EXPECT_EQ(air.time(), 400);
  EXPECT_EQ(air.steps_done(), 600);
  EXPECT_LT(std::abs(end.mass - begin.mass) / begin.mass, 1e-13);
  EXPECT_NEAR((end.energy - begin.energy) / begin.energy, -4.141519e-05, 0.5e-11);
}

TEST(Atmosphere, ThePlainProgramDoesToo) {
  plain::Atmosphere right("thermal", 100, 50);
  const double mass = right.mass();
  const double energy = right.energy();
  right.run_until(400);
  EXPECT_LT(std::abs(right.mass() - mass) / mass, 1e-13);
  EXPECT_NEAR((right.energy() - energy) / energy, -4.141519e-05, 0.5e-11);

  Atmosphere air(Device("cpu"), setup_of("thermal", 100, 50));
  air.advance(400, std::numeric_limits<Index>::max());
  EXPECT_LT(difference(air.state(), right, 100, 50), 1e-10);
}

Totals changes_of(Atmosphere& air, double end) {
  const Totals before = air.totals();
  air.advance(end, std::numeric_limits<Index>::max());
  const Totals after = air.totals();
  return {(after.mass - before.mass) / before.mass, (after.energy - before.energy) / before.energy};
}
double most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// The difference of two fields over the size of the first.
double apart(const std::vector<double>& right, const std::vector<double>& other) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference += (right[i] - other[i]) * (right[i] - other[i]);
    size += right[i] * right[i];
  }
  return std::sqrt(difference / size);
}

TEST(ImplicitAtmosphere, AgreesWithExplicitStepsOfItsLength) {
  atmosphere::Setup s = setup_of("thermal", 60, 30);
  Atmosphere right(Device("cpu"), s);
  s.implicit = true;
  Atmosphere air(Device("cpu"), s);
  const double mass = changes_of(air, 200).mass;
  EXPECT_LT(std::abs(mass), 1e-13);
  right.advance(200, std::numeric_limits<Index>::max());
  const auto expected = temperature_of(right.state(), right.profiles(), s.nx);
  const auto got = temperature_of(air.state(), air.profiles(), s.nx);
  EXPECT_LT(apart(expected, got), 0.05);
  EXPECT_GT(apart(expected, got), 1e-6); // they are not the same program
  EXPECT_NEAR(most(got), most(expected), 0.05);
}
TEST(ImplicitAtmosphere, TakesStepsSeveralTimesLongerWhereCellsAreFlat) {
  atmosphere::Setup s = setup_of("collision", 20, 100);
  const double explicit_step = Atmosphere(Device("cpu"), s).step_length();
  s.implicit = true;
  Atmosphere air(Device("cpu"), s);
  EXPECT_GT(air.step_length(), 4.9 * explicit_step);
  const Totals change = changes_of(air, 300);
  EXPECT_LT(std::abs(change.mass), 1e-13);
  EXPECT_LT(std::abs(change.energy), 1e-3);
  EXPECT_LT(most(temperature_of(air.state(), air.profiles(), s.nx)), 20);
}
TEST(ImplicitAtmosphere, IsTheSameUnderEverySchedule) {
  atmosphere::Setup s = setup_of("gravity-waves", 24, 12);
  s.implicit = true;
  const auto after = [&](const char* device, const char* schedule) {
    s.schedule = schedule;
    Atmosphere air{Device(std::string_view(device)), s};
    air.advance(forever, 5);
    EXPECT_EQ(air.steps_done(), 5);
    return air.state();
  };
  const State right = after("cpu", "fission");
  const auto expect = [&](const char* device, const char* schedule) {
    const State got = after(device, schedule);
    for (std::size_t v = 0; v < right.of.size(); ++v) {
      double scale = least_scale[v];
      for (const double value : right.of[v])
        scale = std::max(scale, std::abs(value));
      for (std::size_t i = 0; i < right.of[v].size(); ++i) {
        ASSERT_NEAR(right.of[v][i], got.of[v][i], 1e-9 * scale)
            << device << " " << schedule << " " << v << " " << i;
      }
    }
  };
  for (const char* schedule : {"auto", "tiled", "fuse=all tile=7xall threads=3"})
    expect("cpu", schedule);
  for (const char* device : {"simt:32", "simt:64"}) {
    expect(device, "auto");
    expect(device, "fission");
  }
}

class Cases : public ::testing::TestWithParam<const char*> {};

TEST_P(Cases, EqualThePlainProgramUnderEverySchedule) {
  const std::string which = GetParam();
  constexpr Index nx = 48;
  constexpr Index nz = 24; // the injection's rows are some of them
  plain::Atmosphere right(which, nx, nz);
  for (int i = 0; i < 8; ++i)
    right.step(right.stable_step());
  const auto expect = [&](const char* device, const std::string& schedule,
                          const std::string& schedule_z) {
    atmosphere::Setup s = setup_of(which, nx, nz, schedule);
    s.schedule_z = schedule_z;
    Atmosphere air{Device(std::string_view(device)), s};
    air.advance(forever, 8);
    EXPECT_EQ(air.steps_done(), 8);
    EXPECT_LT(difference(air.state(), right, nx, nz), 1e-10)
        << device << " " << schedule << " " << schedule_z;
  };
  for (const char* schedule :
       {"auto", "fission", "tiled", "fuse=1+2,3+4,5+6 tile=7x3", "fuse=all tile=allx5 threads=3",
        "fuse=all tile=16x1 threads=2", "fuse=all tile=all store=nontemporal", "fuse=2+3 tile=9x2"})
    expect("cpu", schedule, "");
  for (const char* device : {"simt:32", "simt:64"}) {
    expect(device, "auto", "");
    expect(device, "fission", "");
    expect(device, "fuse=1+2,3+4,5+6 block=32x2x1 tile=15x3 steps=2 graph=on",
           "fuse=1+2,3+4,5+6 block=32x2x1 tile=16x2 steps=3");
    expect(device, "fuse=1+2,3+4,5+6 block=96x1x1 tile=allx5 steps=1048576", "");
    expect(device, "fuse=all block=16x4x1 tile=allx2 steps=3",
           "fuse=all block=16x4x1 tile=8x2 steps=4");
    expect(device, "fuse=all block=64x2x1 tile=23x4", "fuse=all block=4x33x1 tile=5x24");
  }
}

INSTANTIATE_TEST_SUITE_P(Atmosphere, Cases,
                         ::testing::Values("thermal", "collision", "gravity-waves",
                                           "density-current", "injection"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           for (char& c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

/// The GPUs here, emulated ones among them.
std::vector<std::string> gpus_here() {
  std::vector<std::string> names = test::devices_here();
  std::erase(names, "cpu");
  return names;
}

class Gpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Gpus, EqualThePlainProgram) {
  const Device device(GetParam());
  constexpr int steps = 40;
  plain::Atmosphere right("thermal", 64, 32);
  for (int i = 0; i < steps; ++i)
    right.step(right.stable_step());
  for (const char* schedule : {"auto", "fission", "fission graph=on",
                               "fuse=1+2,3+4,5+6 block=64x1x1 tile=32x2 steps=4 graph=on",
                               "fuse=1+2,3+4,5+6", "fuse=all block=16x16x1 tile=13x5"}) {
    Atmosphere air(device, setup_of("thermal", 64, 32, schedule));
    air.advance(forever, steps);
    EXPECT_LT(difference(air.state(), right, 64, 32), 1e-10) << schedule;
  }
}

INSTANTIATE_TEST_SUITE_P(Here, Gpus, ::testing::ValuesIn(gpus_here()), test::DeviceName{});

TEST(Atmosphere, TakesFewLaunchesForFewCells) {
  const Device device("simt:32"); // a unit a thread of this machine
  const auto schedules = [&](Index nx, Index nz) {
    const Atmosphere air(device, setup_of("thermal", nx, nz));
    const std::vector<Record> records = air.records();
    return std::pair(records[0].schedule, records[1].schedule);
  };
  const auto small = schedules(32, 32);
  EXPECT_THAT(small.first, MatchesRegex("fuse=all block=[0-9]+x1x1 .* graph=on"));
  EXPECT_THAT(small.second, MatchesRegex("fuse=all block=8x[0-9]+x1 .* graph=on"));
  const Index units = device.facts().units;
  const auto large = schedules(64 * units, 64);
  EXPECT_THAT(large.first, HasSubstr("fuse=1+2,3+4,5+6"));
  EXPECT_THAT(large.second, HasSubstr("graph=off"));
}

TEST(Atmosphere, EndsOnTime) {
  Atmosphere air(Device("cpu"), setup_of("thermal", 20, 10));
  air.advance(10, 1000);
  EXPECT_EQ(air.time(), 10);
  EXPECT_EQ(air.steps_done(), 3); // of 3.33 s
  air.advance(11, 1000);
  EXPECT_EQ(air.time(), 11);
  EXPECT_EQ(air.steps_done(), 4);
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Atmosphere, SaysWhatIsWrong) {
  EXPECT_THAT(error_of([] { (void)parse_case("tornado"); }),
              HasSubstr("unknown case 'tornado'; the cases are thermal, collision, gravity-waves, "
                        "density-current, injection, straka"));
  EXPECT_THAT(error_of([] { Atmosphere(Device("cpu"), setup_of("thermal", 3, 50)); }),
              HasSubstr("3x50 cells are too few"));
  atmosphere::Setup s = setup_of("thermal", 100, 50);
  s.step = 0.7;
  EXPECT_THAT(error_of([&] { Atmosphere(Device("cpu"), s); }),
              HasSubstr("beyond stability; for 100x50 cells steps of up to 0.666667 s are stable"));
  s.step = -1;
  EXPECT_THAT(error_of([&] { Atmosphere(Device("cpu"), s); }), HasSubstr("no step"));
  EXPECT_THAT(error_of([] { Atmosphere(Device("cpu"), setup_of("thermal", 9, 9, "tile=10")); }),
              HasSubstr("more than the 9 there are"));
}

} // namespace
} // namespace ridge::atmosphere
