// Tiles, groups and where temporaries live.
#include <ridge/chain/plan.hpp>
#include <ridge/core/error.hpp>

#include "accesses.hpp"
#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::chain {
namespace {

using ridge::test::refused;
using ::testing::HasSubstr;

/// in -> a -> b (reads a around) -> out, in two dimensions.
Description chain(int halo) {
  Description d;
  d.name = "plan";
  d.arrays = {input("in"), temporary("a"), temporary("b"), output("out")};
  d.dimensions = {independent(), independent(halo, Edge::clamp), independent()};
  d.operations.push_back({"one", {reads(0), writes(1)}, {}, 0});
  d.operations.push_back({"two", {reads(1, along_y(-2, 1)), writes(2)}, {}, 0});
  d.operations.push_back({"three", {reads(2), writes(3)}, {}, 0});
  check(d);
  return d;
}

PlanRequest request(TileShape tile, Fuse fuse = fuse_all, bool join = true) {
  return {fuse, join, tile, false};
}

TEST(Tiles, AreAsManyAsNeededAndNoMore) {
  // The portability guide writes n / tile + 1: one too many where it divides.
  EXPECT_EQ(tiles_of(100, 10), 10);
  EXPECT_EQ(tiles_of(101, 10), 11);
  EXPECT_EQ(tiles_of(99, 10), 10);
  for (Index n = 1; n < 40; ++n) {
    EXPECT_EQ(tiles_of(n, 1), n);
    EXPECT_EQ(tiles_of(n, n), 1);
    for (Index tile = 1; tile <= n; ++tile) {
      const Index last = n - (tiles_of(n, tile) - 1) * tile;
      EXPECT_GE(last, 1) << n << " in tiles of " << tile; // the last one is not empty
      EXPECT_LE(last, tile) << n << " in tiles of " << tile;
    }
  }
}

TEST(Plans, RefuseTilesThatDoNotFit) {
  const auto plan = [](TileShape tile) { (void)make_plan(chain(2), {10, 20, 1}, request(tile)); };
  EXPECT_EQ(refused([&] { plan({10, 20, 1}); }), "nothing was refused");
  EXPECT_THAT(refused([&] {
                plan({11, 20, 1});
              }),
              HasSubstr("11 items along x are more than the 10 there are"));
  EXPECT_THAT(refused([&] { plan({1, 1, 2}); }), HasSubstr("2 items along z"));
}

TEST(Plans, RefuseOperationsThatAreNotThere) {
  Fuse fuse;
  ASSERT_TRUE(from_text("2+3+4", fuse));
  EXPECT_THAT(refused([&] {
                (void)make_plan(chain(2), {10, 20, 1}, request({1, 1, 1}, fuse));
              }),
              HasSubstr("chain 'plan' has 3 operations, not 4"));
}

TEST(Plans, LetTilesOverlapAsFarAsOperationsRead) {
  const Plan plan = make_plan(chain(2), {100, 50, 1}, request({32, 4, 1}));
  ASSERT_EQ(plan.groups.size(), 1u);
  ASSERT_EQ(plan.groups[0].runs.size(), 2u); // the second and third are joined
  EXPECT_EQ(plan.groups[0].runs[0].low, (Offset{0, 2, 0}));
  EXPECT_EQ(plan.groups[0].runs[0].high, (Offset{0, 1, 0}));
  EXPECT_EQ(plan.groups[0].runs[1].low, (Offset{}));
  EXPECT_TRUE(plan.groups[0].rolls);
  EXPECT_EQ(plan.note, "");
  // Memory by tile: 4 rows and 3 of overlap, in a ring of 8.
  EXPECT_EQ(plan.arrays[1].home, Home::tile);
  EXPECT_EQ(plan.arrays[1].held, (Index3{32, 8, 1}));
  EXPECT_EQ(plan.arrays[2].home, Home::registers);
  EXPECT_EQ(plan.range_elements, 0);
  EXPECT_LT(plan.tile_elements, 100 * 50 / 10);
}

TEST(Plans, FallBackToFissionBeyondTheHaloAndSayWhy) {
  const Plan plan = make_plan(chain(1), {100, 50, 1}, request({32, 4, 1}));
  EXPECT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.arrays[1].home, Home::range);
  EXPECT_GE(plan.range_elements, 100 * 50);
  EXPECT_LT(plan.range_elements, 2 * 100 * 50);
  EXPECT_THAT(plan.note, HasSubstr("overlap by 2 along y, beyond the halo of 1"));
  // Tiles that have the whole dimension do not overlap.
  EXPECT_EQ(make_plan(chain(1), {100, 50, 1}, request({32, 50, 1})).note, "");
}

