// Chains over ranks against one rank, bit for bit. Alone this tests one rank; `mpirun -n N
// test_comm` tests N (ctest does).
#include <ridge/chain/over_ranks.hpp>
#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "chain_kernels.hpp"
#include "on_device.hpp"
#include "ranks_support.hpp"
#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace ridge::comm {

namespace {

using chain::Array;
using chain::RankRange;
using chain::Role;
using ridge::test::refused;
using test::be_late;
using testing::HasSubstr;

template <class T>
T nothing() {
  T bits;
  std::memset(&bits, 0xff, sizeof(T));
  return bits;
}

/// Index into an array of n points that goes round.
std::size_t place(Index3 n, Index x, Index y, Index z) {
  return test::wrapped(n, x, y, z);
}

/// The arrays of a chain, those of a box of each; random where they are read, NaN elsewhere.
template <class C, class Chain, class T>
class Arrays {
public:
  /// `set(i)` is the box of array i that has numbers, `held(i)` the box that there is.
  template <class Held, class Set>
  Arrays(Queue& queue, Index3 items, const Held& held, const Set& set) {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make<A>(queue, items, held(A), set(A)), ...);
    }
    (std::make_integer_sequence<int, chain::arrays_of<C>>{});
  }
  [[nodiscard]] const chain::Views<Chain, T>& views() const { return views_; }
  /// The last array, the result.
  [[nodiscard]] std::vector<T> result(Queue& queue) const {
    const View<T>& view = views_.all().back();
    std::vector<T> all(static_cast<std::size_t>(view.span()));
    copy_to_host(queue, all.data(), static_cast<const T*>(view.data), view.span());
    queue.wait();
    return all;
  }

private:
  template <int A>
  void make(Queue& queue, Index3 items, const Box& held, const Box& set) {
    constexpr Array array = C::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const Index3 whole{array.profile ? 1 : items.x + array.extra.x, items.y + array.extra.y,
                         items.z + array.extra.z};
      const Index3 n = held.extents();
      std::vector<T> values;
      test::for_each_point(held, [&](Index x, Index y, Index z) {
        const bool here = array.role == Role::input && x >= set.begin.x && x < set.end.x &&
                          y >= set.begin.y && y < set.end.y && z >= set.begin.z && z < set.end.z;
        values.push_back(here ? static_cast<T>(random_value(
                                    A + 1, static_cast<std::int64_t>(place(whole, x, y, z))))
                              : nothing<T>());
      });
      fields_[A] = Field<T>(queue.device(), {n.x, n.y, n.z}, array.name);
      copy_to_device(queue, fields_[A].data(), values.data(), fields_[A].count());
      queue.wait();
      views_.set(Slot<A>{}, fields_[A].view());
    }
  }
  template <int A>
  using Slot = chain::Slot<A>;

  std::array<Field<T>, chain::arrays_of<C>> fields_;
  chain::Views<Chain, T> views_;
};

template <class C, class T>
void compare(const std::string& device, Index3 n, const C& chain = {}) {
  Communicator& ranks = world();
  Queue queue{Device(device)};
  const auto all = [&](int i) {
    const Array& a = C::arrays[static_cast<std::size_t>(i)];
    return Box{{}, {a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z}};
  };
  const Arrays<C, C, T> whole(queue, n, all, all);
  const Program alone(queue, chain::Request<C, T>{chain, n, whole.views()});
  alone.run();
  const std::vector<T> right = whole.result(queue);
  const Index3 points = all(chain::arrays_of<C> - 1).extents();

  const auto division = chain::division_of<C, T>(chain);
  const auto shapes = test::grids(ranks.ranks(), [&](const Index3& shape) {
    (void)RankRange(division, n, shape, ranks.rank());
  });
  ASSERT_FALSE(shapes.empty());
  for (const Index3& shape : shapes) {
    const RankRange range(division, n, shape, ranks.rank());
    const Arrays<C, chain::Placed<C>, T> mine(
        queue, n, [&](int i) { return range.held_points(i); },
        [&](int i) {
          return C::arrays[static_cast<std::size_t>(i)].profile ? range.held_points(i)
                                                                : range.owned_points(i);
        });
    chain::RankProgram<C, T> program(ranks, queue, range, chain, mine.views());
    for (int step = 0; step < 2; ++step) {
      be_late(ranks.rank(), step);
      program.run();
      queue.wait();
      const std::vector<T> found = mine.result(queue);
      const Box held = range.held_points(chain::arrays_of<C> - 1);
      Index wrong = 0;
      test::for_each_point(
          range.owned_points(chain::arrays_of<C> - 1), [&](Index x, Index y, Index z) {
            const T got =
                found[place(held.extents(), x - held.begin.x, y - held.begin.y, z - held.begin.z)];
            wrong += std::memcmp(&got, &right[place(points, x, y, z)], sizeof(T)) != 0 ? 1 : 0;
          });
      // All ranks agree on the verdict, so that none waits for one that gave up.
      ASSERT_EQ(ranks.sum(static_cast<double>(wrong)), 0) << to_text(shape) << " step " << step;
    }
    const Record record = program.record();
    EXPECT_EQ(record.ranks, ranks.ranks());
    EXPECT_EQ(record.work.items, n.x * n.y * n.z);
    EXPECT_EQ(record.kernel, C::name);
  }
}

class ChainsOverRanks : public test::OnDevice {};

