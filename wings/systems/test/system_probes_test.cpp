// Sources and receivers beside faces: what walls show of a problem is the rest of a larger one.
#include <ridge/chain/system/system.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ridge::chain {
namespace {

using Traces = std::vector<std::vector<double>>;

/// A problem of a built-in system around 0.
struct Problem {
  SystemKernel kernel;
  SystemSetup setup;

  Problem(const char* system, const Index3& n)
      : kernel(lab::find_evolving_system(system)->make({}, false)) {
    setup.extents = n;
    setup.dt = 0.2;
    setup.walls.resize(kernel.of_double.arrays.size());
    setup.wavelets = {{1, -0.5, 0.75, 0.25, 1}};
  }

  [[nodiscard]] std::vector<int> states() const {
    std::vector<int> all;
    for (int a = 0; a < kernel.arrays(); ++a) {
      if (kernel.is_state(a)) all.push_back(a);
    }
    return all;
  }
  /// The sign of an array's image in a mirror across an axis.
  [[nodiscard]] int sign(int array, int d) const {
    return kernel.placements[static_cast<std::size_t>(array)].mirrored.along(d);
  }
  void wall(int d, int side, const WallCondition& of_even, bool mirrored = false) {
    for (int a = 0; a < kernel.arrays(); ++a) {
      WallCondition& one = setup.walls[static_cast<std::size_t>(a)][static_cast<std::size_t>(d)]
                                      [static_cast<std::size_t>(side)];
      one = of_even;
      if (mirrored) one.value *= sign(a, d);
    }
  }
  [[nodiscard]] System make(Queue& queue) const {
    System system(queue, kernel, setup);
    for (int a = 0; a < kernel.arrays(); ++a) {
      if (kernel.is_state(a)) continue;
      const Index3 n = system.points(a);
      const std::vector<double> ones(static_cast<std::size_t>(n.x * n.y * n.z), 1);
      system.write(a, {{}, n}, ones.data());
    }
    system.started();
    return system;
  }
  [[nodiscard]] Traces traces(Queue& queue, Index steps = 7) const {
    System system = make(queue);
    system.run(steps);
    return system.traces();
  }
};

double largest(const Traces& traces) {
  double most = 0;
  for (const auto& trace : traces)
    for (const double value : trace)
      most = std::max(most, std::abs(value));
  return most;
}

void expect_near(const Traces& found, const Traces& right, const std::string& what) {
  ASSERT_EQ(found.size(), right.size());
  double apart = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    ASSERT_EQ(found[r].size(), right[r].size());
    for (std::size_t i = 0; i < found[r].size(); ++i)
      apart = std::max(apart, std::abs(found[r][i] - right[r][i]));
  }
  EXPECT_LT(apart, 1e-14) << what << " of at most " << largest(right);
}

constexpr const char* waves[] = {"acoustic", "elastic", "maxwell"};
constexpr Index3 probed[] = {{11, 1, 1}, {10, 9, 1}, {9, 8, 10}};
constexpr double quarter = 0.25;

Index along(const Index3& n, int d) {
  return d == 0 ? n.x : d == 1 ? n.y : n.z;
}
void set(Index3& n, int d, Index to) {
  (d == 0 ? n.x : d == 1 ? n.y : n.z) = to;
}

/// Places of sources and receivers along an axis: at both ends, half a point from them, and inside.
std::vector<double> places(Index n) {
  const auto last = static_cast<double>(n - 1);
  return {0, quarter, 0.5, 2.75, last - 0.75, last - 0.5, last};
}
/// Beside the axis: at a corner of even extents, between points else.
std::array<double, 3> at_place(const Index3& n, int d, double place) {
  std::array<double, 3> at{};
  for (int other = 0; other < 3; ++other) {
    const Index points = along(n, other);
    at[static_cast<std::size_t>(other)] =
        points == 1 || points % 2 == 0 ? 0 : static_cast<double>(points) / 2 - quarter;
  }
  at[static_cast<std::size_t>(d)] = place;
  return at;
}

class Probes : public testing::TestWithParam<std::string> {
protected:
  Queue queue{Device(GetParam())};
  /// Emulated lanes run the same taps: less is enough.
  [[nodiscard]] bool is_small(const Index3& n) const { return n.y == 1 || GetParam() == "cpu"; }
};

TEST_P(Probes, BesideMirrorsAreHalfOfASymmetricProblem) {
  for (const char* system : waves) {
    for (const Index3& n : probed) {
      for (int d = 0; d < 3 && is_small(n); ++d) {
        if (along(n, d) == 1) continue;
        for (const Wall wall : {Wall::mirror, Wall::antimirror}) {
          Problem half(system, n);
          half.wall(d, 0, {wall});
          half.wall(d, 1, {wall});
          Index3 twice = n;
          const Index period = wall == Wall::mirror ? 2 * along(n, d) : 2 * along(n, d) - 2;
          set(twice, d, period);
          Problem whole(system, twice);
          whole.wall(d, 0, {Wall::periodic});
          whole.wall(d, 1, {Wall::periodic});
          const double image = wall == Wall::mirror ? -1 : 0; // of place 0
          for (const int a : half.states()) {
            const int sign = (wall == Wall::mirror ? 1 : -1) * half.sign(a, d);
            for (const double place : places(along(n, d))) {
              half.setup.receivers.push_back({a, at_place(n, d, place)});
              whole.setup.receivers.push_back({a, at_place(n, d, place)});
              const double other = image - place + static_cast<double>(period);
              const double there = std::fmod(other, static_cast<double>(period));
              // Places between the last point and the first of the next period are none.
              if (there > static_cast<double>(period - 1)) continue;
              half.setup.sources.push_back({a, at_place(n, d, place)});
              whole.setup.sources.push_back({a, at_place(n, d, place)});
              whole.setup.sources.push_back({a, at_place(n, d, there), double(sign)});
            }
          }
          const Traces right = whole.traces(queue);
          ASSERT_GT(largest(right), 0.1);
          expect_near(half.traces(queue), right,
                      std::string(system) + " " + to_text(Extents{n.x, n.y, n.z}) + " axis " +
                          "xyz"[d] + (wall == Wall::mirror ? " mirror" : " antimirror"));
        }
      }
    }
  }
}

