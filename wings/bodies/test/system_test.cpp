// Trajectories: orders of convergence, what is conserved, and that the same run gives the same
// bits.
#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/pairs/launch.hpp>

#include "../src/diagnostics.hpp"
#include "../src/starts.hpp"
#include "../src/sums.hpp"
#include "../src/system.hpp"
#include "devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ridge::nbody {
namespace {

/// Two bodies of masses 3 and 1 at the far ends of ellipses of eccentricity 0.5 and period 2 pi.
Bodies two_bodies() {
  Bodies bodies;
  bodies.resize(2);
  bodies.mass = {0.75, 0.25};
  bodies.position[0] = {0, 1.5};
  bodies.velocity[1] = {0, std::sqrt(0.5 / 1.5)};
  centre(bodies);
  return bodies;
}

struct State {
  Bodies bodies;
  std::vector<double> potential;
};

State state_of(System& system, const Bodies& start) {
  State state{start, {}};
  system.read(state.bodies, state.potential);
  return state;
}

State after(const Device& device, const Parameters& parameters, const Bodies& start, Index steps,
            std::string_view schedule = "auto") {
  const auto system = make_system(device, parameters, start, schedule);
  system->advance(steps);
  return state_of(*system, start);
}

double distance(const Bodies& a, const Bodies& b) {
  double most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < a.mass.size(); ++i)
      most = std::max(most, std::abs(a.position[c][i] - b.position[c][i]));
  }
  return most;
}

bool same_bits(const State& a, const State& b) {
  return a.bodies.position == b.bodies.position && a.bodies.velocity == b.bodies.velocity &&
         a.potential == b.potential;
}

/// How much closer to the start an orbit ends with half the step.
double gain_of_half_the_step(Integrator integrator, Index steps) {
  const Bodies start = two_bodies();
  const auto error = [&](Index n) {
    Parameters p{Precision::fp64, integrator, 2 * std::numbers::pi / static_cast<double>(n), 0, 1};
    return distance(after(Device("cpu"), p, start, n).bodies, start);
  };
  return error(steps) / error(2 * steps);
}

TEST(Integrators, ConvergeWithTheirOrder) {
  EXPECT_NEAR(gain_of_half_the_step(Integrator::leapfrog, 400), 4, 0.2);
  EXPECT_NEAR(gain_of_half_the_step(Integrator::yoshida4, 400), 16, 1);
}

TEST(Integrators, GoBackInTimeToTheStart) {
  const Bodies start = plummer(50, 3);
  const Parameters p{Precision::fp64, Integrator::yoshida4, 1e-3, 0.05, 1};
  State there = after(Device("cpu"), p, start, 200);
  EXPECT_GT(distance(there.bodies, start), 0.1);
  for (auto& v : there.bodies.velocity)
    std::transform(v.begin(), v.end(), v.begin(), std::negate<>{});
  EXPECT_LT(distance(after(Device("cpu"), p, there.bodies, 200).bodies, start), 1e-11);
}

class Systems : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

TEST_P(Systems, ConserveEnergyMomentumAndAngularMomentum) {
  const Bodies start = plummer(101, 5);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::fp32, 1e-5}, std::pair{Precision::mixed, 1e-6},
        std::pair{Precision::fp64, 1e-6}}) {
    const Parameters p{precision, Integrator::yoshida4, 0.01, 0.1, 1};
    const auto system = make_system(device, p, start, "auto");
    const State begin = state_of(*system, start);
    system->advance(20);
    const State end = state_of(*system, start);
    const Diagnostics first = diagnose(begin.bodies, begin.potential);
    const Diagnostics last = diagnose(end.bodies, end.potential);
    EXPECT_GT(distance(begin.bodies, end.bodies), 0.05);
    EXPECT_LT(energy_error(first, last), tolerance) << to_text(precision);
    const double rounding = precision == Precision::fp64 ? 1e-14 : 1e-7;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(first.momentum[c], last.momentum[c], rounding) << to_text(precision);
      EXPECT_NEAR(first.angular_momentum[c], last.angular_momentum[c], 10 * rounding)
          << to_text(precision);
    }
  }
}

