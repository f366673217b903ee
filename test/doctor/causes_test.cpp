// Each cause: a launch that has it, one that has not, and what the doctor makes of them.
#include <ridge/core/error.hpp>
#include <ridge/doctor/beyond.hpp>
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/doctor/levels.hpp>
#include <ridge/lab/planted.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ridge::doctor {
namespace {

TEST(Causes, AreTwentyFiveEachWithAllThatIsTold) {
  std::set<std::string_view> names;
  for (const Cause& c : causes()) {
    names.insert(c.name);
    EXPECT_FALSE(c.title.empty() || c.unit.empty() || c.action.empty()) << c.name;
    EXPECT_GT(c.background.size(), 100U) << c.name;
    EXPECT_FALSE(c.source.empty()) << c.name;
    EXPECT_EQ(&find_cause(c.name), &c);
  }
  EXPECT_EQ(names.size(), 25U);
  EXPECT_THROW((void)find_cause("bad-luck"), UsageError);
}

TEST(Causes, PassTheirThresholdsWherePlantedAndNotWhereHealthy) {
  const auto planted = lab::planted_launches();
  ASSERT_EQ(planted.size(), causes().size());
  for (const auto& p : planted) {
    const Cause& cause = find_cause(p.cause);
    const auto sick = p.evidence(cause, true);
    EXPECT_TRUE(sick && cause.found(*sick)) << p.cause;
    const auto healthy = p.evidence(cause, false);
    EXPECT_FALSE(healthy && cause.found(*healthy)) << p.cause;
  }
}

TEST(Causes, AreNamedFirstWherePlantedAndNeverOnTheHealthy) {
  int first = 0;
  for (const auto& row : lab::confusion_table()) {
    first += row.named_first == row.planted ? 1 : 0;
    EXPECT_TRUE(row.on_healthy.empty()) << row.planted << ": " << row.on_healthy.front();
    EXPECT_GT(row.gain, 1.03) << row.planted;
  }
  EXPECT_GE(first, 24); // of twenty-five
}

TEST(Causes, CostNothingOnceHealed) {
  for (const auto& p : lab::planted_launches()) {
    if (!p.sick) continue; // a record
    const Cause& cause = find_cause(p.cause);
    const Facts sick = p.sick();
    const Facts healed = cause.healed(sick);
    EXPECT_LT(time_of(healed).seconds.value, time_of(sick).seconds.value) << p.cause;
    EXPECT_TRUE(cause.is_cured(sick, healed)) << p.cause;
  }
}

TEST(Causes, ThatCostNextToNothingAreNotNamed) {
  Facts f;
  f.device = model::shipped_description("h200");
  f.least_read = f.least_written = 1e9;
  f.blocks = f.resident = 132 * 8;
  f.block_threads = 256;
  f.thread_bytes = 64;
  f.staged = 0.3 * 2e9; // passes the threshold
  ASSERT_EQ(diagnose(f).size(), 1U);
  EXPECT_EQ(diagnose(f).front().cause->name, "staged-passes");
  f.device.launch_seconds = 1; // now all that counts is the launch
  for (const Diagnosis& d : diagnose(f))
    EXPECT_NE(d.cause->name, "staged-passes");
}

TEST(Causes, OfRecordsNeedThemAndHaveCures) {
  EXPECT_FALSE(is_recorded(Record{}));
  EXPECT_TRUE(diagnose(Record{}, {}).empty());
  int of_records = 0;
  for (const auto& p : lab::planted_launches()) {
    if (!p.sick_record) continue;
    ++of_records;
    const Record sick = p.sick_record();
    EXPECT_TRUE(is_recorded(sick)) << p.cause;
    const auto found = diagnose(sick, p.tried);
    ASSERT_FALSE(found.empty()) << p.cause;
    EXPECT_EQ(found.front().cause->name, p.cause);
    EXPECT_FALSE(found.front().fix.empty());
    // Trees are cured by a schedule that was tried, lists by another skin, cycles by neither.
    EXPECT_EQ(found.front().schedule.empty(), p.tried.empty()) << p.cause;
    const bool is_of_lists = std::string_view(p.cause).ends_with("-lists");
    EXPECT_EQ(found.front().fix.starts_with("--skin 0."), is_of_lists) << found.front().fix;
  }
  EXPECT_EQ(of_records, 9);
}

TEST(Causes, OfLongLaunchesAreTheirInstructionsOrMemory) {
  Record r;
  r.timing = Timing{{1.0}, {1.0}, {1.0}, 5};
  r.details = {{modelled_detail, 0.5, {}}};
  EXPECT_TRUE(diagnose(r, {}).empty()); // no part was timed
  r.details.push_back({cached_detail, 0, {}});
  for (const double cached : {0.05, 0.4, 0.69, 0.71, 1.0, 1.4}) {
    r.details[1].number = cached;
    const auto found = diagnose(r, {});
    ASSERT_EQ(found.size(), 1U) << cached;
    EXPECT_EQ(found[0].cause->name, cached > 0.7 ? "slow-operations" : "slow-memory");
    EXPECT_NEAR(found[0].predicted_gain, cached > 0.7 ? 2 : 1 / std::max(0.5, cached), 1e-9);
  }
  r.details[0].number = 0.9; // about as long as modelled
  EXPECT_TRUE(diagnose(r, {}).empty());
}

TEST(Levels, SayWhatDominatesThem) {
  Record r;
  EXPECT_TRUE(levels_of(r).empty());
  const auto add = [&](const char* points, double seconds, double least, double moved,
                       double launches) {
    r.details.push_back({std::string("seconds_") + points, seconds, {}});
    r.details.push_back({std::string("bytes_") + points, least, {}});
    r.details.push_back({std::string("moved_") + points, moved, {}});
    r.details.push_back({std::string("launches_") + points, launches, {}});
  };
  r.details.push_back({"seconds_walk", 5, {}}); // no level
  add("9x9x9", 10e-3, 8e9, 8e9, 2);
  add("8x8x8", 6e-3, 3e9, 3e9, 2);
  add("7x7x7", 3e-3, 1e9, 3e9, 7);
  add("3x3x3", 1e-3, 1e3, 3e3, 7);
  ASSERT_EQ(levels_of(r).size(), 4U);
  EXPECT_EQ(levels_of(r).front().fraction(), 0); // no copy was measured
  EXPECT_TRUE(diagnose(r, {}).empty());
  r.achieved = Achievement{1, "B/s", 1e12, "copy"};
  const auto levels = levels_of(r);
  EXPECT_DOUBLE_EQ(levels[0].fraction(), 0.8);
  EXPECT_DOUBLE_EQ(levels[0].share, 0.5);
  EXPECT_EQ(levels[0].dominated_by(), "bytes");
  EXPECT_EQ(levels[1].dominated_by(), "work");
  EXPECT_EQ(levels[2].dominated_by(), "passes");
  EXPECT_EQ(levels[3].dominated_by(), "launches");
  EXPECT_TRUE(diagnose(r, {}).empty()); // 1 of 20 ms, 14 bytes for 12
  r.details[13].number = 10e-3;         // the smallest takes ten
  const auto found = diagnose(r, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().cause->name, "small-levels");
  EXPECT_NEAR(found.front().predicted_gain, 29.0 / 19, 1e-6);
}

TEST(Levels, AreBetterUnderTheDefaultScheduleWhereTheRecordSaysSo) {
  Record r;
  EXPECT_EQ(default_of(r).fix, "");
  r.details = {{default_gain, 1.25, {}}};
  EXPECT_EQ(default_of(r).fix, "schedule v, the default");
  EXPECT_EQ(default_of(r).predicted_gain, 1.25);
  // A level that has no pass of its own since march_from is above its points.
  r.schedule = "cycle=v level=0 down=cells up=auto march_from=4000000";
  r.achieved = Achievement{1, "B/s", 1e12, "copy"};
  r.details = {{"seconds_9x9x9", 30e-3, {}},
               {"bytes_9x9x9", 8e9, {}},
               {"moved_9x9x9", 24e9, {}},
               {"launches_9x9x9", 7, {}}};
  const auto found = diagnose(r, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().cause->name, "staged-levels");
  EXPECT_EQ(found.front().schedule, "cycle=v level=0 down=cells up=auto march_from=0");
  EXPECT_NEAR(found.front().predicted_gain, 3, 1e-6);
}

TEST(Facts, CountUnitsThatWaitForTheOneWithMostBlocks) {
  Facts f;
  f.device.units = 100;
  f.resident = 100;
  f.blocks = 110;
  EXPECT_DOUBLE_EQ(f.filled(), 0.55);
  f.blocks = 25;
  EXPECT_DOUBLE_EQ(f.filled(), 0.25);
  EXPECT_DOUBLE_EQ(f.active(), 25);
  f.blocks = 300;
  EXPECT_DOUBLE_EQ(f.filled(), 1);
  EXPECT_DOUBLE_EQ(f.active(), 100);
}

TEST(Facts, TakeWhatWasMeasuredInPlaceOfWhatWasModelled) {
  Facts f;
  f.registers = 40;
  Record record;
  record.details = {
      {"registers", 64, {}}, {"local_bytes", 80, {}}, {model::node_share_detail, 1.5, {}}};
  add_measured(f, record);
  EXPECT_EQ(f.registers, 84); // 64 and those that do not fit
  EXPECT_EQ(f.spilled_registers, 20);
  EXPECT_EQ(f.node_share, 1.5);
}

TEST(Facts, OfACachedLaunchOnACpuAskTheCacheForItsDataOnce) {
  Facts f;
  f.device = model::shipped_description("h200");
  f.device.kind = DeviceKind::cpu;
  f.device.copy_bytes_per_second = 4e10;
  f.device.cache_bytes_per_second = 1e11;
  f.least_read = f.least_written = 5e6;
  f.in_cache = true;
  const model::Time time = time_of(f);
  EXPECT_EQ(time.roof, "cache");
  EXPECT_NEAR(time.seconds.value, 1e-4, 1e-5);
}

TEST(Facts, MeasuredLongLeaveLaunchesASmallShare) {
  Facts f;
  f.device.launch_seconds = 1e-6;
  const Cause& cause = find_cause("launch-overhead");
  EXPECT_DOUBLE_EQ(*cause.evidence(f), 1);
  Record record;
  record.timing = Timing{{1e-4}, {1e-4}, {1e-4}, 5};
  add_measured(f, record);
  EXPECT_DOUBLE_EQ(*cause.evidence(f), 0.01);
}

} // namespace
} // namespace ridge::doctor
