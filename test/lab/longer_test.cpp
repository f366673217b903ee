// A launch that takes longer than modelled, on a part of its data.
#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/longer.hpp>

#include <gtest/gtest.h>

namespace ridge::lab {
namespace {

TEST(Longer, HalvesTheLastAxesFirst) {
  EXPECT_EQ(part_of({4096, 4096}, 400e6, 20e6), (Extents{4096, 128}));
  EXPECT_EQ(part_of({64, 1, 28, 4096}, 100e6, 1e6), (Extents{64, 1, 28, 32}));
  EXPECT_EQ(part_of({100, 10, 8}, 100e6, 30e6), (Extents{25, 10, 8}));
  EXPECT_EQ(part_of({100}, 10, 20), (Extents{100}));
  EXPECT_EQ(part_of({8, 8, 8}, 100e6, 1e6).rank(), 0);
}

/// A visit of a copy that took `longer` times as long as modelled.
Visit visit_of(double longer) {
  Visit visit;
  visit.size = Extents{1 << 24};
  visit.findings.time.seconds = Seconds{1};
  visit.findings.facts.device.cache_bytes = 1 << 20;
  visit.findings.facts.least_read = visit.findings.facts.least_written = 1 << 26;
  visit.record.emplace();
  visit.record->timing = Timing{{longer}, {longer}, {longer}, 5};
  visit.record->achieved = Achievement{1, "B/s", 2, "copy"};
  return visit;
}

TEST(Longer, IsAskedForLongLaunchesOnAQuietMachineOnly) {
  int made = 0;
  const auto make = [&](const Extents& part) -> std::unique_ptr<Case> {
    ++made;
    EXPECT_LE(8 * part.count(), 1 << 20);
    throw UsageError("not of that size");
  };
  Visit usual = visit_of(1.2), busy = visit_of(2), cached = visit_of(2), pairs = visit_of(2),
        longer = visit_of(2);
  busy.record->details.push_back({busy_detail, 1, {}});
  cached.record->in_cache = true;
  pairs.record->achieved->unit = "interactions/s";
  for (Visit* const visit : {&usual, &busy, &cached, &pairs})
    examine_longer(*visit, make, {});
  EXPECT_EQ(made, 0);
  examine_longer(longer, make, {});
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(longer.record->details.empty() && longer.findings.diagnoses.empty());
}

TEST(Longer, AddsWhatAPartOfTheDataTells) {
  const Device cpu("cpu");
  RoofSource roof(cpu, true);
  const BenchKernel& kernel = find_bench_kernel("laplacian");
  BenchRequest request{cpu, Extents{64, 64, 16}, "fp64", "auto", {}};
  const auto make = [&](const Extents& part) {
    request.size = part;
    return kernel.make_case(request, roof);
  };
  Visit visit = visit_of(1e5); // no machine is as slow
  visit.size = Extents{64, 64, 4096};
  visit.schedule = make({64, 64, 16})->menu().parse("auto");
  examine_longer(visit, make, {.repeats = 3});
  ASSERT_EQ(visit.record->details.size(), 2U);
  EXPECT_GT(visit.record->details[1].number, 0);
  EXPECT_LT(visit.record->details[1].number, 1e4); // of 128 MB in the cache
  ASSERT_EQ(visit.findings.diagnoses.size(), 1U);
  EXPECT_EQ(visit.findings.diagnoses[0].cause->name, "slow-memory");
}

TEST(Longer, LooksAtNoPartThatLeavesUnitsOfAGpuIdle) {
  doctor::Facts part;
  part.device = model::shipped_description("h200");
  part.resident = 132.0 * 5;
  part.blocks = 64; // 8192x16 items in marches of 128x32
  EXPECT_FALSE(fills(part));
  part.blocks = 132.0 * 5;
  EXPECT_TRUE(fills(part));
  part.device.kind = DeviceKind::cpu;
  part.blocks = 1;
  EXPECT_TRUE(fills(part));
}

doctor::Foreign counted(double issue, double memory) {
  doctor::Foreign all;
  doctor::LaunchCounts& c = all.kernels.emplace_back().counts;
  c.issue_busy = issue;
  c.memory_busy = memory;
  c.cache_busy = c.unit_cache_busy = 0.2;
  c.thread_instructions = 780.0 * (1 << 24);
  c.blocks_by_warps = 16;
  c.blocks_by_registers = 5;
  return all;
}

TEST(Longer, AddsWhatCountersTell) {
  Visit visit = visit_of(2);
  add_counts(visit, counted(0.75, 0.45));
  ASSERT_EQ(visit.findings.diagnoses.size(), 1U);
  const doctor::Diagnosis& found = visit.findings.diagnoses.front();
  EXPECT_EQ(found.cause->name, "slow-operations");
  EXPECT_NEAR(found.evidence, 0.75 / 0.85, 1e-9);
  EXPECT_NEAR(found.predicted_gain, 0.75 / 0.45, 1e-9); // memory is the limit then
  const auto& details = visit.record->details;
  ASSERT_EQ(details.size(), 5U);
  EXPECT_EQ(details[3].number, 780);
  EXPECT_EQ(details[4].text, "registers-limit-warps (1.13)");

  Visit by_memory = visit_of(2), by_neither = visit_of(2), usual = visit_of(1.2);
  add_counts(by_memory, counted(0.3, 0.8));
  ASSERT_EQ(by_memory.findings.diagnoses.size(), 1U);
  EXPECT_EQ(by_memory.findings.diagnoses.front().cause->name, "slow-memory");
  add_counts(by_neither, counted(0.3, 0.4));
  EXPECT_TRUE(by_neither.findings.diagnoses.empty());
  EXPECT_EQ(by_neither.record->details.back().text, "registers-limit-warps (2.00)");
  add_counts(usual, counted(0.75, 0.45));
  EXPECT_TRUE(usual.record->details.empty() && usual.findings.diagnoses.empty());
}

} // namespace
} // namespace ridge::lab
