// Sums by a tree in fp32, mixed precision and any units: far from the origin, of bodies that are
// close.
#include <ridge/pairs/tree.hpp>

#include "../../src/pairs/theta_search.hpp"
#include "tree_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ridge::pairs {
namespace {

using trees::all_pairs;
using trees::Bodies;
using trees::cube;
using trees::error_of;
using trees::line;
using trees::most_error;
using trees::Places;
using trees::plummer;
using trees::Sums;
using trees::Trees;
using trees::two_clusters;
using trees::unit;

/// Mixed precision takes positions within a group: a million radii from the origin, it is as good.
TEST_P(Trees, InMixedPrecisionDoNotMindWhereTheOriginIs) {
  Places places = plummer(500);
  const Sums right = all_pairs(places, 0.05);
  for (std::size_t i = 0; i < 500; ++i)
    places[1][i] += 1e6;
  Bodies<Mixed> bodies(device, places, options(0.4));
  EXPECT_LT(error_of(bodies.run(), right), most_error(0.4, 2, 0, true));
}

/// As far from the origin as fp32 rounds their positions to a sixteenth of their cube: sums over
/// these places are right all the same, in a new tree and in one that follows.
TEST_P(Trees, InFp32DoNotMindWhereTheOriginIs) {
  for (const double away : {0.0, 1e4, -1e5, 1e6}) {
    Places places = cube(500);
    for (std::size_t c = 0; c < 3; ++c) {
      for (double& x : places[c])
        x = static_cast<float>(x + away * (c == 1 ? -0.7 : 1));
    }
    const Sums right = all_pairs(places, 0.05);
    Bodies<Fp32> bodies(device, places, options(0.3, 5));
    EXPECT_LT(error_of(bodies.run(), right), 1e-5) << away << " away";
    bodies.tree->follow();
    bodies.tree->sum(bodies.to());
    EXPECT_LT(error_of(bodies.got(), right), 1e-5) << away << " away, followed";
    EXPECT_LT(bodies.tree->error(500).rms, 1e-4) << away << " away";
  }
}

/// Clusters that are far apart by their bodies' distances share groups, which end between them.
/// Body 0 is alone, before or after all others along the curve.
TEST_P(Trees, InMixedPrecisionDoNotMindGroupsThatSpanClusters) {
  for (const double apart : {1e4, 1e6, 1e9}) {
    for (const std::size_t clusters : {2, 3, 5}) {
      if (apart > 1e6 && clusters > 3) continue; // quadrupoles would leave fp32's range
      for (const std::size_t n : {2, 3, 40, 200}) {
        Places places = plummer(n);
        for (std::size_t i = 0; i < n; ++i) {
          const auto cluster = static_cast<double>(i % clusters);
          places[0][i] += apart * cluster * (i == 0 ? 1 : cluster);
          places[1][i] -= i == 0 ? 3 * apart : apart * cluster;
        }
        const Sums right = all_pairs(places, 0.05);
        for (const double theta : {0.0, 0.4}) {
          for (const int order : {2, 4}) {
            Bodies<Mixed> bodies(device, places, options(theta, order));
            // Groups of clusters: in packs of four bodies 1.7 times the bound of one sphere.
            const double most = theta == 0 ? 1e-5 : 2 * most_error(theta, order, 0, false) + 1e-5;
            for (int pass = 0; pass < 2; ++pass) // by radius over distance, then by accelerations
              EXPECT_LT(error_of(bodies.run(), right), most)
                  << apart << " apart, " << clusters << " clusters of " << n << " bodies, theta "
                  << theta << " order " << order << " pass " << pass;
            const TreePairs met = bodies.tree->pairs();
            if (theta == 0) {
              EXPECT_EQ(met.bodies + met.nodes, static_cast<double>(n * (n - 1)));
            }
          }
        }
      }
    }
  }
}

/// In the middle of a lattice forces cancel: what rounding leaves there has no error of its own.
TEST_P(Trees, HaveErrorsWhereForcesCancel) {
  Places places = cube(125);
  for (std::size_t i = 0; i < 125; ++i) {
    for (const auto& [c, x] : {std::pair{0, i % 5}, {1, i / 5 % 5}, {2, i / 25}})
      places[static_cast<std::size_t>(c)][i] = 0.1 * static_cast<double>(x);
  }
  for (const int power : {0, 30, -40}) { // of lengths and masses
    Places in_units = places;
    for (auto& component : in_units) {
      for (double& x : component)
        x = std::ldexp(x, power);
    }
    Bodies<Mixed> mixed(device, in_units, options(0, 2, std::ldexp(0.05, power)));
    mixed.run();
    const double rms = mixed.tree->error(125).rms;
    EXPECT_TRUE(rms > 1e-8 && rms < 1e-4) << rms << " in units of 2^" << power;
  }
  Bodies<Fp64> bodies(device, places, options(0.5));
  EXPECT_LT(bodies.tree->reach(1e-3, 0, bodies.to(), 125).rms, 1e-3);
}

/// A pair that is close by chance ends a group, too; sums of the others stay right.
TEST_P(Trees, InMixedPrecisionKeepClosePairs) {
  Places places = cube(300);
  for (std::size_t c = 0; c < 3; ++c)
    places[c][200] = places[c][100] + 1e-7;
  const Sums right = all_pairs(places, 0);
  Bodies<Mixed> bodies(device, places, options(0, 2, 0));
  EXPECT_LT(error_of(bodies.run(), right), 1e-5);
}

/// Lengths, masses and softening by powers of two: sums are those, to the last bit, with the units
/// of theirs, as far from 1 as fp32 has them. Moments over powers of such distances were none.
template <class P>
void expect_any_units(const Device& device, TreeOptions options) {
  const bool is_cpu = device.kind() == DeviceKind::cpu;
  const Places places = two_clusters(is_cpu ? 300 : 100);
  const double softening = options.softening;
  for (const int order : {1, 2, 3, 5}) {
    if (!is_cpu && order % 2 == 1 && order != 3) continue;
    options.order = order;
    options.softening = softening;
    Bodies<P> bodies(device, places, options);
    const Places right = bodies.run();
    const Places later = bodies.run();
    for (const auto& [length, mass] : {std::pair{40, 0}, {-40, 0}, {0, 60}, {48, 90}, {-40, -70}}) {
      Places scaled = places;
      for (std::size_t c = 0; c < 4; ++c) {
        for (double& x : scaled[c])
          x = std::ldexp(x, c < 3 ? length : mass);
      }
      options.softening = std::ldexp(softening, length);
      Bodies<P> others(device, scaled, options);
      Places got = others.run();
      for (std::size_t c = 0; c < 4; ++c) {
        for (double& x : got[c])
          x = std::ldexp(x, (c < 3 ? 2 : 1) * length - mass);
        EXPECT_EQ(got[c], right[c]) << P::name << " order " << order << " lengths by 2^" << length
                                    << ", masses by 2^" << mass << ", sum " << c;
      }
      got = others.run(); // roots of accelerations are rounded
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t i = 0; i < got[c].size(); ++i)
          ASSERT_NEAR(std::ldexp(got[c][i], (c < 3 ? 2 : 1) * length - mass), later[c][i], 2e-3)
              << P::name << " order " << order << " lengths by 2^" << length << ", sum " << c;
      }
    }
  }
}

