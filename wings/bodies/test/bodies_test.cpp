// What bodies must be, and the starts that need no file.
#include <ridge/core/error.hpp>

#include "../src/diagnostics.hpp"
#include "../src/parameters.hpp"
#include "../src/solar_system.hpp"
#include "../src/starts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge::nbody {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Potential at each body by the plain double loop.
std::vector<double> potentials(const Bodies& b) {
  std::vector<double> phi(b.mass.size());
  for (std::size_t i = 0; i < phi.size(); ++i) {
    for (std::size_t j = 0; j < phi.size(); ++j) {
      if (i == j) continue;
      phi[i] -= b.mass[j] / std::hypot(b.position[0][i] - b.position[0][j],
                                       b.position[1][i] - b.position[1][j],
                                       b.position[2][i] - b.position[2][j]);
    }
  }
  return phi;
}

constexpr Parameters fp32{Precision::fp32, Integrator::leapfrog, 1e-3, 0.01, 2};

TEST(Bodies, AreRefusedByIndex) {
  const auto refused = [](auto&& change, const char* says) {
    Bodies bodies = plummer(20, 1);
    change(bodies);
    EXPECT_THAT([&] { require_sound(bodies, fp32); }, ThrowsMessage<UsageError>(HasSubstr(says)));
  };
  refused([](Bodies& b) { b.position[1][7] = std::nan(""); }, "y of body 7 is NaN");
  refused([](Bodies& b) { b.velocity[2][0] = HUGE_VAL; }, "vz of body 0 is infinite");
  refused([](Bodies& b) { b.mass[19] = -2; }, "m of body 19 is -2");
  refused([](Bodies& b) { b.position[0][3] = 1e39; }, "x of body 3 is 1e+39, which fp32");
  refused([](Bodies& b) { b.velocity[0].pop_back(); }, "vx has 19 values and m has 20");
  refused([](Bodies& b) { b.resize(0); }, "there are no bodies");
}

TEST(Bodies, AreRefusedWhereFloatCannotComputeWithThem) {
  Parameters p = fp32;
  for (const Precision precision : {Precision::fp32, Precision::mixed}) {
    p.precision = precision;
    Bodies bodies = plummer(20, 1);
    EXPECT_NO_THROW(require_sound(bodies, p));
    bodies.position[2][4] = 1e13;
    EXPECT_THAT([&] { require_sound(bodies, p); },
                ThrowsMessage<UsageError>(HasSubstr("bodies are up to 1e+13 apart")));
    bodies = plummer(20, 1);
    bodies.mass[6] = 2e38;
    EXPECT_THAT([&] { require_sound(bodies, p); },
                ThrowsMessage<UsageError>(HasSubstr("G m of body 6 is 4e+38")));
    bodies.mass[6] = 1e-40;
    EXPECT_THROW(require_sound(bodies, p), UsageError);
    p.precision = Precision::fp64;
    EXPECT_NO_THROW(require_sound(bodies, p));
  }
}

TEST(Bodies, AtOnePlaceAreNamed) {
  Bodies bodies = plummer(100, 1);
  EXPECT_NO_THROW(require_apart(bodies, Precision::fp32));
  for (auto& x : bodies.position)
    x[71] = x[13];
  EXPECT_THAT([&] { require_apart(bodies, Precision::fp64); },
              ThrowsMessage<UsageError>(HasSubstr("bodies 13 and 71 are both at")));
  bodies.position[0][71] += 1e-12;
  EXPECT_NO_THROW(require_apart(bodies, Precision::fp64));
  EXPECT_THAT([&] { require_apart(bodies, Precision::fp32); },
              ThrowsMessage<UsageError>(HasSubstr("in fp32")));
}

TEST(Bodies, AtZeroOfEitherSignAreAtOnePlace) {
  Bodies bodies;
  bodies.resize(2);
  bodies.position[0][1] = -0.0;
  EXPECT_THROW(require_apart(bodies, Precision::fp64), UsageError);
}