TEST_P(Systems, FollowTheSameOrbitsOnEveryDevice) {
  const Bodies start = plummer(70, 9);
  const Parameters p{Precision::fp64, Integrator::leapfrog, 0.005, 0.05, 2.5};
  const State here = after(device, p, start, 20);
  const State there = after(Device("cpu"), p, start, 20);
  EXPECT_LT(distance(here.bodies, there.bodies), 1e-11);
  EXPECT_GT(distance(here.bodies, start), 0.05);
}

TEST_P(Systems, GiveTheSameBitsHoweverTheStepsAreSplit) {
  const Bodies start = plummer(130, 7);
  for (const Precision precision : {Precision::fp32, Precision::fp64, Precision::mixed}) {
    for (const Integrator integrator : {Integrator::leapfrog, Integrator::yoshida4}) {
      const Parameters p{precision, integrator, 0.003, 0.01, 1};
      const State at_once = after(device, p, start, 4);
      // Looked at in between.
      const auto looked_at = make_system(device, p, start, "auto");
      for (const Index steps : {1, 1, 2}) {
        looked_at->advance(steps);
        (void)state_of(*looked_at, start);
      }
      EXPECT_TRUE(same_bits(at_once, state_of(*looked_at, start))) << to_text(precision);
      // Begun anew in between.
      const State half = after(device, p, start, 3);
      EXPECT_TRUE(same_bits(at_once, after(device, p, half.bodies, 1))) << to_text(precision);
    }
  }
}

TEST_P(Systems, GiveTheSameBitsWithEachPairComputedOnce) {
  if (device.kind() == DeviceKind::cpu) return; // it computes each pair twice
  const Bodies start = plummer(700, 7);
  const Parameters p{Precision::fp32, Integrator::leapfrog, 0.003, 0.01, 1};
  const State half = after(device, p, start, 1, "symmetric");
  EXPECT_TRUE(same_bits(after(device, p, start, 2, "symmetric"),
                        after(device, p, half.bodies, 1, "symmetric")));
  EXPECT_LT(distance(half.bodies, after(device, p, start, 1).bodies), 1e-6);
}

TEST_P(Systems, TakeFewBodiesAndNoSoftening) {
  for (const Index count : {1, 2, 65}) {
    const Bodies start = plummer(count, 11);
    const Parameters p{Precision::fp64, Integrator::leapfrog, 1e-4, 0, 1};
    const State end = after(device, p, start, 5);
    EXPECT_EQ(first_lost(end.bodies, end.potential), -1) << count;
    if (count == 1) {
      EXPECT_EQ(end.potential[0], 0);
      EXPECT_EQ(end.bodies.position, start.position);
    }
  }
}

TEST_P(Systems, TakeAtMost200BytesABody) {
  const bool on_host = device.kind() == DeviceKind::cpu;
  const Index count = device.kind() == DeviceKind::simt ? 3000 : 20000;
  const Bodies start = plummer(count, 1);
  for (const char* schedule : {"auto", on_host ? "plain" : "symmetric"}) {
    const Parameters p{Precision::fp64, Integrator::leapfrog, 1e-3, 0.01, 1};
    const auto system = make_system(device, p, start, schedule);
    system->wait();
    const double on_device = static_cast<double>(system->held().value) / static_cast<double>(count);
    EXPECT_GE(on_device, 11 * 8) << schedule;
    const double looked_at = 8 * 8; // the bodies and the potential, on the host
    EXPECT_LE(on_device + looked_at, 200) << schedule;
  }
}

/// Circular binaries of distance 1 and period 2 pi, as far from each other as `apart`, first all
/// first bodies: neighbours in memory are not near.
Bodies binaries(std::size_t count, double apart) {
  Bodies bodies;
  bodies.resize(static_cast<Index>(2 * count));
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const double side = i < count ? 0.5 : -0.5;
    const auto pair = static_cast<double>(i % count);
    bodies.mass[i] = 0.5;
    bodies.position[0][i] = apart * pair + side * std::cos(pair);
    bodies.position[1][i] = side * std::sin(pair);
    bodies.position[2][i] = -apart * pair;
    bodies.velocity[0][i] = -side * std::sin(pair);
    bodies.velocity[1][i] = side * std::cos(pair);
  }
  return bodies;
}

