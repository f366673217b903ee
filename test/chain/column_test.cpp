// Chains with columns: scans and tridiagonal systems, under every schedule, on every device here.
#include <ridge/chain/columns.hpp>
#include <ridge/chain/over_ranks.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/error.hpp>

#include "column_chains.hpp"
#include "on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace ridge::chain {
namespace {

using ::testing::HasSubstr;

using test::expect_everywhere;
using test::inputs;
using test::OnDevice;
using test::random_of;
using test::refusal_of;

/// What the chain of weights is meant to compute.
std::vector<double> weights(Index3 n, bool of_two, const std::vector<double>& density,
                            const std::vector<double>& moisture) {
  std::vector<double> product(density.size());
  const Index levels = of_two ? n.y : n.z;
  const Index columns = n.x * n.y * n.z / levels;
  for (Index c = 0; c < columns; ++c) {
    const auto at = [&](Index k) { return static_cast<std::size_t>(c + k * columns); };
    for (Index k = 0; k < levels; ++k) {
      double below = 0;
      double above = 0;
      double extreme = of_two ? INFINITY : -INFINITY;
      for (Index j = 0; j <= k; ++j)
        below += density[at(j)] * moisture[at(j)];
      for (Index j = levels - 1; j >= k; --j) {
        above += density[at(j)] * moisture[at(j)];
        extreme = of_two ? std::min(extreme, moisture[at(j)]) : std::max(extreme, moisture[at(j)]);
      }
      product[at(k)] = below + density[at(k)] * (above - extreme);
    }
  }
  return product;
}

template <class C, class T>
void expect_integers(Index3 n) {
  const auto given =
      inputs<C>(n, [](int array, Index i) { return std::floor(16 * random_of(array, i)) - 8; });
  const std::vector<double> right = weights(n, C::dimensions.size() == 2, given[0], given[1]);
  expect_everywhere<C, T>(n, given, [&](const std::vector<T>& got) {
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(static_cast<double>(got[i]), right[i]) << i;
  });
}

TEST(Columns, ScanIntegersExactly) {
  for (const Index3 n : {Index3{37, 13, 1}, Index3{1, 1, 1}, Index3{130, 1, 1}, Index3{1, 70, 1}})
    expect_integers<test::Weights<2, false>, double>(n);
  for (const Index3 n : {Index3{9, 5, 11}, Index3{1, 3, 1}, Index3{33, 1, 4}}) {
    expect_integers<test::Weights<3, true>, double>(n);
    expect_integers<test::Weights<3, true>, float>(n);
  }
}
TEST(Columns, HaveTheBitsOfFissionUnderEverySchedule) {
  for (const Index3 n : {Index3{41, 5, 19}, Index3{8, 2, 3}}) {
    using C = test::Weights<3, true>;
    const auto given = inputs<C>(n, random_of);
    const std::vector<double> right = weights(n, false, given[0], given[1]);
    expect_everywhere<C, double>(n, given, [&](const std::vector<double>& got) {
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], right[i], 1e-13) << i;
    });
  }
}

/// Neighbours in the column come from what the lane keeps; those beside it from another launch.
template <bool Across>
void expect_differences(Index3 n) {
  using C = test::Differences<Across>;
  const auto given = inputs<C>(n, random_of);
  auto right = given;
  apply_reference(C{}, n, right);
  expect_everywhere<C, double>(n, given, [&](const std::vector<double>& got) {
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], right[2][i], 1e-13) << i;
  });
}
TEST(Columns, AreReadByOperationsBehindThem) {
  for (const Index3 n : {Index3{19, 3, 7}, Index3{1, 1, 1}}) {
    expect_differences<false>(n);
    expect_differences<true>(n);
  }
}

/// Gaussian elimination with exchange of rows of a full matrix, in long double.
std::vector<double> solved(std::vector<std::vector<long double>> m, std::vector<long double> r) {
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      best = std::abs(m[i][k]) > std::abs(m[best][k]) ? i : best;
    std::swap(m[k], m[best]);
    std::swap(r[k], r[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j)
        m[i][j] -= f * m[k][j];
      r[i] -= f * r[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      r[k] -= m[k][j] * r[j];
    r[k] /= m[k][k];
  }
  return {r.begin(), r.end()};
}

/// Solutions within `tolerance` of the largest of their column.
template <class C, bool Periodic>
void expect_solved(Index columns, Index levels, const std::function<double(int, Index)>& value,
                   double tolerance) {
  const Index3 n{columns, levels, 1};
  const auto given = inputs<C>(n, value);
  const auto number = [&](int a, Index x, Index k) {
    const bool profile = C::arrays[static_cast<std::size_t>(a)].profile;
    return given[static_cast<std::size_t>(a)]
                [static_cast<std::size_t>(profile ? k : x + k * columns)];
  };
  std::vector<double> right(static_cast<std::size_t>(columns * levels));
  std::vector<double> scale(static_cast<std::size_t>(columns));
  for (Index x = 0; x < columns; ++x) {
    const auto size = static_cast<std::size_t>(levels);
    std::vector<std::vector<long double>> m(size, std::vector<long double>(size, 0));
    std::vector<long double> r(size);
    for (Index k = 0; k < levels; ++k) {
      const auto row = static_cast<std::size_t>(k);
      if (k > 0 || Periodic) m[row][(row + size - 1) % size] += number(0, x, k);
      m[row][row] += number(1, x, k);
      if (k + 1 < levels || Periodic) m[row][(row + 1) % size] += number(2, x, k);
      r[row] = number(3, x, k);
    }
    const std::vector<double> one = solved(m, r);
    for (Index k = 0; k < levels; ++k) {
      const double is = one[static_cast<std::size_t>(k)];
      right[static_cast<std::size_t>(x + k * columns)] = is;
      auto& most = scale[static_cast<std::size_t>(x)];
      most = std::max(most, std::abs(is));
    }
  }
  expect_everywhere<C, double>(n, given, [&](const std::vector<double>& got) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double most = scale[i % static_cast<std::size_t>(columns)];
      ASSERT_NEAR(got[i], right[i], tolerance * most) << i;
    }
  });
}
/// Dominated by the diagonal, of both signs.
double dominant(int array, Index i) {
  const double v = random_of(array, i) - 0.5;
  return array == 1 ? (v < 0 ? v - 1.5 : v + 1.5) : v;
}
/// The second difference, whose condition grows with the square of the levels.
double second_difference(int array, Index i) {
  return array == 3 ? random_of(array, i) : array == 1 ? 2.0 : -1.0;
}

