// Sums by a tree: against all pairs, against what is known in closed form, and the same bits.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/pairs/tree.hpp>

#include "devices.hpp"
#include "tree_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace ridge::pairs {
namespace {

using trees::all_pairs;
using trees::Bodies;
using trees::cube;
using trees::error_of;
using trees::heaps;
using trees::line;
using trees::most_error;
using trees::Places;
using trees::plane;
using trees::plummer;
using trees::Sums;
using trees::Trees;
using trees::two_clusters;
using trees::unit;

INSTANTIATE_TEST_SUITE_P(Here, Trees, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST_P(Trees, AreAsNearToAllPairsAsThetaSays) {
  const std::size_t n = device.kind() == DeviceKind::cpu ? 1500 : 500;
  struct {
    const char* name;
    Places (*make)(std::size_t);
    bool round;
  } const shapes[] = {{"cube", cube, true},        {"plummer", plummer, true},
                      {"two", two_clusters, true}, {"line", line, false},
                      {"plane", plane, false},     {"heaps", heaps, false}};
  for (const auto& [name, make, round] : shapes) {
    const Places places = make(n);
    const Sums right = all_pairs(places, 0.05);
    for (const double theta : {0.3, 0.5, 0.8}) {
      for (const int order : {1, 2, 3, 4, 5}) {
        if (order != 2 && theta != 0.5) continue;
        Bodies<Fp32> bodies(device, places, options(theta, order));
        for (int pass = 0; pass < 2; ++pass) // by radius over distance, then by accelerations
          EXPECT_LT(error_of(bodies.run(), right), most_error(theta, order, pass, round))
              << name << " theta " << theta << " order " << order << " pass " << pass;
      }
    }
  }
}

/// Of 128 places far from one node, the worst error of the acceleration by its moments, relative to
/// that by its bodies.
double error_from_afar(const Device& device, const TreeOptions& options) {
  Places places = cube(384); // a corner of it is dense, so that no moment is small
  for (std::size_t i = 0; i < 256; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      places[c][i] = std::pow(places[c][i], static_cast<double>(2 + c));
  }
  for (std::size_t i = 256; i < 384; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      places[c][i] = 10 - 2 * static_cast<double>(c) + 0.05 * places[c][i];
    places[3][i] = 0;
  }
  const Sums right = all_pairs(places, options.softening);
  Bodies<Fp64> bodies(device, places, options);
  const Places got = bodies.run();
  EXPECT_EQ(bodies.tree->pairs().nodes, 384); // each of the two clusters is one to the other
  double worst = 0;
  for (std::size_t i = 256; i < 384; ++i) {
    worst = std::max(worst, std::abs(got[3][i] / right[3][i] - 1));
    for (std::size_t c = 0; c < 3; ++c)
      worst = std::max(worst, std::abs(got[c][i] - right[c][i]) / right[4][i]);
  }
  return worst;
}

/// Each order takes a factor off, whatever the softening is: a wrong number of one would stay.
TEST_P(Trees, ConvergeWithTheirOrder) {
  for (const double softening : {0.0, 1.0, 10.0}) {
    double before = 1;
    for (const int order : {1, 2, 3, 4, 5}) {
      TreeOptions asked = options(0.5, order, softening);
      asked.schedule.leaf = 256;
      const double error = error_from_afar(device, asked);
      EXPECT_LT(error, 0.3 * before) << order << " softening " << softening;
      before = error;
    }
    EXPECT_LT(before, 1e-8);
  }
}

TEST_P(Trees, TakeFewerPairsThanThereAre) {
  Bodies<Fp32> bodies(device, plummer(1500), options(0.8));
  (void)bodies.run();
  const TreePairs met = bodies.tree->pairs();
  EXPECT_GT(met.nodes, 1500.0);
  EXPECT_LT(met.bodies + met.nodes, 0.8 * 1500 * 1499);
}

template <class P>
void expect_all_pairs_at_theta_0(const Device& device, const TreeOptions& options,
                                 double tolerance) {
  for (const std::size_t n : {1, 2, 3, 16, 31, 64, 65}) {
    for (const auto& make : {plummer, heaps}) {
      const Places places = make(n);
      Bodies<P> bodies(device, places, options);
      const Sums right = all_pairs(places, options.softening);
      EXPECT_LT(error_of(bodies.run(), right), tolerance) << P::name << " " << n;
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(bodies.got()[3][i], right[3][i], 40 * tolerance) << P::name << " " << n;
    }
  }
}

TEST_P(Trees, WithThetaZeroAreAllPairs) {
  expect_all_pairs_at_theta_0<Fp32>(device, options(0), 1e-6);
  // So few are one group, whose origin is far from some: bodies beside those lose by rounding.
  expect_all_pairs_at_theta_0<Mixed>(device, options(0, 1), 1e-5);
  expect_all_pairs_at_theta_0<Fp64>(device, options(0), 1e-14);
}

/// Softening that is wider than nodes: their quadrupoles have a part of it.
/// Softening that is much wider than all makes a body's share of a potential its mass, near or far.
/// A group at one place may be the farthest of a node, at its radius to the last digit: it must not
/// meet itself there.
template <class P>
void expect_each_body_once(const Device& device, double most) {
  for (const std::size_t heap : {1, 128}) { // bodies of a place: as many as a group has or more
    const std::size_t n = 9 * heap;
    for (std::uint64_t seed = 0; seed < (device.kind() == DeviceKind::cpu ? 8 : 2); ++seed) {
      Places places = cube(n);
      double mass = 0;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < 3; ++c)
          places[c][i] = unit(3 * seed + c, i / heap);
        mass += places[3][i] = unit(100 + seed, i) + 0.01;
      }
      for (const double theta : {1.0, 1.5}) {
        TreeOptions o{theta, 1, 1e6, default_tree_schedule(device, P::name)};
        o.schedule.leaf = 1;
        Bodies<P> bodies(device, places, o);
        const Places got = bodies.run();
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_NEAR(-1e6 * got[3][i], mass - places[3][i], most * mass)
              << heap << " at a place, seed " << seed << ", theta " << theta << ", body " << i;
        }
      }
    }
  }
}

