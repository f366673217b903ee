// What the default march makes of a GPU's shared memory, a kernel's footprint and the extents.
#include <ridge/core/stored.hpp>
#include <ridge/core/text.hpp>
#include <ridge/model/description.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/variants.hpp>

#include "h200.hpp"
#include "stencil/march_default.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ridge::stencil {
namespace {

template <class K, class T>
GpuSchedule chosen(Index3 n) {
  return march_default(h200(), traits_of<K, T>(), n, Strides::packed(n)).value();
}

template <class T>
Index width(Index3 n) {
  return chosen<Laplacian<2, 3>, T>(n).block.x;
}

TEST(MarchDefault, TakesWideBlocksWhereRowsFillThem) {
  EXPECT_EQ(width<double>({256, 300, 700}), 128);
  EXPECT_EQ(width<double>({512, 512, 512}), 128);
  EXPECT_EQ(width<float>({512, 512, 512}), 128);
  EXPECT_EQ(width<float>({448, 300, 700}), 128);
  EXPECT_EQ(width<float>({1000, 300, 700}), 128);
}

TEST(MarchDefault, TakesNarrowBlocksForRowsThatLeaveWideOnesIdle) {
  EXPECT_EQ(width<double>({128, 600, 700}), 32);
  EXPECT_EQ(width<float>({256, 256, 256}), 32);
  EXPECT_EQ(width<float>({384, 300, 700}), 32);
  EXPECT_EQ(width<float>({640, 300, 700}), 32);
}

TEST(MarchDefault, TakesRowsOfAKilobyteIn16Bits) {
  // One H200, 512^3 in fp16: 147 us, and 154 under the narrow block that wide ones gave way to.
  const GpuSchedule s = chosen<Laplacian<2, 3>, Fp16>({512, 512, 512});
  EXPECT_EQ(s.block, (BlockShape{{64, 4, 1}}));
  EXPECT_EQ(s.tile, 2);
  EXPECT_EQ(s.ring, 6);
  EXPECT_EQ(s.chunks, 6);
  EXPECT_EQ(width<Bf16>({256, 256, 256}), 32);
}

TEST(MarchDefault, TakesWideBlocksOfSingleElements) {
  EXPECT_EQ(width<double>({129, 600, 700}), 128);
}

TEST(MarchDefault, TakesPaddedRowsThatBeginAtPacks) {
  const auto block = [](Index3 n, Index row, Index misfit = 0) {
    const Strides strides{row, row * n.y, misfit};
    return march_default(h200(), traits_of<Laplacian<2, 3>, float>(), n, strides)->block.x;
  };
  EXPECT_EQ(block({514, 514, 514}, 514), 128); // single elements
  EXPECT_EQ(block({514, 514, 514}, 544), 32);
  EXPECT_EQ(block({514, 514, 514}, 544, 31), 128); // 512 results from a line on
  EXPECT_EQ(block({1538, 514, 514}, 1568), 128);
}

TEST(MarchDefault, FillsEveryMultiprocessorWithThreeNarrowBlocks) {
  const GpuSchedule s = chosen<Laplacian<2, 3>, float>({256, 300, 700}); // 2 x 19 columns
  EXPECT_EQ(s.chunks, 10);
  const GpuSchedule w = chosen<Laplacian<2, 3>, double>({512, 512, 512}); // 2 x 64 columns
  EXPECT_EQ(w.chunks, 1);
}

TEST(MarchDefault, GivesUpABlockRatherThanThePlanesOnTheirWay) {
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>({512, 512, 512}).ring), 5); // of two blocks
  EXPECT_GT((chosen<Laplacian<4, 3>, double>({512, 512, 512}).ring), 5); // of one
}

TEST(MarchDefault, TakesTallBlocksForTallFootprints) {
  const auto by_rows = [&]<class K, class T>(Index3 n) { // as asked for: planes come as tiles else
    return march_default(h200(), traits_of<K, T>(), n, Strides::packed(n), Loads::stencil,
                         Stage::bulk)
        .value();
  };
  const GpuSchedule s = by_rows.operator()<Laplacian<8, 3>, double>({512, 512, 512});
  EXPECT_EQ(s.block, (BlockShape{{64, 4, 1}}));
  EXPECT_EQ(s.ring, 8);
  EXPECT_EQ((by_rows.operator()<Laplacian<8, 3>, double>({500, 500, 500}).block.x), 64);
  EXPECT_EQ((by_rows.operator()<Laplacian<8, 3>, float>({512, 512, 512}).block.x), 64);
  EXPECT_EQ((by_rows.operator()<Laplacian<8, 3>, float>({500, 500, 500}).block.x), 128);
  EXPECT_EQ((chosen<Laplacian<6, 3>, double>({512, 512, 512}).block.x), 128);
}

