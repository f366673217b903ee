// Periods as the meter finds them: of circles known beforehand, and of the planets.
#include <ridge/device/device.hpp>

#include "../src/periods.hpp"
#include "../src/solar_system.hpp"
#include "../src/system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ridge::nbody {
namespace {

TEST(Periods, OfCirclesInEitherDirection) {
  Bodies bodies;
  bodies.resize(3);
  PeriodMeter meter;
  for (int step = 0; step <= 1000; ++step) {
    const double t = 5 + 0.1 * step; // 100 from the first look to the last
    const double angles[] = {2 * std::numbers::pi * t / 7, -2 * std::numbers::pi * t / 60};
    for (std::size_t i = 0; i < 2; ++i) {
      bodies.position[0][i + 1] = 3 + std::cos(angles[i]);
      bodies.position[1][i + 1] = std::sin(angles[i]);
    }
    bodies.position[0][0] = 3;
    meter.look(t, bodies);
  }
  EXPECT_NEAR(meter.period(1), 7, 1e-9);
  EXPECT_EQ(meter.turns(1), 14);
  EXPECT_NEAR(meter.period(2), 60, 1e-9);
  EXPECT_EQ(meter.turns(2), 1);
}

TEST(Periods, AreNoneBeforeTheFirstTurn) {
  Bodies bodies;
  bodies.resize(2);
  PeriodMeter meter;
  for (int step = 0; step < 9; ++step) {
    bodies.position[0][1] = std::cos(0.5 * step);
    bodies.position[1][1] = std::sin(0.5 * step);
    meter.look(step, bodies);
  }
  EXPECT_EQ(meter.turns(1), 0);
  EXPECT_EQ(meter.period(1), 0);
}

/// What the table's elements and masses make of the planets over 166 years.
TEST(Periods, OfThePlanetsComeOutWithinAThousandth) {
  Bodies bodies = solar_system();
  const Parameters p{Precision::fp64, Integrator::yoshida4, 1, 0, solar_gravity};
  const auto system = make_system(Device("cpu"), p, bodies, "threads=1");
  std::vector<double> potential;
  PeriodMeter meter;
  for (Index step = 0; step <= 60600; step += 2) {
    system->read(bodies, potential);
    meter.look(static_cast<double>(step) * p.dt, bodies);
    system->advance(2);
  }
  for (std::size_t n = 0; n < planets().size(); ++n) {
    const double period = meter.period(static_cast<Index>(n) + 1);
    EXPECT_NEAR(period / planets()[n].period, 1, 1e-3) << planets()[n].name;
  }
}

} // namespace
} // namespace ridge::nbody
