#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>

#include <gmock/gmock.h>

namespace ridge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(std::string_view range) {
  std::vector<std::string> list;
  for (const Extents& size : parse_sizes(range).sizes)
    list.push_back(to_text(size));
  return list;
}

TEST(SizeRange, OfOneSizeIsThatSize) {
  EXPECT_THAT(texts("512x256x64"), ElementsAre("512x256x64"));
  EXPECT_THAT(texts("8..8:4"), ElementsAre("8"));
}

TEST(SizeRange, GrowsOneDimensionAfterTheOtherAsTheSeriesDoes) {
  // Figure 1 of part 4 of AMD's Laplacian series.
  EXPECT_THAT(texts("256x256x256..1024x1024x1024:256"),
              ElementsAre("256x256x256", "512x256x256", "512x512x256", "512x512x512", "768x512x512",
                          "768x768x512", "768x768x768", "1024x768x768", "1024x1024x768",
                          "1024x1024x1024"));
  EXPECT_THAT(texts("100..300:100"), ElementsAre("100", "200", "300"));
  // A dimension at its end stays there.
  EXPECT_THAT(texts("8x8..16x32:8"), ElementsAre("8x8", "16x8", "16x16", "16x24", "16x32"));
}

TEST(SizeRange, GrowsNamedDimensionsTogether) {
  EXPECT_THAT(texts("512x256x64..512x448x64:y+64"),
              ElementsAre("512x256x64", "512x320x64", "512x384x64", "512x448x64"));
  EXPECT_THAT(texts("8x8x4..16x16x4:xy+4"), ElementsAre("8x8x4", "12x12x4", "16x16x4"));
  EXPECT_EQ(texts("512x256x64..512x2048x64:y+32").size(), 57U); // figure 3
}

TEST(SizeRange, SaysWhereTheStepMissesTheEnd) {
  EXPECT_EQ(parse_sizes("8..32:8").note, "");
  const SizeRange range = parse_sizes("8..30:8", "--size");
  EXPECT_EQ(to_text(range.sizes.back()), "24");
  EXPECT_EQ(range.note, "--size '8..30:8': steps of 8 end at 24; 30 is left out");
  EXPECT_THAT(parse_sizes("8x8..20x16:8").note, HasSubstr("end at 16x16; 20x16 is left out"));
  // Beyond what 64 bits hold, nothing is added up.
  EXPECT_EQ(parse_sizes("1..4611686018427387904:4611686018427387900").sizes.size(), 2U);
}

TEST(SizeRange, HasAMost) {
  EXPECT_EQ(parse_sizes("1..10000:1").sizes.size(), 10000U);
  EXPECT_THROW((void)parse_sizes("1..10001:1"), UsageError);
  EXPECT_THROW((void)parse_sizes("0..8:4"), UsageError);
}

struct Bad {
  const char *text, *says;
};
class BadSizeRange : public testing::TestWithParam<Bad> {};

TEST_P(BadSizeRange, SaysWhatIsWrong) {
  try {
    (void)parse_sizes(GetParam().text, "--size");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_THAT(error.what(), HasSubstr("--size"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSizeRange,
    testing::Values(Bad{"8..16", "a range of sizes has a step: FIRST..LAST:STEP"},
                    Bad{"8..16:", "is no step"}, Bad{"8..16:0", "'0' is no step"},
                    Bad{"8..16:-4", "is no step"}, Bad{"8..16:4x4", "is no step"},
                    Bad{"8..16:w+4", "'w+4' is no step"}, Bad{"8..16:+4", "'+4' is no step"},
                    Bad{"8..16x16:4", "different numbers of dimensions"},
                    Bad{"8x8..16x16:z+4", "sizes of 2 dimensions have no z"},
                    Bad{"8x8..16x16:y+4", "grows y alone, but the first and last size differ in x"},
                    Bad{"16..8:4", "goes from 16 down to 8"}, Bad{"..8:4", "is not of the form"},
                    Bad{"8..:4", "is not of the form"},
                    Bad{"1x1..20000x20000:1", "more than 10000 sizes"}));

TEST(SizeRange, IsNoSingleSize) {
  try {
    (void)parse_extents("8..16:4", "--size");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("one size is expected here"));
  }
}

} // namespace
} // namespace ridge