TEST(MarchDefault, JoinsPacksInTwoBlocksAMultiprocessor) {
  const auto joined = [](Index3 n) {
    return *march_default(h200(), traits_of<Laplacian<2, 3>, float>(), n, Strides::packed(n),
                          Loads::packs);
  };
  const GpuSchedule s = joined({511, 511, 511});
  EXPECT_EQ(s.block, (BlockShape{{128, 2, 1}}));
  EXPECT_EQ(s.loads, Loads::packs);
  EXPECT_EQ(s.ring, 4);
  EXPECT_EQ(s.chunks, 4); // 64 columns
  EXPECT_EQ(joined({1291, 1301, 303}).ring, 4);
  EXPECT_EQ(joined({1291, 1301, 303}).chunks, 1);
}

TEST(MarchDefault, AddsUpPartsWherePlanesWouldStay) {
  EXPECT_EQ((march_loads(traits_of<Box27, double>())), Loads::ascending);
  EXPECT_EQ((march_loads(traits_of<Laplacian<6, 3>, double>())), Loads::ascending);
  EXPECT_EQ((march_loads(traits_of<Laplacian<8, 3>, double>())), Loads::stencil);
  EXPECT_EQ(planes_held(traits_of<Box27, double>(), Loads::ascending), 0);
  EXPECT_EQ(planes_held(traits_of<Box27, double>(), Loads::stencil), 2);
  const auto s = march_default(h200(), traits_of<Box27, double>(), {512, 512, 512},
                               Strides::packed({512, 512, 512}), Loads::ascending);
  EXPECT_GE(s->ring, 4); // all of them on their way
  const auto sixth = march_default(h200(), traits_of<Laplacian<6, 3>, double>(), {512, 512, 512},
                                   Strides::packed({512, 512, 512}), Loads::ascending);
  EXPECT_EQ(sixth->block, (BlockShape{{128, 2, 1}})); // what was measured
  EXPECT_EQ(sixth->ring, 7);
  EXPECT_EQ(sixth->chunks, 1);
}

template <int Order>
struct WaveLike {
  static constexpr auto footprints = std::make_tuple(star<Order / 2>(), point());
};
template <int Order>
struct MediumLike {
  static constexpr auto footprints = std::make_tuple(star<Order / 2>(), point(), point());
};

TEST(MarchDefault, TakesNoMoreOfInputsAtTheirPointThanWhatIsOnItsWay) {
  const Index3 n{512, 512, 512};
  const auto bytes = [&]<class K>() {
    GpuSchedule s;
    s.stage = Stage::bulk;
    s.block = BlockShape{{64, 4, 1}};
    s.tile = 4;
    s.ring = 6;
    return march_ring_bytes(s, traits_of<K, double>(), true);
  };
  // Of the other 6 planes of 24 rows with a line of halo each, and one behind the last.
  const Index all = 6 * (24 * (1024 + 128) + 128);
  EXPECT_EQ((bytes.operator()<Laplacian<8, 3>>()), all);
  EXPECT_EQ((bytes.operator()<WaveLike<8>>()), all + 2 * 16 * 1024);
  EXPECT_EQ((bytes.operator()<MediumLike<8>>()), all + 4 * 16 * 1024);

  // Waves march at every order, as do those in a medium, whose tiles are lower.
  const auto block = [&]<class K, class T>() {
    const auto s = march_default(h200(), traits_of<K, T>(), n, Strides::packed(n), Loads::stencil,
                                 Stage::bulk);
    return s ? text::print(*s) : "";
  };
  for (const std::string& s :
       {block.operator()<WaveLike<8>, double>(), block.operator()<WaveLike<8>, float>()})
    EXPECT_THAT(s, ::testing::HasSubstr("block=64x4x1 tile=4"));
  for (const std::string& s :
       {block.operator()<MediumLike<8>, double>(), block.operator()<MediumLike<8>, float>()})
    EXPECT_THAT(s, ::testing::HasSubstr("block=64x4x1 tile=3"));
  EXPECT_THAT((block.operator()<WaveLike<6>, double>()), ::testing::HasSubstr("block=128x2x1"));
  // What is compiled ahead is what defaults take.
  EXPECT_TRUE(march_fits<WaveLike<8>>(tall_march, Rows::lines));
  EXPECT_TRUE(march_fits<WaveLike<8>>(tall_march, Rows::packs));
  EXPECT_FALSE(march_fits<MediumLike<8>>(tall_march, Rows::lines));
}

