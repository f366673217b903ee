// What the default schedule is on GPUs where no march is.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/schedule.hpp>

#include <gtest/gtest.h>

#include <variant>

namespace ridge::stencil {
namespace {

template <class K>
GpuSchedule chosen(Index3 n) {
  return std::get<GpuSchedule>(
      default_schedule(Device(parse_device("simt:32")), traits_of<K, double>(), n));
}

TEST(DefaultSchedule, ComputesStencilsOfNoOtherPlanesInTiles) {
  for (const Index3 n : {Index3{4095, 4096, 1}, Index3{101, 5000, 1}, Index3{401, 300, 200}}) {
    const GpuSchedule s = chosen<Laplacian<2, 2>>(n);
    EXPECT_EQ(s.tile, 4);
    EXPECT_EQ(s.loads, Loads::ascending);
    EXPECT_EQ(s.block, (BlockShape{{128, 1, 1}}));
  }
  EXPECT_EQ((chosen<Laplacian<8, 2>>({21, 4096, 1}).block), (BlockShape{{32, 8, 1}}));
}

TEST(DefaultSchedule, LoadsPacksWhereRowsBeginAtThem) {
  for (const Index3 n : {Index3{4096, 4096, 1}, Index3{130, 5000, 1}, Index3{400, 300, 200}}) {
    const GpuSchedule s = chosen<Laplacian<2, 2>>(n);
    EXPECT_EQ(s.tile, 2);
    EXPECT_EQ(s.loads, Loads::packs);
    EXPECT_EQ(s.bounds, 256);
    EXPECT_EQ(s.block, (BlockShape{{64, 4, 1}}));
  }
  EXPECT_EQ((chosen<Laplacian<2, 2>>({40, 4096, 1}).block), (BlockShape{{32, 8, 1}}));
  EXPECT_EQ((chosen<Laplacian<8, 2>>({4096, 4096, 1}).block), (BlockShape{{64, 2, 1}}));
  EXPECT_EQ((chosen<Laplacian<8, 2>>({4096, 4096, 1}).tile), 8);
  EXPECT_EQ((chosen<Laplacian<8, 2>>({20, 4096, 1}).block), (BlockShape{{32, 4, 1}}));
}

TEST(DefaultSchedule, ComputesSinglePointsWhereNoTileFits) {
  EXPECT_EQ((chosen<Laplacian<2, 2>>({4096, 5, 1}).tile), 1);
  EXPECT_EQ((chosen<Laplacian<2, 1>>({4096, 1, 1}).tile), 1);
}

TEST(DefaultSchedule, LeavesFewLanesIdleWithinTheCache) {
  // On an H100 faster by 1.1 to 2.0 than wider blocks of single points
  // (docs/design/stencils_on_gpus.md).
  EXPECT_EQ((chosen<Laplacian<2, 3>>({95, 96, 96}).block), (BlockShape{{32, 8, 1}}));
  EXPECT_EQ((chosen<Laplacian<2, 3>>({95, 96, 96}).tile), 4);
  EXPECT_EQ((chosen<Laplacian<2, 3>>({64, 64, 64}).block), (BlockShape{{64, 4, 1}}));
  EXPECT_EQ((chosen<Laplacian<2, 3>>({256, 32, 32}).block), (BlockShape{{256, 1, 1}}));
  EXPECT_EQ((chosen<Laplacian<2, 3>>({160, 32, 32}).block), (BlockShape{{32, 8, 1}}));
}

} // namespace
} // namespace ridge::stencil