TEST_P(Trees, HaveTheSameBitsInAnyUnits) {
  expect_any_units<Mixed>(device, options(0.5));
  expect_any_units<Fp32>(device, options(0.5));
  expect_any_units<Fp32>(device, options(0.5, 2, 0));
}

/// The worst error of an acceleration, relative to its length.
double worst_error(const Places& got, const Sums& right) {
  double worst = 0;
  for (std::size_t i = 0; i < got[0].size(); ++i) {
    double wrong = 0, length = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      wrong += (got[c][i] - right[c][i]) * (got[c][i] - right[c][i]);
      length += right[c][i] * right[c][i];
    }
    worst = std::max(worst, std::sqrt(wrong / length));
    if (!std::isfinite(wrong)) return wrong;
  }
  return worst;
}

/// Two bodies on both sides of a large cell's face are no neighbours along the curve, and no others
/// may be near.
TEST_P(Trees, InMixedPrecisionKeepPairsAcrossFaces) {
  const std::size_t pairs = device.kind() == DeviceKind::cpu ? 200 : 60;
  for (const double apart : {1e-3, 1e-5, 1e-7, 1e-10}) {
    Places places = cube(4 * pairs); // half of them in pairs
    for (std::size_t i = 0; i < 2 * pairs; ++i) {
      const std::size_t other = i - i % 2;
      for (std::size_t c = 0; c < 3; ++c)
        places[c][i] = places[c][other];
      const std::size_t across = i / 2 % 3; // at a face, and some at an edge or a corner, too
      for (std::size_t c = 0; c < 3; ++c) {
        if (c != across && i / 2 % 5 != c) continue;
        const double face = i / 2 % 4 < 2 ? 0.5 : i / 2 % 4 == 2 ? 0.25 : 0.75;
        const double off = apart * (unit(7 + c, other) + 0.1);
        places[c][i] = face + (i % 2 == 0 ? off : off - apart);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) { // faces of a unit cube's cells
      places[c][4 * pairs - 1] = 0;
      places[c][4 * pairs - 2] = 1;
    }
    const Sums right = all_pairs(places, 0);
    Bodies<Mixed> bodies(device, places, options(0, 2, 0));
    EXPECT_LT(worst_error(bodies.run(), right), 4e-4) << apart << " apart";
  }
}

/// A force within the softening falls with the distance: an error of the distance counts by that,
/// not by the softening.
TEST_P(Trees, InMixedPrecisionKeepPairsWithinTheSoftening) {
  Places places = cube(200);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      places[c][i] = i % 2 == 0 ? 8 * places[c][i] : places[c][i - 1] + 1e-4 * places[c][i];
  }
  const Sums right = all_pairs(places, 0.01);
  Bodies<Mixed> bodies(device, places, options(0, 2, 0.01));
  const Places got = bodies.run();
  double worst = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    double wrong = 0;
    for (std::size_t c = 0; c < 3; ++c)
      wrong += (got[c][i] - right[c][i]) * (got[c][i] - right[c][i]);
    worst = std::max(worst, std::sqrt(wrong) / right[4][i]);
  }
  EXPECT_LT(worst, 3e-4);
}

