// Trees of several ranks: what each gets of the others' is what its bodies need. Ranks are threads.
#include <ridge/pairs/tree.hpp>

#include "devices.hpp"
#include "thread_ranks.hpp"
#include "tree_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace ridge::pairs {
namespace {

using trees::Places;

/// Which bodies each rank has.
using Division = std::vector<std::vector<std::size_t>>;

/// Runs along x of as many bodies each.
Division slices(const Places& p, int ranks) {
  std::vector<std::size_t> order(p[0].size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[0][a] < p[0][b]; });
  Division division;
  for (int r = 0; r < ranks; ++r) {
    const auto end = [&](int rank) {
      return order.begin() + static_cast<std::ptrdiff_t>(order.size()) * rank / ranks;
    };
    division.emplace_back(end(r), end(r + 1));
  }
  return division;
}
/// In turn, so that each rank has bodies everywhere.
Division in_turn(const Places& p, int ranks) {
  Division division(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < p[0].size(); ++i)
    division[i % division.size()].push_back(i);
  return division;
}
/// One body each but for the last rank, which has the rest.
Division one_each(const Places& p, int ranks) {
  Division division(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < p[0].size(); ++i)
    division[std::min(i, division.size() - 1)].push_back(i);
  return division;
}

struct Spread {
  const char* name;
  Places (*make)(std::size_t);
};
Places one_place(std::size_t n) {
  Places p = trees::cube(n);
  for (std::size_t c = 0; c < 3; ++c)
    std::fill(p[c].begin(), p[c].end(), 0.3);
  return p;
}
const std::vector<Spread> spreads{{"cube", trees::cube},        {"plummer", trees::plummer},
                                  {"two", trees::two_clusters}, {"line", trees::line},
                                  {"plane", trees::plane},      {"heaps", trees::heaps},
                                  {"one place", one_place}};
const std::vector<std::pair<const char*, Division (*)(const Places&, int)>> divisions{
    {"slices", slices}, {"in turn", in_turn}, {"one each", one_each}};

class EssentialTrees : public testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  bool is_cpu = device.kind() == DeviceKind::cpu;

  [[nodiscard]] TreeOptions options(double theta, int order, double softening) const {
    TreeOptions o{theta, order, softening, default_tree_schedule(device, "fp32")};
    o.schedule.leaf = 4;
    return o;
  }
  /// Fewer where lanes are emulated.
  [[nodiscard]] std::vector<Spread> spreads_here() const {
    return is_cpu ? spreads : std::vector{spreads[1], spreads[5]};
  }
  /// Sums of all bodies in their own order, after `passes` of them.
  template <class P>
  Places sums(const Places& p, const Division& division, const TreeOptions& o, int passes) {
    Places all;
    for (auto& component : all)
      component.assign(p[0].size(), std::nan(""));
    test::on_ranks(static_cast<int>(division.size()), [&](comm::Communicator& ranks) {
      const auto& own = division[static_cast<std::size_t>(ranks.rank())];
      Places mine;
      for (std::size_t c = 0; c < 4; ++c) {
        for (const std::size_t i : own)
          mine[c].push_back(p[c][i]);
      }
      trees::Bodies<P> bodies(device, mine, o);
      bodies.tree->among(ranks);
      Places got;
      for (int pass = 0; pass < passes; ++pass)
        got = bodies.run();
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t k = 0; k < own.size(); ++k)
          all[c][own[k]] = got[c][k];
      }
    });
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Here, EssentialTrees, testing::ValuesIn(test::devices_here()),
                         test::DeviceName());

/// Softening that is much wider than all makes each body's share of the potential its mass, near or
/// far: so what a rank got, and its own bodies, are all bodies once.
TEST_P(EssentialTrees, HaveEachBodyOnce) {
  constexpr double softening = 1e6;
  for (const auto& [name, make] : spreads_here()) {
    Places p = make(is_cpu ? 301 : 90);
    const std::size_t n = p[0].size();
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i)
      mass += p[3][i] = trees::unit(9, i) + 0.01;
    for (const auto& [way, divide] : divisions) {
      for (const int ranks : {2, 3, 4}) {
        const Places got = sums<Fp64>(p, divide(p, ranks), options(1, 1, softening), 1);
        for (std::size_t i = 0; i < n; ++i) {
          // The square of what is 200 away at most is 4e-8 of that of the softening.
          ASSERT_NEAR(-softening * got[3][i], mass - p[3][i], 1e-6 * mass)
              << name << ", " << way << ", " << ranks << " ranks, body " << i;
        }
      }
    }
  }
}