TEST_P(Trees, HaveEachBodyOnce) {
  expect_each_body_once<Fp64>(device, 1e-10);
  expect_each_body_once<Fp32>(device, 5e-6);
  expect_each_body_once<Mixed>(device, 5e-6);
}

TEST_P(Trees, SoftenNodesAsBodies) {
  const Places places = cube(400);
  const Sums right = all_pairs(places, 2.0);
  Bodies<Fp64> bodies(device, places, options(0.6, 2, 2.0));
  const Places got = bodies.run();
  EXPECT_LT(error_of(got, right), 2e-3);
  for (std::size_t i = 0; i < 400; ++i)
    EXPECT_NEAR(got[3][i] / right[3][i], 1, 1e-4);
}

/// Charges of one sign are masses where the others have none. Ions on faces, edges and corners of
/// the block count by halves (Evjen 1932), so that the potential in the middle is that of a
/// crystal.
TEST_P(Trees, GiveMadelungsConstantOfRockSalt) {
  constexpr int half = 4;
  double potential = 0;
  for (const int sign : {0, 1}) {
    Places ions;
    std::size_t middle = 0;
    for (int x = -half; x <= half; ++x) {
      for (int y = -half; y <= half; ++y) {
        for (int z = -half; z <= half; ++z) {
          if (x == 0 && y == 0 && z == 0) middle = ions[0].size();
          double charge = (x + y + z + 100) % 2 == sign ? 1 : 0;
          for (const int at : {x, y, z})
            charge *= std::abs(at) == half ? 0.5 : 1;
          ions[0].push_back(x);
          ions[1].push_back(y);
          ions[2].push_back(z);
          ions[3].push_back(charge);
        }
      }
    }
    Bodies<Fp64> bodies(device, ions, options(0.25, 4, 0));
    potential += (sign == 0 ? -1 : 1) * bodies.run()[3][middle];
  }
  EXPECT_NEAR(potential, -1.747565, 1e-3); // 1e-5 of the ions' of one sign
}

TEST_P(Trees, GiveTheSameBitsEachTimeAndAfterARestart) {
  const Places places = plummer(600);
  Bodies<Mixed> one(device, places, options(0.5)), other(device, places, options(0.5));
  const Places first = one.run();
  const std::uint32_t limit = one.tree->limit();
  const Places second = one.run();
  EXPECT_EQ(other.run(), first);
  EXPECT_EQ(other.run(), second);
  Bodies<Mixed> restarted(device, places, options(0.5));
  for (std::size_t c = 0; c < 4; ++c)
    copy_to_device(restarted.queue, restarted.sums[c].data(), first[c].data(), 600);
  restarted.tree->remember(restarted.to(), limit);
  EXPECT_EQ(restarted.run(), second);
  for (std::size_t c = 0; c < 4; ++c) { // what is remembered decides which nodes are far
    Places larger = first;
    for (double& a : larger[c])
      a *= 10;
    copy_to_device(restarted.queue, restarted.sums[c].data(), larger[c].data(), 600);
    restarted.queue.wait();
  }
  restarted.tree->remember(restarted.to(), limit);
  EXPECT_NE(restarted.run(), second);
}

