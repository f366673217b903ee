// What menus of all patterns have in common: whole texts, changes of one field, and the space
// around a schedule.
#include <ridge/core/changes.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/stencil/schedule.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ridge {
namespace {

using ::testing::Contains;

int fields_apart(const std::string& a, const std::string& b) {
  const auto of_a = text::words(a);
  const auto of_b = text::words(b);
  int apart = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    apart += of_a[i] != of_b.at(i) ? 1 : 0;
  return apart;
}

struct Launch {
  const char* kernel;
  Extents size;
};
const Launch launches[] = {{"laplacian", {96, 40, 33}},
                           {"heat", {96, 40, 33}},
                           {"gravity", {1000}},
                           {"lattice-norm2", {8, 8, 4, 4}},
                           {"lattice-residual", {8, 8, 4, 4}},
                           {"chain", {10000}}};

std::unique_ptr<Menu> menu_of(const Launch& launch, const Place& place) {
  const lab::BenchKernel& kernel = lab::find_bench_kernel(launch.kernel);
  return kernel.make_menu({place.device, launch.size, kernel.default_precision, "auto", {}}, place);
}

TEST(Menus, ReadWhatTheyPrintOnEveryKind) {
  for (const char* const device : {"cpu", "simt:32", "simt:64"}) {
    for (const Launch& launch : launches) {
      const auto menu = menu_of(launch, Place{Device(device)});
      const NamedText standard = menu->parse("auto");
      EXPECT_EQ(standard.name, "default") << launch.kernel;
      EXPECT_EQ(menu->parse(standard.text).text, standard.text) << launch.kernel;
      const auto named = menu->named();
      EXPECT_TRUE(std::any_of(named.begin(), named.end(), [&](const NamedText& n) {
        return n.name == "default" && n.text == standard.text;
      })) << launch.kernel;
      EXPECT_EQ(menu->asked("all").size(), named.size());
      const auto space = menu->space();
      EXPECT_GT(space.size(), 1U) << launch.kernel;
      for (const std::string& s : space)
        EXPECT_EQ(menu->parse(s).text, s) << launch.kernel;
      EXPECT_THAT(menu->help(), ::testing::HasSubstr(device[0] == 'c' ? "threads" : "block"))
          << launch.kernel;
    }
  }
}

TEST(Menus, TakeSeveralSchedulesWithSemicolonsBetween) {
  const auto menu = menu_of(launches[0], Place{Device("simt:32")});
  const auto all = menu->asked("kernel1; tile=4 ;auto");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "kernel1");
  EXPECT_EQ(all[1].text, menu->parse("tile=4").text);
  EXPECT_EQ(all[2].name, "default");
  EXPECT_THROW((void)menu->asked("kernel1;kernel9"), UsageError);
}

TEST(Menus, SearchAroundAScheduleFieldByField) {
  for (const char* const device : {"cpu", "simt:64"}) {
    for (const Launch& launch : launches) {
      const auto menu = menu_of(launch, Place{Device(device)});
      const std::string standard = menu->parse("auto").text;
      const auto all = menu->around(standard);
      EXPECT_FALSE(all.empty()) << launch.kernel;
      for (const std::string& s : all) {
        EXPECT_EQ(fields_apart(s, standard), 1) << launch.kernel << ": " << s;
        EXPECT_EQ(std::count(all.begin(), all.end(), s), 1) << s;
      }
      EXPECT_THROW((void)menu->around("mesh=3"), UsageError) << launch.kernel;
    }
  }
}

TEST(Menus, OfDescribedDevicesPredictEachChange) {
  const Device stand_in("simt:32");
  const Place h200{stand_in, model::shipped_description("h200"), false};
  for (const Launch& launch : launches) {
    const auto menu = menu_of(launch, h200);
    const std::string known = menu->named().front().text;
    const auto changes = menu->changes(known);
    EXPECT_FALSE(changes.empty()) << launch.kernel;
    for (const NamedText& s : changes) {
      EXPECT_EQ(fields_apart(s.text, known), 1) << launch.kernel << ": " << s.text;
      const model::Prediction p = menu->predict(s.text);
      EXPECT_EQ(p.facts.device.key, "h200");
      EXPECT_GT(p.time->seconds.value, 0) << launch.kernel << ": " << s.text;
    }
  }
}

TEST(Neighbours, HaveValuesBesideTheOneThereIs) {
  stencil::CpuSchedule s;
  s.rows = 40; // as the default has it from the size of a cache, and no list does
  std::vector<int> rows;
  for (const auto& other : text::neighbours_of(s)) {
    if (other.rows != s.rows) rows.push_back(other.rows);
  }
  for (const int expected : {0, 16, 64, 256, 20, 39, 41, 80})
    EXPECT_THAT(rows, Contains(expected));
}

TEST(Neighbours, StayInTheRangeOfAField) {
  stencil::GpuSchedule s;
  s.tile = 32;
  for (const auto& other : text::neighbours_of(s))
    EXPECT_LE(other.tile, 32);
}

TEST(Neighbours, LeaveTheThreadsOfTheCpuAlone) {
  stencil::CpuSchedule s;
  s.threads = 3;
  for (const auto& other : text::neighbours_of(s))
    EXPECT_EQ(other.threads, 3);
}

} // namespace
} // namespace ridge
