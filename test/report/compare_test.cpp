#include <ridge/report/compare.hpp>

#include "samples.hpp"

#include <gmock/gmock.h>

namespace ridge::report {
namespace {

using testing::HasSubstr;

/// Times from `least` to `most`, the median between.
std::string times(double least, double most) {
  const auto text = [](double n) { return std::to_string(n); };
  return ",\"seconds_min\":" + text(least) + ",\"seconds\":" + text((least + most) / 2) +
         ",\"seconds_max\":" + text(most);
}

std::string fractions(double low, double high) {
  const auto text = [](double n) { return std::to_string(n); };
  return ",\"fraction_low\":" + text(low) + ",\"fraction\":" + text((low + high) / 2) +
         ",\"fraction_high\":" + text(high);
}

/// The comparison of two records that are one launch.
Comparison only(const std::string& a, const std::string& b) {
  const auto all = compare(saved("a.json", {a}), saved("b.json", {b}));
  EXPECT_EQ(all.size(), 1U);
  return all.at(0);
}

TEST(Compare, IsFasterWhereTimesAreApart) {
  const Comparison c = only(times(1.0, 1.2), times(0.8, 0.9));
  EXPECT_EQ(c.verdict, Verdict::faster);
  EXPECT_EQ(c.reason, "times apart: 1.00 s to 1.20 s and 800 ms to 900 ms");
  EXPECT_NEAR(c.longer.value(), 0.85 / 1.1 - 1, 1e-6);
  EXPECT_FALSE(c.by_fraction);
}

TEST(Compare, IsSlowerTheOtherWayRound) {
  EXPECT_EQ(only(times(0.8, 0.9), times(1.0, 1.2)).verdict, Verdict::slower);
}

TEST(Compare, CannotTellWhereTimesOverlap) {
  const Comparison c = only(times(1.0, 1.2), times(1.2, 1.4)); // they touch
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_THAT(c.reason, HasSubstr("times overlap"));
  EXPECT_NEAR(c.longer.value(), 1.3 / 1.1 - 1, 1e-6);
}

TEST(Compare, CannotTellFromOneTiming) {
  EXPECT_EQ(only(times(1.0, 1.2), times(0.5, 0.5)).reason,
            "one timing without an interval in b.json");
  EXPECT_EQ(only(",\"seconds_min\":null,\"seconds_max\":null", times(0.5, 0.6)).reason,
            "one timing without an interval in a.json");
  EXPECT_EQ(only(times(1, 2), ",\"seconds\":null,\"seconds_min\":null,\"seconds_max\":null").reason,
            "no time in b.json");
}

TEST(Compare, LetsFractionsDecideWhereBothHaveThem) {
  const Comparison c =
      only(times(1.0, 1.2) + fractions(0.80, 0.84), times(1.1, 1.3) + fractions(0.90, 0.94));
  EXPECT_EQ(c.verdict, Verdict::faster);
  EXPECT_EQ(c.reason, "fractions apart: 0.800 to 0.840 and 0.900 to 0.940");
  EXPECT_TRUE(c.by_fraction);
  EXPECT_NEAR(c.longer.value(), 0.82 / 0.92 - 1, 1e-6);
  EXPECT_EQ(only(fractions(0.90, 0.94), fractions(0.80, 0.84)).verdict, Verdict::slower);
}

TEST(Compare, CannotTellWhereTheCeilingMovedAsTheTimeDid) {
  const Comparison c =
      only(times(1.0, 1.1) + fractions(0.80, 0.84), times(2.0, 2.2) + fractions(0.79, 0.83));
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_THAT(c.reason, HasSubstr("fractions overlap"));
  EXPECT_THAT(c.reason, HasSubstr("the times are apart, and so is the ceiling"));
}

TEST(Compare, CannotTellWhereFractionsAndTimesContradict) {
  const Comparison c =
      only(times(1.0, 1.1) + fractions(0.80, 0.84), times(2.0, 2.2) + fractions(0.90, 0.94));
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_THAT(c.reason, HasSubstr("the ceiling changed"));
}

TEST(Compare, LeavesFractionsOfDifferentThingsAlone) {
  const std::string a = times(1.0, 1.1) + fractions(0.80, 0.84);
  const std::string b = times(0.8, 0.9) + fractions(0.70, 0.74);
  EXPECT_EQ(only(a, b + ",\"roof_name\":\"read\"").verdict, Verdict::faster);
  EXPECT_EQ(only(a, b + ",\"bytes_read\":5").verdict, Verdict::faster);
  EXPECT_THAT(only(a, b).reason, HasSubstr("the ceiling changed"));
}

TEST(Compare, CannotTellWhereTimesAreApartAsTheCeilingsAre) {
  const std::string slow = times(2.0, 2.2), fast = times(1.0, 1.1);
  const Comparison c = only(slow, fast + ",\"roof\":2e9"); // twice the memory, half the time
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_THAT(c.reason, HasSubstr("but so is the ceiling: copy 1.00 GB/s and 2.00 GB/s"));
  EXPECT_EQ(only(fast + ",\"roof\":2e9", slow).verdict, Verdict::unclear);
  EXPECT_EQ(only(slow, fast + ",\"roof\":1.2e9").verdict, Verdict::faster);
  EXPECT_EQ(only(slow, fast + ",\"roof\":0.5e9").verdict, Verdict::faster);
  // Neither another ceiling nor data in the cache has to do with it.
  EXPECT_EQ(only(slow, fast + ",\"roof\":2e9,\"roof_name\":\"read\"").verdict, Verdict::faster);
  EXPECT_EQ(only(slow, fast + ",\"roof\":2e9,\"in_cache\":true").verdict, Verdict::faster);
}

TEST(Compare, HasNoVerdictOnWrongResults) {
  const Comparison c = only(times(1.0, 1.1), times(0.1, 0.2) + ",\"check\":{\"ok\":false}");
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_EQ(c.reason, "its check failed in b.json");
}

TEST(Compare, SaysWhatHasNoPartner) {
  const auto all =
      compare(saved("a.json", {"", ",\"kernel\":\"k\""}), saved("b.json", {"", ",\"size\":[8]"}));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].a && all[0].b);
  EXPECT_EQ(all[1].reason, "only in a.json");
  EXPECT_EQ(all[1].launch().kernel, "k");
  EXPECT_EQ(all[2].reason, "only in b.json");
  EXPECT_EQ(all[2].launch().size.size(), 1U);
}