TEST_P(Probes, OfAProblemInAMirrorAreMirrored) {
  const WallCondition conditions[] = {{Wall::mirror},
                                      {Wall::antimirror},
                                      {Wall::dirichlet, 0.3},
                                      {Wall::neumann, 0.2},
                                      {Wall::untouched}};
  for (const char* system : waves) {
    for (const Index3& n : probed) {
      for (int d = 0; d < 3 && is_small(n); ++d) {
        if (along(n, d) == 1) continue;
        for (std::size_t i = 0; i < std::size(conditions); ++i) {
          if (n.z > 1 && i != static_cast<std::size_t>(d) && i != 4) continue; // takes long
          const WallCondition& low = conditions[i];
          const WallCondition& high = conditions[(i + 1 + static_cast<std::size_t>(d)) % 5];
          Problem one(system, n);
          one.wall(d, 0, low);
          one.wall(d, 1, high);
          Problem other(system, n);
          other.wall(d, 0, high, true);
          other.wall(d, 1, low, true);
          const auto last = static_cast<double>(along(n, d) - 1);
          std::vector<int> signs;
          for (const int a : one.states()) {
            for (const double place : places(along(n, d))) {
              one.setup.sources.push_back({a, at_place(n, d, place)});
              one.setup.receivers.push_back({a, at_place(n, d, place)});
              other.setup.sources.push_back(
                  {a, at_place(n, d, last - place), static_cast<double>(one.sign(a, d))});
              other.setup.receivers.push_back({a, at_place(n, d, last - place)});
              signs.push_back(one.sign(a, d));
            }
          }
          Traces mirrored = other.traces(queue);
          for (std::size_t r = 0; r < mirrored.size(); ++r)
            for (double& value : mirrored[r])
              value *= signs[r];
          ASSERT_GT(largest(mirrored), 0.1);
          expect_near(one.traces(queue), mirrored,
                      std::string(system) + " " + to_text(Extents{n.x, n.y, n.z}) + " axis " +
                          "xyz"[d] + " condition " + std::to_string(i));
        }
      }
    }
  }
}

TEST_P(Probes, BetweenPeriodicFacesMayMove) {
  for (const char* system : waves) {
    for (const Index3& n : probed) {
      for (int d = 0; d < 3 && is_small(n); ++d) {
        if (along(n, d) == 1) continue;
        Traces right;
        for (const double by : {3.0, 0.0, static_cast<double>(along(n, d) - 3)}) {
          Problem problem(system, n);
          problem.wall(d, 0, {Wall::periodic});
          problem.wall(d, 1, {Wall::periodic});
          for (const int a : problem.states()) {
            problem.setup.sources.push_back({a, at_place(n, d, by + quarter)});
            for (const double place : {0.0, quarter, 1.5})
              problem.setup.receivers.push_back({a, at_place(n, d, by + place)});
          }
          const Traces found = problem.traces(queue);
          if (right.empty()) {
            right = found;
            ASSERT_GT(largest(right), 0.1);
          } else {
            expect_near(found, right, std::string(system) + " axis " + "xyz"[d]);
          }
        }
      }
    }
  }
}

TEST_P(Probes, LieAtTheLastPointHoweverItIsWritten) {
  Problem problem("acoustic", {101, 1, 1});
  problem.setup.spacing = {0.57, 1, 1}; // 57 / 0.57 is more than 100
  problem.setup.sources = {{0, {57, 0, 0}}};
  problem.setup.receivers = {{0, {57, 0, 0}}, {0, {-1e-13, 0, 0}}};
  EXPECT_EQ(problem.traces(queue, 1)[0][0], 1);
  EXPECT_TRUE(lies_within(57, 0.57, 100));
  EXPECT_FALSE(lies_within(57.001, 0.57, 100));
  EXPECT_FALSE(lies_within(-0.001, 0.57, 100));
}

TEST_P(Probes, CountNumbersThatAreNone) {
  const Problem problem("acoustic", {70, 9, 8});
  System system = problem.make(queue);
  EXPECT_EQ(system.odd_numbers(), 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = -std::numeric_limits<double>::infinity();
  system.write(0, {{69, 8, 7}, {1, 1, 1}}, &nan);
  system.write(2, {{0, 0, 0}, {1, 1, 1}}, &infinite);
  EXPECT_EQ(system.odd_numbers(), 2);
  system.run(1);
  EXPECT_GT(system.odd_numbers(), 10);
}

INSTANTIATE_TEST_SUITE_P(Devices, Probes, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::chain