/// As many inputs as the rings of tiles leave no room for.
struct ThreeTall {
  static constexpr auto footprints = std::make_tuple(star<4>(), star<4>(), star<4>());
};
/// With three inputs at their point.
template <int Order>
struct DampedLike {
  static constexpr auto footprints = std::make_tuple(star<Order / 2>(), point(), point(), point());
};

TEST(MarchDefault, TakesTilesOfTallFootprints) {
  const auto made = [&]<class K, class T>(Index3 n, std::optional<Stage> asked = {}) {
    const Strides strides = Strides::packed(n);
    const auto s = march_default(h200(), traits_of<K, T>(), n, strides, Loads::stencil, asked);
    return s ? text::print(*s) : "";
  };
  using ::testing::HasSubstr;
  const Index3 n{512, 512, 512};
  EXPECT_THAT((made.operator()<WaveLike<8>, double>(n)), HasSubstr("block=64x4x1 tile=4"));
  EXPECT_THAT((made.operator()<WaveLike<8>, double>(n)), HasSubstr("stage=tiles ring=6"));
  EXPECT_THAT((made.operator()<Laplacian<8, 3>, double>(n)), HasSubstr("block=64x8x1 tile=2"));
  EXPECT_THAT((made.operator()<WaveLike<8>, double>({192, 192, 192})), HasSubstr("stage=tiles"));
  // One H200: 405 us, and 942 under 32x16x1 tile=2, which has 96 registers a lane and spills.
  EXPECT_THAT((made.operator()<WaveLike<8>, float>(n)), HasSubstr("block=32x8x1 tile=4"));
  EXPECT_THAT((made.operator()<DampedLike<8>, float>(n)), HasSubstr("block=32x8x1 tile=3"));
  EXPECT_THAT((made.operator()<DampedLike<8>, double>(n)), HasSubstr("stage=tiles ring=6"));
  EXPECT_THAT((made.operator()<Laplacian<8, 3>, float>(n)), HasSubstr("stage=tiles"));
  EXPECT_THAT((made.operator()<WaveLike<6>, double>(n)), HasSubstr("stage=bulk"));
  // Rows that begin anywhere cannot come as tiles, and three such rings fit no multiprocessor.
  EXPECT_THAT((made.operator()<WaveLike<8>, double>({511, 512, 512})), HasSubstr("stage=bulk"));
  EXPECT_EQ((made.operator()<ThreeTall, double>(n)), "");
  EXPECT_FALSE(march_fits<ThreeTall>(tiled_march({4, 4, 4}, 8), Rows::packs, 8));
  EXPECT_THAT((made.operator()<WaveLike<2>, double>(n, Stage::tiles)), HasSubstr("stage=tiles"));

  GpuSchedule s;
  s.stage = Stage::tiles;
  s.block = BlockShape{{64, 4, 1}};
  s.tile = 4;
  s.ring = 6;
  EXPECT_EQ(march_ring_bytes(s, traits_of<WaveLike<8>, double>(), true),
            6 * 24 * (1024 + 64) + 2 * 16 * 1024);
  EXPECT_TRUE(can_tile(traits_of<WaveLike<8>, double>(), 64, 16));
  // 264 elements, of which two count as one.
  EXPECT_TRUE(can_tile(traits_of<WaveLike<8>, float>(), 64, 16));
  EXPECT_TRUE(can_tile(traits_of<WaveLike<8>, Fp16>(), 32, 32));
  EXPECT_FALSE(can_tile(traits_of<WaveLike<8>, float>(), 128, 8)); // 2080 bytes
  EXPECT_FALSE(can_tile(traits_of<WaveLike<8>, double>(), 64, 249));
}