TEST_P(EssentialTrees, WithThetaZeroAreAllPairs) {
  for (const auto& [name, make] : spreads_here()) {
    const Places p = make(65);
    const trees::Sums right = trees::all_pairs(p, 0.05);
    const Places got = sums<Fp64>(p, slices(p, 3), options(0, 2, 0.05), 2);
    EXPECT_LT(trees::error_of(got, right), 1e-14) << name;
  }
}

/// A node for another rank is far from each of its bodies, one of the own tree from a whole group.
/// So errors are those that one rank may have, with some room, and more where only radius over
/// distance is known.
TEST_P(EssentialTrees, AreAboutAsRightAsOneRank) {
  std::vector<std::pair<int, double>> all{{1, 0.5}, {2, 0.6}, {3, 0.6}, {5, 0.6}};
  if (!is_cpu) all = {{2, 0.6}, {3, 0.6}};
  for (const Spread& spread : spreads_here()) {
    const Places p = spread.make(is_cpu ? 700 : 150);
    const trees::Sums right = trees::all_pairs(p, 0.05);
    for (const auto& [order, theta] : all) {
      for (int pass = 0; pass < 2; ++pass) { // by radius over distance, then by accelerations
        const double most = (pass == 0 ? 2 : 1.5) * trees::most_error(theta, order, pass, false);
        for (const auto& [way, divide] : divisions) {
          const int ranks = 2 + (order + pass) % 3;
          const TreeOptions o = options(theta, order, 0.05);
          const double many = trees::error_of(sums<Fp64>(p, divide(p, ranks), o, pass + 1), right);
          EXPECT_LT(many, most) << spread.name << ", " << way << ", " << ranks << " ranks, order "
                                << order << ", pass " << pass;
        }
      }
    }
  }
}

TEST_P(EssentialTrees, AreRightInEachPrecision) {
  const Places p = trees::plummer(is_cpu ? 500 : 150);
  const trees::Sums right = trees::all_pairs(p, 0.05);
  const TreeOptions o = options(0.5, 2, 0.05);
  EXPECT_LT(trees::error_of(sums<Fp32>(p, slices(p, 3), o, 2), right), 2e-3);
  EXPECT_LT(trees::error_of(sums<Mixed>(p, in_turn(p, 2), o, 2), right), 2e-3);
}

/// Ranks agree on units, though each has bodies of its own.
TEST_P(EssentialTrees, AreRightInAnyUnits) {
  for (const int length : {-40, 40}) {
    Places p = trees::two_clusters(120);
    for (std::size_t c = 0; c < 3; ++c) {
      for (double& x : p[c])
        x = std::ldexp(x, length);
    }
    const double softening = std::ldexp(0.05, length);
    const trees::Sums right = trees::all_pairs(p, softening);
    const Places got = sums<Mixed>(p, slices(p, 3), options(0.5, 2, softening), 2);
    EXPECT_LT(trees::error_of(got, right), 2e-3) << "by 2^" << length;
  }
}

/// Nor on where their trees have their origin.
TEST_P(EssentialTrees, AreRightFarFromTheOrigin) {
  Places p = trees::cube(is_cpu ? 500 : 150);
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& x : p[c])
      x = static_cast<float>(x + (c == 2 ? -3e4 : 1e5));
  }
  const trees::Sums right = trees::all_pairs(p, 0.05);
  EXPECT_LT(trees::error_of(sums<Fp32>(p, slices(p, 3), options(0.3, 3, 0.05), 2), right), 1e-4);
  EXPECT_LT(trees::error_of(sums<Fp64>(p, in_turn(p, 2), options(0.3, 3, 0.05), 2), right), 1e-4);
}

} // namespace
} // namespace ridge::pairs