/// Where groups end, too, a far node is one whose next moment is small beside the accelerations: in
/// a line these come to little.
TEST_P(Trees, InMixedPrecisionMindAccelerationsWhereGroupsEnd) {
  Places places = line(400);
  for (double& x : places[0])
    x = x * x * x;
  for (const int order : {1, 3}) {
    Bodies<Fp64> exact(device, places, options(0.6, order, 0));
    Bodies<Mixed> bodies(device, places, options(0.6, order, 0));
    for (int pass = 0; pass < 2; ++pass) { // the second knows accelerations
      (void)exact.run();
      (void)bodies.run();
    }
    EXPECT_LT(bodies.tree->error(400).rms, 3 * exact.tree->error(400).rms + 1e-3) << order;
  }
}

/// The theta that a search ends with, and how many it tries, where theta^power over `unit` is the
/// error that was found over the one that was asked for, in steps of `jump`.
struct Searched {
  double used = 0;
  int trials = 0;
};
Searched searched(double first, int order, double unit_theta, double power, double jump = 1.0001) {
  ThetaSearch search(first, order);
  for (int trials = 1;; ++trials) {
    const double steps = std::log(search.theta() / unit_theta) * power / std::log(jump);
    const double used = search.theta() == 0 ? 0 : std::pow(jump, std::ceil(steps));
    if (!search.goes_on(used)) return {used, trials};
  }
}

TEST(ThetaSearch, UsesTheErrorThatIsAskedFor) {
  for (const double first : {0.15, 0.4, 0.6, 0.9, 1.3}) {
    for (int order = 1; order <= 5; ++order) {
      for (const double power : {1.0, 2.5, 4.0, 7.0}) {
        const Searched found = searched(first, order, 0.7, power);
        EXPECT_GE(found.used, 0.85) << first << " order " << order << " power " << power;
        EXPECT_LE(found.used, 0.95) << first << " order " << order << " power " << power;
        EXPECT_LE(found.trials, 14) << first << " order " << order << " power " << power;
      }
    }
  }
}

TEST(ThetaSearch, EndsWithAThetaThatHoldsWhereErrorsJump) {
  for (const double first : {0.2, 0.65, 0.72, 1.4}) {
    for (const double unit_theta : {0.5, 0.71, 1.0}) {
      const Searched found = searched(first, 2, unit_theta, 3, 2.5); // 0.4 or 1: no theta uses 0.85
      EXPECT_NEAR(found.used, 0.4, 1e-6) << first << " of " << unit_theta;
      EXPECT_LE(found.trials, 16) << first << " of " << unit_theta;
    }
  }
}

TEST(ThetaSearch, TakesTheWidestThetaAndInTheEndAllPairs) {
  EXPECT_LT(searched(1.2, 1, 40, 2).used, 0.01);
  EXPECT_EQ(searched(1.2, 1, 1e-9, 2).used, 0);
  ThetaSearch endless(0.5, 2);
  while (endless.goes_on(std::numeric_limits<double>::infinity())) {
  }
  EXPECT_EQ(endless.theta(), 0);
}

} // namespace
} // namespace ridge::pairs