TEST(MarchDefault, TakesTilesInPlaceOfNarrowBlocksOfTwoRows) {
  const auto made = [&]<class K, class T>(Index3 n) { return text::print(chosen<K, T>(n)); };
  using ::testing::HasSubstr;
  // One H200, 256^3 in fp32: 45.9 us, and 61.6 by copied rows.
  const std::string tiles = "block=32x8x1 tile=4";
  EXPECT_THAT((made.operator()<Laplacian<4, 3>, float>({256, 256, 256})), HasSubstr(tiles));
  EXPECT_THAT((made.operator()<DampedLike<4>, float>({256, 256, 256})), HasSubstr("stage=tiles"));
  EXPECT_THAT((made.operator()<Laplacian<4, 3>, float>({512, 512, 512})), HasSubstr("stage=bulk"));
  EXPECT_THAT((made.operator()<Laplacian<4, 3>, double>({128, 600, 700})),
              HasSubstr("stage=tiles"));
  EXPECT_THAT((made.operator()<Laplacian<2, 3>, float>({256, 256, 256})), HasSubstr("stage=bulk"));
  EXPECT_THAT((made.operator()<DampedLike<2>, float>({384, 384, 384})), HasSubstr(tiles));
  EXPECT_TRUE((tiles_ahead<Laplacian<4, 3>, float>()));
}

TEST(MarchDefault, GivesWayToPointsWhereItWouldComputeOneAThread) {
  const auto points = [&]<class K, class T>(Index3 n) {
    const auto s = points_anywhere(traits_of<K, T>(), Strides::packed(n));
    return s ? text::print(*s) : "";
  };
  using ::testing::HasSubstr;
  // One H200, 517x387x250, us: order 4 in fp32 262 by the march and 218 by points of eight rows,
  // order 8 with two inputs more in fp64 2047 and 573.
  const Index3 n{517, 387, 250};
  EXPECT_THAT((points.operator()<Laplacian<4, 3>, float>(n)), HasSubstr("block=128x2x1 tile=8"));
  EXPECT_THAT((points.operator()<MediumLike<8>, double>(n)), HasSubstr("block=32x8x1 tile=1"));
  EXPECT_THAT((points.operator()<DampedLike<2>, float>(n)), HasSubstr("block=128x2x1 tile=8"));
  // 303 and 345, of three arrays more 604 and 545.
  EXPECT_THAT((points.operator()<Laplacian<4, 3>, double>(n)), HasSubstr("block=128x2x1 tile=8"));
  EXPECT_THAT((points.operator()<DampedLike<4>, double>(n)), HasSubstr("block=32x8x1 tile=1"));
  // 564 by the march and 275.
  EXPECT_THAT((points.operator()<DampedLike<2>, Bf16>(n)), HasSubstr("block=128x2x1 tile=8"));
  EXPECT_EQ((points.operator()<Laplacian<4, 3>, Bf16>(n)), "");
  EXPECT_EQ((points.operator()<DampedLike<2>, double>(n)), "");
  EXPECT_EQ((points.operator()<Box27, float>(n)), ""); // adds up planes' parts
  EXPECT_EQ((points.operator()<Laplacian<4, 3>, float>({512, 387, 250})), "");
}

TEST(MarchDefault, JoinsNoPacksWhereMostLanesWouldIdle) {
  const auto joins = [](Index3 n) {
    return march_default(h200(), traits_of<Laplacian<2, 3>, float>(), n, Strides::packed(n),
                         Loads::packs)
        .has_value();
  };
  EXPECT_FALSE(joins({517, 387, 250})); // one H200: 215 us, and 154 in tiles of points
  EXPECT_TRUE(joins({1291, 1301, 303}));
}

TEST(MarchDefault, FitsTheSharedMemoryAtAnyExtents) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Index> extent(20, 3000);
  const model::Description described = model::shipped_description("h200");
  bool modelled = false;
  const auto check = [&]<class K, class T>(Index3 n) {
    const Traits traits = traits_of<K, T>();
    const auto s = march_default(h200(), traits, n, Strides::packed(n));
    if (!s) return;
    const bool packed = n.x * static_cast<Index>(sizeof(T)) % 128 == 0;
    const Rows rows = rows_at(traits, Strides::packed(n)).rows;
    const bool tiles = s->stage == Stage::tiles;
    if (s->block == BlockShape{{64, 4, 1}} && !tiles) {
      EXPECT_EQ(s->tile == tall_march.tile, march_fits<K>(tall_march, rows)) << text::print(*s);
    }
    if (tiles) {
      EXPECT_TRUE((tiles_ahead<K, T>())) << text::print(*s);
    }
    const Index bytes = march_ring_bytes(*s, traits, packed || tiles) + march_fixed_bytes(*s);
    EXPECT_LE(bytes, h200().shared_per_block.value) << text::print(*s);
    EXPECT_GE(s->ring, planes_held(traits, s->loads) + 2) << text::print(*s);
    EXPECT_GE(s->chunks, 1);
    EXPECT_LE(s->chunks, 16);
    if (modelled) {
      EXPECT_NO_THROW((void)predict(traits, *s, n, described)) << text::print(*s);
    }
  };
  for (int i = 0; i < 300; ++i) {
    modelled = i % 15 == 0;
    const Index3 n{modelled ? 512 : extent(random), extent(random), extent(random)};
    check.operator()<Laplacian<2, 3>, double>(n);
    check.operator()<Laplacian<2, 3>, float>(n);
    check.operator()<Laplacian<8, 3>, double>(n);
    check.operator()<Laplacian<8, 3>, float>(n);
    check.operator()<Box27, float>(n);
    check.operator()<WaveLike<8>, double>(n);
    check.operator()<MediumLike<8>, float>(n);
    check.operator()<MediumLike<6>, double>(n);
    check.operator()<DampedLike<8>, double>(n);
    check.operator()<Laplacian<4, 3>, float>(n);
  }
}