TEST_P(Trees, FollowBodiesThatMove) {
  Places places = plummer(500);
  Bodies<Fp64> bodies(device, places, options(0.5));
  (void)bodies.run();
  const Index nodes = bodies.tree->octree().nodes();
  for (const double far : {0.01, 3.0}) { // by little, and by as much as they are apart
    for (std::size_t i = 0; i < 500; ++i) {
      for (std::size_t c = 0; c < 3; ++c)
        places[c][i] += far * (unit(40 + c, i) - 0.5);
    }
    for (std::size_t c = 0; c < 3; ++c)
      copy_to_device(bodies.queue, bodies.fields[c].data(), places[c].data(), 500);
    bodies.queue.wait();
    bodies.tree->follow();
    bodies.tree->sum(bodies.to());
    EXPECT_LT(error_of(bodies.got(), all_pairs(places, 0.05)), most_error(0.5, 2, 1, true)) << far;
    EXPECT_EQ(bodies.tree->octree().nodes(), nodes);
  }
  const Places followed = bodies.got();
  EXPECT_NE(bodies.run(), followed) << "these nodes are new";
}

/// Forces along a line nearly cancel: the first sums, too, know how small they are.
TEST_P(Trees, KnowAccelerationsInTheirFirstSums) {
  for (const auto& make : {line, plane, cube}) {
    Bodies<Fp64> bodies(device, make(2000), options(0.6, 2, 0.01));
    (void)bodies.run();
    const TreeError first = bodies.tree->error(2000);
    (void)bodies.run();
    const TreeError later = bodies.tree->error(2000);
    EXPECT_LT(first.rms, 1.5 * later.rms);
    EXPECT_LT(first.worst, 3 * later.worst);
  }
}

/// Bodies that fly apart, or together, take their tree to other units.
TEST_P(Trees, KeepTheirErrorWhenBodiesSpread) {
  Places places = plummer(200);
  const auto check = [&](Bodies<Mixed>& bodies, int by, bool follows) {
    Places now = places;
    for (std::size_t c = 0; c < 3; ++c) {
      for (double& x : now[c])
        x = std::ldexp(x, by);
      copy_to_device(bodies.queue, bodies.fields[c].data(), now[c].data(), 200);
    }
    bodies.queue.wait();
    bodies.tree->forget();
    if (follows) {
      bodies.tree->follow();
    } else {
      bodies.tree->update();
    }
    bodies.tree->sum(bodies.to());
    EXPECT_LT(error_of(bodies.got(), all_pairs(now, 1e-6)), most_error(0.5, 3, 0, true))
        << "by 2^" << by;
  };
  Bodies<Mixed> bodies(device, places, options(0.5, 3, 1e-6));
  for (const int by : {0, 3, 30, 10, -16, 0})
    check(bodies, by, false);
  for (const int by : {2, 30, -10})
    check(bodies, by, true);
}

/// Several bodies are a node, however near they are to a target.
TEST_P(Trees, AreRightForHeapsThatAreVeryNear) {
  for (const double apart : {1e-5, 1e-7, 1e-9}) {
    Places places = cube(120);
    for (std::size_t i = 60; i < 120; ++i) { // fours, a heap of three beside a body
      for (std::size_t c = 0; c < 3; ++c)
        places[c][i] = places[c][i / 4] * (c == 0 && i % 4 == 0 ? 1 + apart : 1);
    }
    const Sums right = all_pairs(places, 1e-13);
    for (const int order : {2, 3}) {
      TreeOptions asked = options(0.8, order, 1e-13);
      asked.schedule.leaf = 4;
      Bodies<Mixed> bodies(device, places, asked);
      for (int pass = 0; pass < 2; ++pass)
        EXPECT_LT(error_of(bodies.run(), right), 1e-4) << apart << " order " << order;
    }
  }
}

TEST_P(Trees, RefuseASofteningThatIsNothingBesideTheBodies) {
  Places places = plummer(50);
  places[0][7] = 1e12;
  Bodies<Fp32> bodies(device, places, options(0.5, 2, 1e-12));
  EXPECT_THROW(bodies.tree->update(), UsageError);
  Bodies<Fp64> others(device, places, options(0.5, 2, 1e-12));
  EXPECT_LT(error_of(others.run(), all_pairs(places, 1e-12)), most_error(0.5, 2, 0, false));
}