TEST_P(ChainsOverRanks, MeansThatGoRoundAreThoseOfOneRank) {
  compare<test::Means, double>(GetParam(), {41, 23, 1});
}
TEST_P(ChainsOverRanks, WhatKnowsItsWallsIsThatOfOneRank) {
  compare<test::Transport, float>(GetParam(), {37, 29, 1});
}
TEST_P(ChainsOverRanks, FourOperationsDeepAreThoseOfOneRank) {
  compare<test::Walls, double>(GetParam(), {11, 8, 53});
}
TEST_P(ChainsOverRanks, ARingOfThreeDimensionsIsThatOfOneRank) {
  compare<test::Ring, double>(GetParam(), {35, 19, 26});
}
TEST_P(ChainsOverRanks, WhatStaysWithinItsArraysIsThatOfOneRank) {
  compare<test::Inner, double>(GetParam(), {31, 27, 1});
}
TEST_P(ChainsOverRanks, ElementsThatReadTheNextAreThoseOfOneRank) {
  compare<test::Stack, double>(GetParam(), {3, 3, 41});
}
TEST_P(ChainsOverRanks, ColumnsThatScanAreThoseOfOneRank) {
  compare<test::Weights, double>(GetParam(), {21, 18, 9});
}

INSTANTIATE_TEST_SUITE_P(Devices, ChainsOverRanks, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

TEST(RankDivision, KnowsHowFarResultsReach) {
  const auto means = chain::division_of<test::Means, double>({});
  EXPECT_EQ(means.before, (Index3{2, 1, 0}));
  EXPECT_EQ(means.behind, (Index3{2, 1, 0}));
  // A flux more than cells: cells need the next cell's.
  const auto transport = chain::division_of<test::Transport, float>({});
  EXPECT_EQ(transport.before, (Index3{0, 1, 0}));
  EXPECT_EQ(transport.behind, (Index3{0, 1, 0}));
  const auto walls = chain::division_of<test::Walls, double>({});
  EXPECT_EQ(walls.before, (Index3{0, 0, 6}));
  EXPECT_EQ(walls.behind, (Index3{0, 0, 6}));
  const auto ring = chain::division_of<test::Ring, double>({});
  EXPECT_EQ(ring.before, (Index3{1, 1, 2}));
  EXPECT_EQ(ring.behind, (Index3{1, 1, 2}));
}

TEST(RankDivision, CoversTheRangeOnce) {
  const auto division = chain::division_of<test::Walls, double>({});
  Index points = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const RankRange range(division, {11, 8, 53}, {1, 2, 2}, rank);
    points += range.owned_points(4).count();
    EXPECT_EQ(range.held_points(0), range.held());
  }
  EXPECT_EQ(points, 11 * 8 * 53);
}

TEST(RankDivision, SaysWhatCannotBeDivided) {
  using Round = chain::test::Stages<0, 1, chain::Edge::periodic>;
  const auto round = chain::division_of<Round, double>({});
  EXPECT_THAT(refused([&] {
                (void)RankRange(round, {100, 1, 1}, {2, 1, 1}, 0);
              }),
              HasSubstr("ranks 2x1x1: chain 'stages' cannot be divided along x: it goes round, "
                        "operations ask where they are, and 'slope' has another domain"));
  EXPECT_THAT(refused([&] {
                (void)chain::choose_ranks(round, 2, {100, 1, 1});
              }),
              HasSubstr("2 ranks are too many for chain 'stages'; along x it cannot be divided"));
  const auto stack = chain::division_of<test::Stack, double>({});
  EXPECT_EQ(stack.behind, (Index3{0, 0, 1}));
  EXPECT_THAT(refused([&] {
                (void)RankRange(stack, {3, 3, 41}, {1, 3, 1}, 0);
              }),
              HasSubstr("chain 'stack' cannot be divided along y: elements are not divided"));
  const auto inner = chain::division_of<test::Inner, double>({});
  EXPECT_THAT(refused([&] {
                (void)RankRange(inner, {31, 27, 1}, {3, 1, 1}, 0);
              }),
              HasSubstr("cannot be divided along x: 'weight' has more points along y than the "
                        "range, and they are not exchanged"));
  EXPECT_EQ(chain::choose_ranks(inner, 3, {31, 27, 1}), (Index3{1, 3, 1}));
  const auto walls = chain::division_of<test::Walls, double>({});
  EXPECT_THAT(refused([&] {
                (void)RankRange(walls, {4, 4, 20}, {1, 1, 4}, 0);
              }),
              HasSubstr("20 points along z are too few for 4 ranks: each must own at least 6"));
}

TEST(ChainsOverRanksAlone, RefusesArraysOfOtherExtents) {
  Queue queue{Device("cpu")};
  const auto one = alone();
  const auto division = chain::division_of<test::Means, double>({});
  const RankRange range(division, {8, 8, 1}, {1, 1, 1}, 0);
  const Field<double> small(queue.device(), {8, 7});
  const Field<double> right(queue.device(), {8, 8});
  chain::Views<chain::Placed<test::Means>, double> views;
  views.set(chain::Slot<0>{}, small.view()).set(chain::Slot<2>{}, right.view());
  EXPECT_THAT(refused([&] {
                chain::RankProgram<test::Means, double> program(*one, queue, range, {}, views);
              }),
              HasSubstr("array 'from' of chain 'means' has 8x7x1 points where this rank holds "
                        "8x8x1"));
}

} // namespace

} // namespace ridge::comm