/// In mixed precision differences are formed near the bodies, wherever others are.
TEST_P(Systems, InMixedPrecisionKeepPairsThatAreFarFromEachOther) {
  const Index steps = device.kind() == DeviceKind::cpu ? 500 : 20;
  std::vector<std::string> schedules{"auto"};
  if (device.kind() != DeviceKind::cpu) schedules.emplace_back("symmetric");
  for (const std::string& schedule : schedules) {
    for (const double apart : {1e4, 1e6}) {
      for (const double softening : {0.0, 1e-4}) {
        const Bodies start = binaries(20, apart);
        const Parameters p{Precision::mixed, Integrator::yoshida4, 2 * std::numbers::pi / 500,
                           softening, 1};
        const Bodies end = after(device, p, start, steps, schedule).bodies;
        for (std::size_t i = 0; i < 20; ++i) {
          double squared = 0;
          for (const auto& x : end.position)
            squared += (x[i] - x[20 + i]) * (x[i] - x[20 + i]);
          EXPECT_NEAR(std::sqrt(squared), 1, 2e-6)
              << apart << " apart, softening " << softening << ", " << schedule << ", pair " << i;
        }
      }
    }
  }
}

/// Bodies that move apart, so that positions from one of them lack digits in the end.
TEST_P(Systems, GiveTheSameBitsWhereBodiesMoveApart) {
  Bodies start = plummer(90, 7);
  start.velocity[0][17] = 2e4;
  const Parameters p{Precision::mixed, Integrator::leapfrog, 0.003, 0.01, 1};
  const State half = after(device, p, start, 3);
  EXPECT_TRUE(same_bits(after(device, p, start, 6), after(device, p, half.bodies, 3)));
}

TEST_P(Systems, FindHowFarApartBodiesAre) {
  Queue queue(device);
  std::array<Field<double>, 3> at;
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> values(1234);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>((i * 577 + 100 * c) % 1234) - 500;
    at[c] = Field<double>(device, Extents{1234});
    copy_to_device(queue, at[c].data(), values.data(), 1234);
    queue.wait();
  }
  const Field<double> bounds(device, Extents{6 * 64});
  offered<FindExtent<double>>(device.kind(), typeid(Extent<double>))(
      queue, {{at[0].elements(), at[1].elements(), at[2].elements()}, bounds.elements()});
  std::vector<double> found(6 * 64);
  copy_to_host(queue, found.data(), bounds.data(), 6 * 64);
  queue.wait();
  for (std::size_t c = 0; c < 3; ++c) {
    double low = 1e9;
    double high = -1e9;
    for (std::size_t k = 0; k < 64; ++k) {
      low = std::min(low, found[6 * k + c]);
      high = std::max(high, found[6 * k + 3 + c]);
    }
    EXPECT_EQ(low, -500);
    EXPECT_EQ(high, 733);
  }
}

INSTANTIATE_TEST_SUITE_P(Here, Systems, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(Parameters, AreRefusedWhenNotSound) {
  const auto refused = [](Parameters p, const char* says) {
    EXPECT_THAT([&] { require_sound(p); },
                ::testing::ThrowsMessage<UsageError>(::testing::HasSubstr(says)));
  };
  Parameters p{Precision::fp32, Integrator::leapfrog, 1e-3, 0.01, 1};
  EXPECT_NO_THROW(require_sound(p));
  auto bad = p;
  bad.dt = 0;
  refused(bad, "a step must be positive");
  bad.dt = std::nan("");
  refused(bad, "a step must be positive");
  bad = p;
  bad.softening = -1;
  refused(bad, "0 or positive");
  for (const double softening : {1e-13, 1e13}) {
    bad.softening = softening;
    refused(bad, "--precision fp64");
  }
  bad.precision = Precision::fp64;
  EXPECT_NO_THROW(require_sound(bad));
  bad = p;
  bad.gravity = 0;
  refused(bad, "must be positive");
}

} // namespace
} // namespace ridge::nbody
