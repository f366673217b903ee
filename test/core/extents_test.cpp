#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>

#include <gtest/gtest.h>

namespace ridge {
namespace {

TEST(Extents, ParsesOneToFiveDimensionsXFirst) {
  EXPECT_EQ(parse_extents("7"), (Extents{7}));
  EXPECT_EQ(parse_extents("512x256x128"), (Extents{512, 256, 128}));
  EXPECT_EQ(parse_extents("1x2x3x4x5").rank(), 5);
  EXPECT_EQ(parse_extents("512x256x128").count(), Index{512} * 256 * 128);
}

TEST(Extents, PrintsWhatItParses) {
  for (const char* text : {"1", "3x5", "512x512x512", "2x3x4x5x6"}) {
    EXPECT_EQ(to_text(parse_extents(text)), text);
  }
}

TEST(Extents, RefusesWhatIsNotOfTheForm) {
  for (const char* text : {"", "x", "4x", "x4", "4xx4", "4,4", "4x-4", "4.5", "0x10", "1x2x3x4x5x6",
                           " 4", "4 ", "+4"}) {
    EXPECT_THROW((void)parse_extents(text), UsageError) << text;
  }
}

TEST(Extents, RefusesEmptyAndOverflowingExtents) {
  EXPECT_THROW((void)parse_extents("4x0x4"), UsageError);
  EXPECT_THROW((void)parse_extents("99999999999999999999"), UsageError);
  EXPECT_THROW((void)parse_extents("3000000000x3000000000"), UsageError);
  EXPECT_NO_THROW((void)parse_extents("2147483648x2147483648"));
}

TEST(Extents, AreOneBeyondTheRank) {
  const Extents line{9};
  EXPECT_EQ(line.xyz(), (Index3{9, 1, 1}));
}

} // namespace
} // namespace ridge
