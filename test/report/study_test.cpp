#include <ridge/report/page.hpp>

#include "report/linear_scale.hpp"
#include "report/study.hpp"
#include "samples.hpp"

#include <gmock/gmock.h>

namespace ridge::report {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

TEST(LinearScale, PutsItsEndsWhereTheyBelong) {
  const LinearScale scale(0, 1165, true, 290, 30);
  EXPECT_EQ(scale.high(), 1200);
  EXPECT_DOUBLE_EQ(scale.at(0), 290);
  EXPECT_DOUBLE_EQ(scale.at(1200), 30);
  EXPECT_DOUBLE_EQ(scale.at(600), 160);
  EXPECT_THAT(LinearScale(0, 100, true, 0, 1).ticks(),
              ElementsAre(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100));
  EXPECT_THAT(LinearScale(0.9, 8.5, false, 0, 1).ticks(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(LinearScale, HasFewTicksWhateverTheValues) {
  for (const double most : {1e-12, 0.3, 1.0, 7.0, 19.9, 2e30}) {
    const LinearScale scale(0, most, true, 0, 1);
    EXPECT_THAT(scale.ticks().size(), testing::AllOf(testing::Ge(5U), Le(12U))) << most;
    EXPECT_GE(scale.high(), most * (1 - 1e-12));
  }
  EXPECT_THAT(LinearScale(5, 5, false, 0, 1).ticks(), SizeIs(Le(12U))); // no length at all
}

std::string of_size(const char* size, const std::string& more) {
  return R"(,"size":)" + std::string(size) + more;
}

TEST(Study, CurvesAreADeviceAScheduleAndAKind) {
  const std::string modelled =
      R"(,"modelled":true,"fetched_bytes":2000000,"hit_rate":0.6,"achieved_unit":null,"seconds":1e-3)";
  const Saved file = saved(
      "a", {of_size("[64,64,64]", R"(,"seconds":1e-3)"),
            of_size("[32,32,32]", R"(,"counters":{"bytes_read":1250000,"hit_rate":0.5})"),
            of_size("[64,64,64]", R"(,"seconds":5e-4)"), // faster than the first
            of_size("[32,32,32]", modelled), of_size("[32,32,32]", R"(,"schedule_name":"kernel5")"),
            of_size("[8,8,8]", R"(,"check":{"ok":false,"message":"wrong"})"),
            of_size("[8,8,8]", R"(,"achieved_unit":"interactions/s")")});
  const auto curves = study_curves(entries_of({file}));
  ASSERT_THAT(curves, SizeIs(3));
  const auto& measured = curves[0].points;
  ASSERT_THAT(measured, SizeIs(2));
  EXPECT_EQ(measured[0].entry.number, 2U); // the smaller size comes first
  EXPECT_DOUBLE_EQ(*measured[0].efficiency, 0.8);
  EXPECT_DOUBLE_EQ(*measured[0].hit_rate, 0.5);
  EXPECT_DOUBLE_EQ(measured[1].merit, 1.5e6 / 5e-4);
  EXPECT_FALSE(measured[1].efficiency);
  EXPECT_TRUE(curves[1].modelled);
  EXPECT_DOUBLE_EQ(*curves[1].points[0].efficiency, 0.5);
  EXPECT_DOUBLE_EQ(*curves[1].points[0].hit_rate, 0.6);
  EXPECT_EQ(curves[2].schedule, "kernel5");
}

TEST(Study, PlanesAreOfThreeDimensions) {
  const Saved file = saved("a", {"", of_size("[8,8]", ""), R"(,"precision":"fp32")"});
  EXPECT_EQ(plane_bytes(file.records[0]), 64 * 32 * 8);
  EXPECT_EQ(plane_bytes(file.records[1]), 0);
  EXPECT_EQ(plane_bytes(file.records[2]), 64 * 32 * 4);
}

TEST(Study, IsDrawnOfThreeSizesAndMore) {
  const auto with = [](int sizes) {
    std::string text = "[";
    for (int i = 1; i <= sizes; ++i)
      text += (i > 1 ? "," : "") +
              record_json(of_size(("[64," + std::to_string(8 * i) + ",8]").c_str(), ""));
    return page({parse_saved(text + "]", "a")});
  };
  EXPECT_THAT(with(2), Not(HasSubstr("<section id=\"study\"")));
  EXPECT_THAT(with(3), HasSubstr("<section id=\"study\""));
  EXPECT_THAT(with(3), HasSubstr("size, nx x ny x nz"));
  EXPECT_THAT(with(40), Not(HasSubstr("size, nx x ny x nz"))); // too many names
  EXPECT_THAT(with(40), HasSubstr("plane, nx x ny, MB"));
}

TEST(Study, ModelledCurvesHaveHollowMarksInTheLegend) {
  const char* modelled = R"(,"modelled":true,"achieved_unit":null,"seconds":1e-3)";
  const std::string shown =
      page({saved("a", {of_size("[64,16,8]", ""), of_size("[64,32,8]", ""),
                        of_size("[64,64,8]", ""), of_size("[64,16,8]", modelled),
                        of_size("[64,32,8]", modelled), of_size("[64,64,8]", modelled)})});
  EXPECT_THAT(shown, HasSubstr("<use href=\"#m0\"/></svg> measured"));
  EXPECT_THAT(shown, HasSubstr("<use class=\"c\" href=\"#m0\"/></svg> modelled"));
}

TEST(Study, ModelledLaunchesAreNoMeasuredOnes) {
  const Saved file = saved("a", {"", R"(,"modelled":true,"device":"mi100","device_name":"other")"});
  const auto devices = by_device({file});
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_THAT(devices[0].entries, SizeIs(1));
  EXPECT_THAT(page({file}), HasSubstr("1 modelled, not run."));
}

} // namespace
} // namespace ridge::report