TEST(Bodies, FarAwayTakeAnOriginAmongThem) {
  Bodies near = plummer(100, 1);
  for (double& x : near.position[0])
    x += 2;
  Bodies bodies = near;
  take_origin_inside(bodies);
  EXPECT_FALSE(has_own_origin(bodies)); // fp32 loses a bit at most
  EXPECT_EQ(bodies.position, near.position);
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& x : bodies.position[c])
      x += 1e6;
  }
  const Bodies far = bodies;
  take_origin_inside(bodies);
  ASSERT_TRUE(has_own_origin(bodies));
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_LT(std::abs(bodies.position[c][i]), 40);
      EXPECT_DOUBLE_EQ(bodies.position[c][i] + bodies.origin[c], far.position[c][i]);
    }
  }
  // What is told of them is about the origin of the coordinates.
  const auto told = diagnose(bodies, std::vector<double>(100)).angular_momentum;
  const auto expected = diagnose(far, std::vector<double>(100)).angular_momentum;
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(told[c], expected[c], 1e-8);
  Bodies light = far;
  light.mass.assign(100, 0);
  take_origin_inside(light);
  EXPECT_FALSE(has_own_origin(light));
}

TEST(Starts, PlummerIsInEquilibriumInHenonsUnits) {
  const Bodies bodies = plummer(2000, 4);
  const Diagnostics d = diagnose(bodies, potentials(bodies));
  EXPECT_NEAR(d.kinetic, 0.25, 0.01);
  EXPECT_NEAR(d.potential, -0.5, 0.02);
  EXPECT_NEAR(length(d.momentum), 0, 1e-15);
  // Half the mass lies within 0.769 (1.305 scale radii).
  Index within = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    within += length({bodies.position[0][i], bodies.position[1][i], bodies.position[2][i]}) < 0.769
                  ? 1
                  : 0;
  }
  EXPECT_NEAR(static_cast<double>(within), 1000, 60);
}

TEST(Starts, AreAFunctionOfTheSeed) {
  EXPECT_EQ(plummer(10, 1).position, plummer(10, 1).position);
  EXPECT_NE(plummer(10, 1).position, plummer(10, 2).position);
  EXPECT_THROW((void)plummer(0, 1), UsageError);
}

TEST(Starts, ColdCollapseIsAHomogeneousSphereAtRest) {
  const Bodies bodies = cold_collapse(2000, 4);
  const Diagnostics d = diagnose(bodies, potentials(bodies));
  EXPECT_EQ(d.kinetic, 0);
  EXPECT_NEAR(d.potential, -0.6, 0.01);
}

TEST(Starts, PlanetsAreWhereTheyWere) {
  const Bodies bodies = solar_system();
  ASSERT_EQ(bodies.count(), 9);
  for (std::size_t n = 0; n < planets().size(); ++n) {
    std::array<double, 3> from_sun{};
    for (std::size_t c = 0; c < 3; ++c)
      from_sun[c] = bodies.position[c][n + 1] - bodies.position[c][0];
    const Planet& p = planets()[n];
    const double r = length(from_sun);
    EXPECT_GT(r, p.axis * (1 - p.eccentricity) * 0.998) << p.name;
    EXPECT_LT(r, p.axis * (1 + p.eccentricity) * 1.002) << p.name;
  }
  // The Earth was 3 days before its perihelion, at a longitude of 100.4 degrees.
  const double x = bodies.position[0][3] - bodies.position[0][0];
  const double y = bodies.position[1][3] - bodies.position[1][0];
  EXPECT_NEAR(std::hypot(x, y), 0.9833, 1e-4);
  EXPECT_NEAR(std::atan2(y, x) * 180 / std::acos(-1), 100.38, 0.02);
}

TEST(Diagnostics, NameTheBodyThatWasLost) {
  Bodies bodies = plummer(10, 1);
  std::vector<double> phi(10, -1.0);
  EXPECT_EQ(first_lost(bodies, phi), -1);
  bodies.velocity[2][4] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(first_lost(bodies, phi), 4);
  phi[2] = std::nan("");
  EXPECT_EQ(first_lost(bodies, phi), 2);
}

} // namespace
} // namespace ridge::nbody