TEST(Plans, KeepTemporariesOfFissionInMemory) {
  const Plan plan = make_plan(chain(2), {100, 50, 1}, request({32, 4, 1}, fuse_none));
  EXPECT_EQ(plan.groups.size(), 3u);
  EXPECT_GE(plan.range_elements, 2 * 100 * 50); // both are needed by the second operation
  EXPECT_EQ(plan.tile_elements, 0);
}

TEST(Plans, RefuseRangesThatAreTooSmall) {
  Description d = chain(2);
  for (int k = 0; k < 3; ++k)
    d.operations[static_cast<std::size_t>(k)].domain = {{2, 0, 0}, {-3, 0, 0}};
  EXPECT_EQ(refused([&] { (void)make_plan(d, {6, 9, 1}, request({})); }), "nothing was refused");
  EXPECT_THAT(refused([&] {
                (void)make_plan(d, {5, 9, 1}, request({}));
              }),
              HasSubstr("5 items along x are too few; it needs 6"));
}

TEST(Plans, TakeAnyGroupForGpus) {
  Fuse fuse;
  ASSERT_TRUE(from_text("1+2", fuse));
  const Plan plan = make_plan(chain(2), {9, 9, 1}, {fuse, true, {}, true});
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[0].last, 1);
  EXPECT_EQ(plan.groups[1].first, 2);
}

TEST(Plans, JoinWhatNeedsTheItemAlone) {
  const Description d = chain(2);
  EXPECT_EQ(d.joined_ends(), (std::vector<int>{0, 2, 2}));
  EXPECT_EQ(d.joined_runs(), (std::vector<OperationRange>{{1, 2}}));
  // Kernels of GPUs are made for their groups, and join in any of them.
  Fuse fuse;
  ASSERT_TRUE(from_text("2+3", fuse));
  for (const bool gpu : {false, true})
    EXPECT_EQ(make_plan(d, {9, 9, 1}, {fuse, true, {}, gpu}).groups[1].runs.size(), 1u);
}

TEST(FuseText, PrintsAndParses) {
  for (const char* text : {"all", "none", "2+3", "1+2,3+4+5", "1+2+3"}) {
    Fuse fuse;
    ASSERT_TRUE(from_text(text, fuse)) << text;
    EXPECT_EQ(to_text(fuse), text);
  }
  for (const char* text : {"", "2", "3+2", "2+4", "1+2,2+3", "1+2,", "+", "0+1", "1+", "two"}) {
    Fuse fuse;
    EXPECT_FALSE(from_text(text, fuse)) << text;
  }
}

TEST(TileText, PrintsAndParses) {
  TileShape tile;
  ASSERT_TRUE(from_text("512", tile));
  EXPECT_EQ(to_text(tile), "512x1x1");
  ASSERT_TRUE(from_text("allx8", tile));
  EXPECT_EQ(tile, (TileShape{0, 8, 1}));
  EXPECT_EQ(to_text(tile), "allx8x1");
  ASSERT_TRUE(from_text("all", tile));
  EXPECT_EQ(tile, TileShape{});
  for (const char* text : {"0", "8x0", "-1", "8x", "x8", "8x8x8x8x8x8x8", "", "8y8"})
    EXPECT_FALSE(from_text(text, tile)) << text;
}

} // namespace
} // namespace ridge::chain