TEST(TridiagonalSystems, EqualADenseSolution) {
  for (const Index levels : {1, 2, 3, 20}) {
    for (const Index columns : {1, 37})
      expect_solved<test::Systems<false, false>, false>(columns, levels, dominant, 1e-14);
    expect_solved<test::Systems<true, false>, false>(9, levels, dominant, 1e-14);
    expect_solved<test::Systems<false, true>, true>(9, levels, dominant, 1e-14);
  }
  expect_solved<test::Systems<false, false>, false>(3, 60, second_difference, 1e-12);
}
TEST(TridiagonalSystems, LookAtNothingBeyondTheirEnds) {
  const Index columns = 5;
  const Index levels = 4;
  expect_solved<test::Systems<false, false>, false>(
      columns, levels,
      [&](int array, Index i) {
        const bool beyond = (array == 0 && i < columns) || (array == 2 && i >= columns * 3);
        return beyond ? NAN : dominant(array, i);
      },
      1e-14);
}
TEST(TridiagonalSystems, SayWhichColumnHasAZeroPivot) {
  const Device device("cpu");
  Queue queue(device);
  const Field<double> off(device, {5, 3});
  const Field<double> diagonal(device, {5, 3});
  for (Index i = 0; i < off.count(); ++i) {
    off.data()[i] = 1;
    diagonal.data()[i] = 4;
  }
  const auto look = [&] {
    require_pivots<double>(queue, 2, off.view(), diagonal.view(), off.view());
  };
  EXPECT_EQ(refusal_of(look), "");
  diagonal.data()[3 + 5] = 0.25; // 1 / 4 is taken from it
  EXPECT_THAT(refusal_of(look), HasSubstr("column 3: zero pivot at level 1"));
}

TEST(ColumnPlans, SayThatTilesWouldCutAColumn) {
  const Description d = describe<test::Weights<3, true>, double>();
  const Index3 n{64, 8, 20};
  const Plan cut = make_plan(d, n, {fuse_all, true, {16, 1, 5}, false});
  EXPECT_THAT(cut.note, HasSubstr("'running sum' runs apart from 'weigh': it scans along z, which "
                                  "tiles of 5 items would cut"));
  EXPECT_EQ(cut.groups.size(), 5U);
  const Plan whole = make_plan(d, n, {fuse_all, true, {16, 1, 0}, false});
  EXPECT_EQ(whole.note, "");
  EXPECT_EQ(whole.groups.size(), 1U);
  ASSERT_EQ(whole.groups[0].runs.size(), 2U); // up, and down
  EXPECT_EQ(whole.groups[0].runs[1].first, 2);
  // Lanes of GPUs have whole columns, whatever the tile is.
  EXPECT_EQ(make_plan(d, n, {fuse_all, true, {16, 1, 5}, true}).groups.size(), 1U);
  const Description across = describe<test::Differences<true>, double>();
  const Plan apart = make_plan(across, n, {fuse_all, true, {16, 1, 0}, true});
  EXPECT_THAT(apart.note, HasSubstr("operations read across columns"));
}
TEST(ColumnPlans, RefuseItemsBeyondTheColumns) {
  const Description d = describe<test::Weights<2, true>, double>();
  EXPECT_THAT(refusal_of([&] {
                (void)make_plan(d, {16, 8, 2}, {fuse_all, true, {16, 8, 1}, false});
              }),
              HasSubstr("2 items along z; it has columns along y"));
}
TEST(ColumnPlans, AreNotDividedAmongRanksAlongColumns) {
  const auto division = division_of<test::Weights<3, true>, double>({});
  EXPECT_THAT(division.undivided[2], HasSubstr("'running sum' scans along it"));
  EXPECT_EQ(division.undivided[0], "");
}
TEST(ColumnPlans, SayWhenColumnsDoNotFitTheSharedMemory) {
  using C = test::Systems<false, false>;
  const Index3 n{40, 2000, 1};
  OnDevice<C, double> chain("simt:32", n, inputs<C>(n, dominant));
  EXPECT_THAT(refusal_of([&] { (void)chain.under(chain.parsed("fuse=all block=256x1x1")); }),
              HasSubstr("of shared memory for a block of 256 threads"));
  const auto s = std::get<GpuSchedule>(default_schedule(chain.device(), describe<C, double>(), n));
  EXPECT_EQ(s.fuse, fuse_none);
}
TEST(ColumnPlans, WantTwoDimensions) {
  Description d = describe<test::Weights<2, false>, double>();
  d.rank = 1;
  EXPECT_THAT(refusal_of([&] { check(d); }), HasSubstr("there is one alone"));
}

} // namespace
} // namespace ridge::chain