/// Rows in shared memory have a line for the halo to their left.
TEST(MarchDefault, TakesNoHaloOfSeveralLines) {
  EXPECT_TRUE(halo_fits({16, 1, 1}, 8));
  EXPECT_FALSE(halo_fits({17, 1, 1}, 8));
  EXPECT_TRUE(halo_fits({32, 1, 1}, 4));
  EXPECT_TRUE(window_fits({4, 4, 4}));
  EXPECT_FALSE(window_fits({1 << 20, 0, 0}));
  EXPECT_FALSE(window_fits({9000, 1, 0}));
}

DeviceFacts mi250x() {
  DeviceFacts facts;
  facts.units = 110;
  facts.l1 = {16 << 10};
  facts.shared_per_block = {64 << 10};
  return facts;
}

TEST(WindowDefault, FitsTheSharedMemoryOfAmdGpus) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Index> extent(20, 3000);
  const auto check = [&]<class K, class T>(Index3 n) {
    const Traits traits = traits_of<K, T>();
    const auto s = window_default(mi250x(), DeviceKind::hip, traits, n, Strides::packed(n));
    ASSERT_TRUE(s.has_value());
    EXPECT_EQ(GpuSchedule::problem(*s), "");
    EXPECT_LE(window_bytes(*s, traits, DeviceKind::hip), mi250x().shared_per_block.value)
        << text::print(*s);
    EXPECT_GE(s->chunks, 1);
    EXPECT_LE(s->chunks, 16);
  };
  for (int i = 0; i < 300; ++i) {
    const Index3 n{extent(random), extent(random), extent(random)};
    check.operator()<Laplacian<2, 3>, double>(n);
    check.operator()<Laplacian<8, 3>, double>(n);
    check.operator()<Laplacian<8, 3>, float>(n);
    check.operator()<Box27, float>(n);
  }
}

TEST(WindowDefault, IsThatOfGpusWithoutBulkCopies) {
  DeviceFacts facts = h200();
  facts.l1 = {192 << 10};
  facts.shared_per_block = {163 << 10};
  const auto stage = [&](Copies copies, const Traits& traits) {
    const Index3 n{512, 512, 512};
    const auto s = march_for(facts, DeviceKind::cuda, copies, traits, n, Strides::packed(n));
    return s ? s->stage : Stage::none;
  };
  const Traits order2 = traits_of<Laplacian<2, 3>, double>();
  EXPECT_EQ(stage(Copies::none, order2), Stage::none);
  EXPECT_EQ(stage(Copies::asynchronous, order2), Stage::window);
  EXPECT_EQ(stage(Copies::bulk, order2), Stage::bulk);
  // One block a multiprocessor.
  EXPECT_EQ(stage(Copies::asynchronous, traits_of<Laplacian<8, 3>, double>()), Stage::none);
}

TEST(WindowDefault, CutsTheZAxisWhereColumnsDoNotFillTheGpu) {
  const Traits traits = traits_of<Laplacian<2, 3>, double>();
  const auto chunks = [&](Index3 n) {
    return window_default(mi250x(), DeviceKind::hip, traits, n, Strides::packed(n))->chunks;
  };
  EXPECT_GT(chunks({256, 256, 700}), 1);
  EXPECT_EQ(chunks({4096, 4096, 64}), 1);
}

} // namespace
} // namespace ridge::stencil
