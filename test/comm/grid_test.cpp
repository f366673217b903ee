#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ridge::comm {

namespace {

using ridge::test::refused;
using stencil::reach_of;
using testing::HasSubstr;

int needed(const Reach& reach) {
  int count = 0;
  for (int d = 0; d < directions; ++d)
    count += reach.needs(d) ? 1 : 0;
  return count;
}

TEST(Reach, AStarNeedsFacesAndABoxAllNeighbours) {
  EXPECT_EQ(needed(reach_of<stencil::Laplacian<4, 3>>()), 6);
  EXPECT_EQ(needed(reach_of<stencil::Laplacian<2, 2>>()), 4);
  EXPECT_EQ(needed(reach_of<stencil::Box27>()), 26);
}

TEST(Reach, TwoStepsOfAStarNeedEdgesAndThreeCorners) {
  EXPECT_EQ(needed(reach_of<stencil::Laplacian<2, 3>>(2)), 18);
  const Reach two = reach_of<stencil::Laplacian<2, 3>>(2);
  EXPECT_EQ(two.depth(number_of({-1, 0, 0})), (Index3{2, 0, 0}));
  EXPECT_EQ(two.depth(number_of({-1, 1, 0})), (Index3{1, 1, 0}));
  EXPECT_EQ(needed(reach_of<stencil::Laplacian<2, 3>>(3)), 26);
}

TEST(Reach, SidesDiffer) {
  const Reach reach({{-2, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(reach.below().x, 2);
  EXPECT_EQ(reach.above().x, 1);
  EXPECT_EQ(reach.radius().x, 2);
}

TEST(Grid, OwnsEachPointOnce) {
  const Reach reach = reach_of<stencil::Box27>();
  const Grid grid({11, 7, 5}, {3, 2, 2}, reach);
  std::vector<int> owners(11 * 7 * 5);
  for (int rank = 0; rank < grid.count(); ++rank) {
    const Box box = grid.owned(rank);
    for (Index z = box.begin.z; z < box.end.z; ++z)
      for (Index y = box.begin.y; y < box.end.y; ++y)
        for (Index x = box.begin.x; x < box.end.x; ++x)
          ++owners[static_cast<std::size_t>(x + 11 * (y + 7 * z))];
  }
  EXPECT_THAT(owners, testing::Each(1));
}

TEST(Grid, DivisionsCoverWhatIsWrittenOnce) {
  const Reach reach = reach_of<stencil::Laplacian<4, 3>>();
  for (const bool round : {false, true}) {
    const Index3 n{13, 9, 8};
    const Grid grid(n, {3, 2, 2}, reach, {round, round, round});
    std::vector<int> written(static_cast<std::size_t>(n.x * n.y * n.z));
    for (int rank = 0; rank < grid.count(); ++rank) {
      Division division = divide(grid, rank);
      division.outer.push_back(division.inner);
      for (const Box& box : division.outer)
        for (Index z = box.begin.z; z < box.end.z; ++z)
          for (Index y = box.begin.y; y < box.end.y; ++y)
            for (Index x = box.begin.x; x < box.end.x; ++x)
              ++written[static_cast<std::size_t>(x + n.x * (y + n.y * z))];
    }
    for (Index z = 0; z < n.z; ++z)
      for (Index y = 0; y < n.y; ++y)
        for (Index x = 0; x < n.x; ++x) {
          const bool inside =
              x >= 2 && x < n.x - 2 && y >= 2 && y < n.y - 2 && z >= 2 && z < n.z - 2;
          EXPECT_EQ(written[static_cast<std::size_t>(x + n.x * (y + n.y * z))],
                    inside || round ? 1 : 0);
        }
  }
}

/// What a rank sends in a direction is what its neighbour receives from there.
TEST(Grid, SendsMatchReceives) {
  const Reach reach = reach_of<stencil::Box27>();
  for (const bool round : {false, true}) {
    const Grid grid({8, 9, 10}, {2, 3, 2}, reach, {round, round, false});
    std::vector<HaloPlan> plans;
    for (int rank = 0; rank < grid.count(); ++rank)
      plans.push_back(halo_plan(grid, rank, reach));
    std::size_t sent = 0;
    std::size_t received = 0;
    for (int rank = 0; rank < grid.count(); ++rank) {
      received += plans[static_cast<std::size_t>(rank)].receives.size();
      for (const Route& send : plans[static_cast<std::size_t>(rank)].sends) {
        ++sent;
        int matches = 0;
        for (const Route& receive : plans[static_cast<std::size_t>(send.peer)].receives) {
          if (receive.peer != rank || receive.tag != send.tag) continue;
          ++matches;
          EXPECT_EQ(receive.box.extents(), send.box.extents());
          EXPECT_EQ(((receive.box.begin.x - send.box.begin.x) % 8 + 8) % 8, 0);
          EXPECT_EQ(((receive.box.begin.y - send.box.begin.y) % 9 + 9) % 9, 0);
        }
        EXPECT_EQ(matches, 1);
      }
    }
    EXPECT_EQ(sent, received);
    EXPECT_GT(sent, 0u);
  }
}

TEST(ChooseRanks, SendsLeast) {
  const Reach star = reach_of<stencil::Laplacian<2, 3>>();
  EXPECT_EQ(choose_ranks(1, {64, 64, 64}, star), (Index3{1, 1, 1}));
  EXPECT_EQ(choose_ranks(2, {64, 64, 64}, star), (Index3{1, 1, 2})); // of equals, z
  EXPECT_EQ(choose_ranks(2, {64, 512, 64}, star), (Index3{1, 2, 1}));
  EXPECT_EQ(choose_ranks(8, {64, 64, 512}, star), (Index3{1, 1, 8}));
  // Points sent along x count eight times: of 1024x1024x512 1x2x2 is the fastest of four on H200s.
  EXPECT_EQ(choose_ranks(4, {1024, 1024, 512}, star), (Index3{1, 2, 2}));
  EXPECT_EQ(choose_ranks(2, {512, 64, 64}, star), (Index3{1, 1, 2}));
  EXPECT_EQ(choose_ranks(2, {1024, 64, 64}, star), (Index3{2, 1, 1}));
  EXPECT_EQ(choose_ranks(64, {512, 512, 512}, star), (Index3{1, 8, 8}));
}

TEST(ChooseRanks, RefusesMoreRanksThanPoints) {
  const Reach star = reach_of<stencil::Laplacian<8, 3>>();
  EXPECT_THAT(refused([&] {
                (void)choose_ranks(64, {8, 8, 8}, star);
              }),
              HasSubstr("64 ranks are too many for 8x8x8 points"));
  EXPECT_THAT(refused([&] {
                (void)Grid({8, 8, 8}, {1, 1, 4}, star);
              }),
              HasSubstr("8 points along z are too few for 4 ranks: each must own at least 4"));
}

TEST(ParseRanks, WantsTheProduct) {
  EXPECT_EQ(parse_ranks("1x2x3", 6), (Index3{1, 2, 3}));
  EXPECT_EQ(parse_ranks("2x3", 6), (Index3{2, 3, 1}));
  EXPECT_THAT(refused([] { (void)parse_ranks("2x2x2", 6); }), HasSubstr("8 ranks, and 6 were"));
  EXPECT_THAT(refused([] { (void)parse_ranks("2x0", 6); }), HasSubstr("below 1"));
  EXPECT_THAT(refused([] { (void)parse_ranks("some", 6); }), HasSubstr("--ranks"));
}

} // namespace

} // namespace ridge::comm
