// The default schedule of a single stencil on a GPU of compute capability 9.0, whose last-level
// cache holds 1 MiB.
#include <ridge/core/stored.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/schedule.hpp>

#include <gtest/gtest.h>

#include <variant>

namespace ridge::stencil {
namespace {

template <class K, class T>
GpuSchedule chosen(Index3 n, bool bulk_copies = true) {
  return std::get<GpuSchedule>(
      default_schedule(Device("cuda:0"), traits_of<K, T>(), n, bulk_copies));
}

TEST(StencilDefault, MarchesIn16BitsWhereverRowsBegin) {
  for (const Index row : {510, 511, 512, 257}) {
    EXPECT_EQ((chosen<Laplacian<8, 3>, Bf16>({row, 511, 512}).stage == Stage::none), false) << row;
    EXPECT_EQ((chosen<Box27, Fp16>({row, 511, 512}).stage == Stage::none), false) << row;
  }
  // Tiles of so few points fit the registers.
  EXPECT_EQ((chosen<Laplacian<2, 3>, Bf16>({510, 511, 512}).stage), Stage::none);
  EXPECT_EQ((chosen<Laplacian<2, 3>, Bf16>({510, 511, 512}).loads), Loads::ascending);
}

TEST(StencilDefault, ComputesTilesIn16BitsWhereNoMarchIs) {
  // One H200, 510x511x512, order 8 in bf16: 1.02 ms, and 1.23 under tile=1.
  const GpuSchedule elsewhere = chosen<Laplacian<8, 3>, Bf16>({510, 511, 512}, false);
  EXPECT_EQ(elsewhere.stage, Stage::none);
  EXPECT_EQ(elsewhere.tile, 8);
  EXPECT_EQ(elsewhere.loads, Loads::stencil);
  EXPECT_EQ(elsewhere.block, (BlockShape{{128, 2, 1}}));
  EXPECT_EQ((chosen<Box27, Bf16>({257, 511, 512}, false).loads), Loads::ascending);
  EXPECT_EQ((chosen<Laplacian<8, 3>, Bf16>({65, 65, 65}).tile), 1);
  // One H200, 511^3: 700 us, and 713 under tile=4.
  EXPECT_EQ((chosen<Laplacian<8, 3>, float>({511, 511, 512}, false).tile), 8);
}

TEST(StencilDefault, IsThatOfPointsWhereTheseAreAskedForInPlaceOfAMarch) {
  const Traits traits = traits_of<Laplacian<2, 3>, double>();
  const Index3 n{256, 256, 256};
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(n).stage), Stage::bulk);
  const auto s = std::get<GpuSchedule>(
      parse_schedule("stage=none tile=2", Device("cuda:0"), traits, n).schedule);
  EXPECT_EQ(GpuSchedule::problem(s), "");
  EXPECT_EQ(s.stage, Stage::none);
  EXPECT_EQ(s.tile, 2);
  EXPECT_EQ(s.ring, GpuSchedule{}.ring);
}

} // namespace
} // namespace ridge::stencil