TEST(Compare, KeepsApartWhatDiffers) {
  for (const char* const change :
       {R"(,"pattern":"pairs")", R"(,"kernel":"k")", R"(,"precision":"fp32")", R"(,"size":[64])",
        R"(,"site":"real")", R"(,"ranks":2)", R"(,"operations":3)",
        R"(,"schedule":"tile=8","schedule_name":"other")"})
    EXPECT_EQ(compare(saved("a", {""}), saved("b", {change})).size(), 2U) << change;
}

TEST(Compare, SaysWhichOtherDevice) {
  const Comparison c = only("", R"(,"device":"hip:0","device_name":"another GPU")");
  EXPECT_EQ(c.verdict, Verdict::unclear);
  EXPECT_EQ(c.reason, "other device: a GPU (cuda) and another GPU (hip)");
  EXPECT_FALSE(c.longer);
}

TEST(Compare, TakesTheSameKindOfDeviceWhateverItsNumber) {
  EXPECT_EQ(only(times(2, 3), times(1, 1.5) + R"(,"device":"cuda:5")").verdict, Verdict::faster);
}

TEST(Compare, MatchesSchedulesByNameAndTextThenByOneOfThem) {
  const Comparison renamed =
      only(times(2, 3), times(1, 1.5) + R"(,"schedule":"tile=8 store=plain")");
  EXPECT_EQ(renamed.verdict, Verdict::faster);
  EXPECT_THAT(renamed.reason, HasSubstr("the schedule's text changed"));
  EXPECT_EQ(only(times(2, 3), times(1, 1.5) + R"(,"schedule_name":"")").verdict, Verdict::faster);

  // The one with the same name and text is the partner, though another has the same name.
  const auto all = compare(saved("a", {times(2, 3)}),
                           saved("b", {times(5, 6) + R"(,"schedule":"tile=8")", times(1, 1.5)}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].verdict, Verdict::faster);
}

TEST(Compare, TakesRecordsOfOneLaunchAsOneSample) {
  // One run of `a` alone would be slower than `b`; together they cannot tell.
  const auto all = compare(saved("a", {times(1.0, 1.1), times(2.0, 2.2), times(1.1, 1.2)}),
                           saved("b", {times(1.5, 1.6)}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].a->records, 3);
  EXPECT_NEAR(all[0].a->seconds.value(), 1.15, 1e-9);
  EXPECT_NEAR(all[0].a->times->high, 2.2, 1e-9);
  EXPECT_EQ(all[0].verdict, Verdict::unclear);
  // Timings without an interval have one together.
  EXPECT_EQ(compare(saved("a", {times(1, 1), times(1.1, 1.1)}),
                    saved("b", {times(2, 2), times(2.1, 2.1)}))[0]
                .verdict,
            Verdict::slower);
}

TEST(Compare, FindsNothingInAFileAgainstItself) {
  const Saved file = saved("a", {times(1, 2), times(1, 2) + R"(,"kernel":"k")"});
  for (const Comparison& c : compare(file, file))
    EXPECT_EQ(c.verdict, Verdict::unclear);
}

TEST(Compare, HasWordsForVerdicts) {
  EXPECT_EQ(to_text(Verdict::faster), "faster");
  EXPECT_EQ(to_text(Verdict::slower), "slower");
  EXPECT_EQ(to_text(Verdict::unclear), "cannot tell");
}

} // namespace
} // namespace ridge::report
