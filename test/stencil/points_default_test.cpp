// Which points the default takes beside marches, and from which size on it marches: an H200's
// times.
#include <ridge/core/stored.hpp>
#include <ridge/core/text.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/variants.hpp>

#include "h200.hpp"
#include "stencil/march_default.hpp"
#include "stencil/points_default.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace ridge::stencil::beside_marches {
namespace {

using ::testing::HasSubstr;

/// As users write them: a star, and others at the point.
template <int Radius, int... Others>
struct Stars {
  static constexpr auto footprints =
      std::make_tuple(star<Radius>(), (static_cast<void>(Others), point())...);
};
/// Two inputs that are read around.
struct Around {
  static constexpr auto footprints = std::make_tuple(star<1>(), star<1>());
};

/// Planes below are read beside the point, and no sums of parts are.
struct Cube {
  static constexpr auto footprint = box<1>();
};

template <class K, class T>
std::string points(Index size) {
  return text::print(points_beside_marches(h200(), traits_of<K, T>(), {size, size, size}));
}

/// Whether it marches, in a cube of packed rows; where it does, how.
template <class K, class T>
bool is_large(Index size) {
  const Index3 n{size, size, size};
  return is_large_for_march(h200(), traits_of<K, T>(), n, Strides::packed(n));
}
template <class K, class T>
std::string march(Index size) {
  const Index3 n{size, size, size};
  const Traits traits = traits_of<K, T>();
  const auto made = march_default(h200(), traits, n, Strides::packed(n), march_loads(traits));
  return made ? text::print(*made) : "";
}

const char* const single = "tile=1 loads=stencil";
const char* const few = "tile=4 loads=stencil";
const char* const window = "tile=8 loads=ascending bounds=256 store=nontemporal";

TEST(PointsDefault, TakesSinglePointsWhereRowsWouldLeaveMultiprocessorsIdle) {
  EXPECT_THAT((points<Stars<1>, float>(64)), HasSubstr(single));
  EXPECT_THAT((points<Stars<4>, double>(64)), HasSubstr(single)); // 4.6 us, and 6.2 of four rows
  EXPECT_THAT((points<Stars<1>, float>(96)), HasSubstr(few));     // 5.3 and 6.2
  EXPECT_THAT((points<Around, double>(96)), HasSubstr(single));   // 8.4 and 9.3
}

TEST(PointsDefault, TakesWindowsWhileTheCacheHoldsAllArrays) {
  EXPECT_THAT((points<Stars<1, 1, 1>, float>(129)), HasSubstr(window)); // 12.2 us for 14.0
  EXPECT_THAT((points<Stars<1, 1, 1>, float>(160)), HasSubstr(few));    // 24.2 for 27.4
  EXPECT_THAT((points<Stars<2>, float>(161)), HasSubstr(window));       // 18.6 for 22.0
  EXPECT_THAT((points<Stars<2>, float>(193)), HasSubstr(few));          // 34.5 for 38.1
  EXPECT_THAT((points<Stars<2>, double>(129)), HasSubstr(window));      // 14.3 for 15.4
  EXPECT_THAT((points<Stars<2>, double>(161)), HasSubstr(few));
  EXPECT_THAT((points<Around, float>(160)), HasSubstr(few)); // 26.6 for 33.2
}

TEST(PointsDefault, TakesWindowsOfFewValuesInAnySize) {
  EXPECT_THAT((points<Stars<1>, float>(351)), HasSubstr(window));      // 136 us for 142
  EXPECT_THAT((points<Stars<1, 1, 1>, Bf16>(351)), HasSubstr(window)); // 173 for 201
  EXPECT_THAT((points<Stars<2>, Bf16>(351)), HasSubstr(window));       // 174 for 188
  EXPECT_THAT((points<Stars<2, 1, 1, 1>, Bf16>(225)), HasSubstr(few)); // 75.6 for 88.2
  EXPECT_THAT((points<Around, Bf16>(161)), HasSubstr(window));         // 26.2 for 28.2
  EXPECT_THAT((points<Around, Bf16>(351)), HasSubstr(few));
  EXPECT_THAT((points<Box27, float>(351)), HasSubstr(window)); // 235 for 281
}

TEST(PointsDefault, TakesSinglePointsInFp64OfSeveralInputs) {
  EXPECT_THAT((points<Stars<1>, double>(351)), HasSubstr(few));          // 215 us for 232
  EXPECT_THAT((points<Stars<1, 1, 1>, double>(351)), HasSubstr(single)); // 353 for 360
  EXPECT_THAT((points<Stars<4>, double>(193)), HasSubstr(single));       // 69.3 for 71.4
}

TEST(PointsDefault, WidensBlocksOfWindows) {
  const auto block = [](Index x) {
    return points_beside_marches(h200(), traits_of<Stars<1>, float>(), {x, 512, 512}).block;
  };
  EXPECT_EQ(block(128), (BlockShape{{128, 2, 1}})); // 7.7 us for 8.3
  EXPECT_EQ(block(160), (BlockShape{{256, 1, 1}})); // 13.0 for 14.0
  EXPECT_EQ(block(351), (BlockShape{{128, 2, 1}})); // 136 for 141
  EXPECT_EQ(block(60), (BlockShape{{64, 4, 1}}));
}

TEST(PointsDefault, MarchesFromTheSizeOnWhereThatIsFaster) {
  EXPECT_FALSE((is_large<Stars<1>, float>(160)));
  EXPECT_TRUE((is_large<Stars<1>, float>(192)));         // 22.5 us, and 26.8 in points
  EXPECT_FALSE((is_large<Stars<1>, double>(160)));       // 24.9 and 23.6
  EXPECT_FALSE((is_large<Stars<1, 1, 1>, double>(192))); // 62.3 and 58.7
  EXPECT_TRUE((is_large<Stars<1, 1, 1>, double>(256)));
  EXPECT_TRUE((is_large<Box27, double>(128)));            // 11.9 and 14.4
  EXPECT_TRUE((is_large<Stars<3>, double>(128)));         // 14.6 and 17.2
  EXPECT_TRUE((is_large<Stars<4>, double>(128)));         // 20.5 and 23.1
  EXPECT_FALSE((is_large<Stars<4>, double>(144)));        // 35.9 and 30.2
  EXPECT_FALSE((is_large<Stars<4>, double>(160)));        // 45.1 and 37.7
  EXPECT_TRUE((is_large<Stars<4>, double>(192)));         // 59.8 and 63.2
  EXPECT_TRUE((is_large<Around, double>(128)));           // 20.8 and 22.8
  EXPECT_FALSE((is_large<Stars<2>, float>(160)));         // 18.4 and 17.6
  EXPECT_TRUE((is_large<Stars<2, 1, 1, 1>, float>(128))); // 14.7 and 16.0
  EXPECT_TRUE((is_large<Stars<3>, Bf16>(160)));           // 22.2 and 27.2
  EXPECT_FALSE((is_large<Stars<2>, Bf16>(160)));          // 23.3 and 17.9
  EXPECT_TRUE((is_large<Stars<2>, Bf16>(192)));           // 27.3 and 28.9
}

TEST(PointsDefault, MarchesLaterWhereRowsBeginAnywhere) {
  EXPECT_FALSE((is_large<Stars<1>, double>(351))); // 245 us, and 215 in points
  EXPECT_TRUE((is_large<Stars<1>, double>(511)));
  EXPECT_FALSE((is_large<Stars<1, 1, 1>, double>(511))); // at 351 515 and 353
  EXPECT_FALSE((is_large<Stars<4>, Bf16>(351)));         // 360 and 252
  EXPECT_TRUE((is_large<Stars<4>, Bf16>(511)));          // 788 and 1018
  EXPECT_TRUE((is_large<Box27, double>(161)));           // 41.6 and 44.0
  EXPECT_FALSE((is_large<Box27, float>(351)));           // 270 and 235
}

TEST(PointsDefault, TakesTilesWhereCopiedRowsWouldBeNarrow) {
  EXPECT_THAT((march<Stars<2>, double>(192)), HasSubstr("stage=tiles"));       // 40.3 us, and 52.3
  EXPECT_THAT((march<Stars<2>, double>(224)), HasSubstr("stage=tiles"));       // 58.2 and 64.9
  EXPECT_THAT((march<Stars<2>, double>(256)), HasSubstr("stage=bulk"));        // 80.0 and 74.7
  EXPECT_THAT((march<Stars<1>, double>(192)), HasSubstr("stage=bulk"));        // 40.1 and 36.0
  EXPECT_THAT((march<Around, double>(192)), HasSubstr("stage=tiles"));         // 59.2 and 68.8
  EXPECT_THAT((march<Around, float>(192)), HasSubstr("stage=bulk"));           // 36.5 and 32.8
  EXPECT_THAT((march<Box27, float>(160)), HasSubstr("stage=tiles"));           // 17.4 and 21.9
  EXPECT_THAT((march<Box27, float>(224)), HasSubstr("stage=bulk"));            // 35.0 and 32.9
  EXPECT_THAT((march<Laplacian<6, 3>, float>(192)), HasSubstr("stage=tiles")); // 29.4 and 66.3
}

TEST(PointsDefault, TakesTilesOfFewWarpsIn16Bits) {
  // 512^3: 346 us, and 2140 under 32x16x1, which spills.
  EXPECT_THAT((march<Laplacian<8, 3>, Fp16>(512)), HasSubstr("block=32x8x1 tile=2"));
  EXPECT_THAT((march<Stars<3>, Bf16>(512)), HasSubstr("block=32x8x1 tile=2"));  // 298 and 367
  EXPECT_THAT((march<Stars<2>, Bf16>(512)), HasSubstr("block=32x16x1 tile=2")); // 221 and 305
  EXPECT_THAT((march<Around, Bf16>(512)), HasSubstr("block=32x8x1 tile=4"));    // 296 and 683
  EXPECT_THAT((march<Box27, Bf16>(512)), HasSubstr("block=32x8x1 tile=4"));     // 273 and 367
  EXPECT_THAT((march<Stars<1, 1, 1, 1>, Bf16>(512)), HasSubstr("stage=tiles")); // 325 and 396
  EXPECT_THAT((march<Stars<1>, Bf16>(512)), HasSubstr("stage=bulk"));
}

TEST(PointsDefault, TakesWhatIsCompiledAhead) {
  const auto check = []<class K, class T>() {
    constexpr auto ahead = PointsList<K, T>::values;
    for (const Index size : {64, 96, 128, 129, 160, 193, 225, 351}) {
      const GpuSchedule s = points_beside_marches(h200(), traits_of<K, T>(), {size, size, size});
      EXPECT_THAT(ahead, ::testing::Contains(PointsVariant{s.tile, s.loads, s.store, s.bounds}))
          << text::print(s);
      if (is_large<K, T>(size) && march<K, T>(size).find("stage=tiles") != std::string::npos) {
        EXPECT_TRUE((tiles_ahead<K, T>())) << size;
      }
    }
  };
  const auto both = [&]<class K>() {
    check.operator()<K, float>();
    check.operator()<K, double>();
  };
  both.operator()<Laplacian<2, 3>>();
  both.operator()<Laplacian<4, 3>>();
  both.operator()<Laplacian<6, 3>>();
  both.operator()<Laplacian<8, 3>>();
  both.operator()<Box27>();
  both.operator()<Around>();
  both.operator()<Cube>();
  both.operator()<Stars<1, 1, 1>>();
  both.operator()<Stars<2, 1, 1, 1>>();
}

} // namespace
} // namespace ridge::stencil::beside_marches