TEST_P(Trees, TellTheirErrorAndPhases) {
  const Places places = plummer(500);
  const Sums right = all_pairs(places, 0.05);
  Bodies<Fp32> bodies(device, places, options(0.7));
  const Places got = bodies.run();
  const TreeError error = bodies.tree->error(500);
  EXPECT_EQ(error.sample, 500);
  double squares = 0, worst = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    double wrong = 0, length = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      wrong += (got[c][i] - right[c][i]) * (got[c][i] - right[c][i]);
      length += right[c][i] * right[c][i];
    }
    squares += wrong / length;
    worst = std::max(worst, std::sqrt(wrong / length));
  }
  EXPECT_NEAR(error.rms, std::sqrt(squares / 500), 1e-6);
  EXPECT_NEAR(error.worst, worst, 1e-6);
  EXPECT_LE(error.p99, error.worst);
  double lack = 0; // masses are equal
  for (std::size_t i = 0; i < 500; ++i)
    lack += (right[3][i] - got[3][i]) / 500;
  EXPECT_GT(std::abs(lack), 2e-7);
  EXPECT_NEAR(error.lack, lack, 1e-7);
  std::vector<std::string> names;
  for (const TreePhase& phase : bodies.tree->phases(bodies.to()))
    names.push_back(phase.name);
  EXPECT_THAT(names, ::testing::ElementsAre("bounds and keys", "sort", "gather", "nodes", "moments",
                                            "walk"));
}

TEST_P(Trees, ConserveMomentumAsFarAsTheyAreRight) {
  const Places places = plummer(800);
  Bodies<Fp32> bodies(device, places, options(0.5));
  const Places got = bodies.run();
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < 800; ++i) {
      sum += places[3][i] * got[c][i];
      size += places[3][i] * std::abs(got[c][i]);
    }
    EXPECT_LT(std::abs(sum), 1e-3 * size);
  }
}

double self_energy(const Places& places, double softening) {
  TreeOptions options{0.5, 2, softening, default_tree_schedule(Device("cpu"), "fp32")};
  Bodies<Fp32> bodies(Device("cpu"), places, options);
  const Places got = bodies.run();
  double energy = 0;
  for (std::size_t i = 0; i < places[3].size(); ++i)
    energy += 0.5 * places[3][i] * got[3][i];
  return energy;
}

/// Known: of a unit cube -0.941156, of a Plummer sphere - 3 pi / 32, here without the outer 0.1 %.
TEST(TreeEnergies, OfACubeAndAPlummerSphere) {
  EXPECT_NEAR(self_energy(cube(60000), 1e-3), -0.941156, 3e-3);
  EXPECT_NEAR(self_energy(plummer(60000), 1e-3), -3 * std::numbers::pi / 32, 3e-3);
}

TEST_P(Trees, NameBodiesThatAreNowhere) {
  Places places = cube(40);
  places[2][17] = std::nan("");
  Bodies<Fp32> bodies(device, places, options(0.5));
  EXPECT_THROW(
      {
        try {
          bodies.tree->update();
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), ::testing::HasSubstr("body 17"));
          throw;
        }
      },
      UsageError);
}

template <class P>
void expect_mass_refused(double mass) {
  Places places = cube(40);
  places[3][23] = mass;
  Bodies<P> bodies(Device("cpu"), places, {});
  try {
    bodies.tree->update();
    ADD_FAILURE() << P::name << " took a mass of " << mass;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("mass of body 23"));
  }
}

TEST(Tree, RefusesMassesThatAreNone) {
  for (const double mass : {-1e-20, std::nan(""), HUGE_VAL}) {
    expect_mass_refused<Fp32>(mass);
    expect_mass_refused<Fp64>(mass);
    expect_mass_refused<Mixed>(mass);
  }
}

TEST(Tree, RefusesOptionsThatAreNoGood) {
  for (const TreeOptions& bad : {TreeOptions{1.6, 2, 0, {}}, TreeOptions{-1e-9, 2, 0, {}},
                                 TreeOptions{std::nan(""), 2, 0, {}}, TreeOptions{0.5, 0, 0, {}},
                                 TreeOptions{0.5, 6, 0, {}}, TreeOptions{0.5, 2, -1, {}}})
    EXPECT_THROW(Bodies<Fp32>(Device("cpu"), cube(3), bad), UsageError);
  Bodies<Fp32> bodies(Device("cpu"), cube(3), {});
  EXPECT_THROW(bodies.tree->sum(bodies.to()), UsageError) << "there is no tree yet";
  bodies.tree->update();
  auto short_of_one = bodies.to();
  short_of_one[2].size = 2;
  EXPECT_THROW(bodies.tree->sum(short_of_one), UsageError);
}

} // namespace
} // namespace ridge::pairs
