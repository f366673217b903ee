// The skewed layer condition: against a simulation of the cache, and in general.
#include <ridge/model/traffic.hpp>

#include "cache_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ridge::model {
namespace {

std::vector<Index3> star(int radius) {
  std::vector<Index3> points{{0, 0, 0}};
  for (int r = 1; r <= radius; ++r) {
    for (const Index d : {-r, r}) {
      points.push_back({d, 0, 0});
      points.push_back({0, d, 0});
      points.push_back({0, 0, d});
    }
  }
  return points;
}

StencilAccess stencil(Index3 n, int radius = 1, int element_bytes = 8) {
  StencilAccess a;
  a.footprints = {star(radius)};
  a.radius = {radius, radius, radius};
  a.extents = n;
  a.element_bytes = element_bytes;
  a.work.items = (n.x - 2 * radius) * (n.y - 2 * radius) * (n.z - 2 * radius);
  a.work.read = {n.x * n.y * n.z * element_bytes};
  a.work.written = {a.work.items * element_bytes};
  return a;
}

Description mi250x() {
  return shipped_description("mi250x-gcd");
}

double excess(const StencilAccess& a, const Description& d = mi250x()) {
  return traffic_of(a, d).fetched / static_cast<double>(a.work.read.value);
}

// A small cache and rows of one block, so that the simulation takes milliseconds.
TEST(Traffic, IsThatOfASimulatedCache) {
  Description device = mi250x();
  device.cache_bytes = 1 << 19;
  for (const double planes_in_cache : {1.5, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0}) {
    for (const bool keeps : {true, false}) {
      for (const double wait : {0.0, 0.15, 0.23}) {
        StencilAccess a = stencil({64, 8, 24});
        a.extents.y = static_cast<Index>(device.cache_bytes / planes_in_cache / 512);
        a = stencil(a.extents);
        a.block = {64, 1, 1};
        a.keeps_stores = keeps;
        a.waits_between_planes = wait > 0;
        const double resident = std::floor(static_cast<double>(a.extents.y) * 1.5);
        device.units = resident;
        device.warps_per_unit = 1;
        device.copy_bytes_per_second = 1; // results take no time to memory in the simulation
        a.threads = 64;
        ASSERT_EQ(resident_blocks(a, device), resident);
        Assumptions assume;
        assume.hash = Hash::random;
        assume.wait_share = wait;
        const double modelled = traffic_of(a, device, assume).fetched;
        const double simulated = simulate_fetched(a, device, resident, wait);
        EXPECT_NEAR(modelled / simulated, 1, 0.05)
            << planes_in_cache << " planes fit, stores " << keeps << ", wait " << wait;
      }
    }
  }
}

TEST(Traffic, IsTheLeastWhereAllIsHeld) {
  for (const char* key : {"mi100", "mi250x-gcd", "mi300x", "a100", "h100", "h200"}) {
    const Description d = shipped_description(key);
    EXPECT_NEAR(excess(stencil({256, 128, 512}), d), 1, 1e-3) << key;
  }
}

TEST(Traffic, IsThreePlanesWhereNothingIsHeld) {
  EXPECT_NEAR(excess(stencil({4096, 4096, 64})), 1 + 2.0 * 61 / 64, 0.02);
  EXPECT_NEAR(excess(stencil({4096, 4096, 64}, 4)), 1 + 8.0 * 55 / 64, 0.3);
}

TEST(Traffic, GrowsWithPlanesAndShrinksWithTheCache) {
  double before = 0;
  for (Index ny = 128; ny <= 4096; ny += 128) {
    const double now = excess(stencil({512, ny, 128}));
    EXPECT_GE(now, before - 1e-3) << ny;
    before = now;
  }
  Description large = mi250x();
  large.cache_bytes *= 64;
  EXPECT_NEAR(excess(stencil({512, 4096, 128}), large), 1, 0.02);
}

TEST(Traffic, HalvesHoldLessThanOneCache) {
  const Description h200 = shipped_description("h200");
  const StencilAccess a = stencil({1024, 1024, 1024});
  const Traffic halves = traffic_of(a, h200);
  Description one = h200;
  one.cache_parts = 1;
  EXPECT_GT(halves.fetched, 1.15 * traffic_of(a, one).fetched);
  EXPECT_LE(halves.fetched_low, traffic_of(a, one).fetched);
  // A line in every part is worse than in the part of its memory and that of the last who read it.
  Assumptions everywhere;
  everywhere.copies = Copies::all;
  EXPECT_GT(traffic_of(a, h200, everywhere).fetched, 1.15 * halves.fetched);
  Assumptions nowhere;
  nowhere.copies = Copies::none;
  EXPECT_EQ(traffic_of(a, h200, nowhere).fetched, traffic_of(a, one).fetched);
}

TEST(Traffic, WalkingAlongZFirstSharesPlanes) {
  StencilAccess a = stencil({1024, 1024, 1024});
  a.walk = {2, 0, 1};
  const Traffic t = traffic_of(a, mi250x());
  EXPECT_EQ(t.failing, Failing::rows);
  EXPECT_NEAR(t.fetched / static_cast<double>(a.work.read.value), 3, 0.05) << "rows instead";
  a.block = {256, 16, 1};
  EXPECT_NEAR(excess(a), 1 + 2.0 / 16 + 6 * 64 / 8192.0, 0.01)
      << "and sectors where blocks in x meet";
}

TEST(Traffic, FootprintsInOtherPlanesAreGeneral) {
  StencilAccess a = stencil({2048, 2048, 64});
  a.footprints = {{{0, 0, -2}, {0, 0, 0}}}; // planes two apart, between which others pass
  EXPECT_NEAR(excess(a), 2, 0.1);
  a.footprints = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}; // no planes beside their own
  EXPECT_NEAR(excess(a), 1, 0.1);
  a.footprints = {star(1), star(1)};
  EXPECT_NEAR(excess(a), 6, 0.3) << "two inputs";
}

TEST(Traffic, SpillsCost) {
  StencilAccess a = stencil({512, 512, 256});
  a.block = {256, 16, 1};
  a.tile = 16;
  a.registers = 170;
  EXPECT_EQ(spilled_registers(a, mi250x()), 42);
  const Traffic spilled = traffic_of(a, mi250x());
  a.bounds = 256;
  EXPECT_EQ(spilled_registers(a, mi250x()), 0);
  EXPECT_GT(spilled.written, 2 * traffic_of(a, mi250x()).written);
}

TEST(Traffic, ResidentBlocksAreThoseOfTheTables) {
  // Waves a SIMD of part 3's tables, for registers a thread; a block has one wave a SIMD.
  for (const auto& [registers, waves] :
       {std::pair{18, 8}, {28, 8}, {54, 8}, {90, 5}, {128, 4}, {170, 2}}) {
    StencilAccess a = stencil({512, 512, 512});
    a.registers = registers;
    a.bounds = 256;
    EXPECT_EQ(resident_blocks(a, mi250x()), 110 * waves) << registers;
  }
}

TEST(Traffic, MarchesFetchThePlanesOfChunksTwice) {
  const Description h200 = shipped_description("h200");
  StencilAccess a = stencil({1024, 1024, 1024});
  a.block = {256, 8, 1};
  a.marches = true;
  a.march = {1, 2};
  EXPECT_NEAR(excess(a, h200), 1, 0.02);
  a.march = {1, 0};
  const Traffic out_of_step = traffic_of(a, h200);
  EXPECT_GT(out_of_step.fetched_high, 1.2 * out_of_step.fetched_low);
  StencilAccess flat = stencil({1024, 1024, 64});
  flat.block = a.block;
  flat.marches = true;
  flat.march = {4, 1};
  flat.shared_bytes = 100000;
  const Traffic chunks = traffic_of(flat, h200);
  EXPECT_EQ(chunks.failing, Failing::slab_halos);
  EXPECT_NEAR(chunks.fetched / static_cast<double>(flat.work.read.value), 1 + 6.0 / 64, 0.03);
}

TEST(Traffic, DataThatFitTheCacheMayCostNothing) {
  EXPECT_EQ(traffic_of(stencil({64, 64, 64}), mi250x()).fetched_low, 0);
  EXPECT_GT(traffic_of(stencil({256, 256, 256}), mi250x()).fetched_low, 0);
}

TEST(Traffic, AwkwardSizesAreFinite) {
  for (const Index3 n : {Index3{3, 3, 3},
                         {1009, 3, 3},
                         {3, 1009, 3},
                         {3, 3, 1009},
                         {257, 7, 5},
                         {1 << 20, 1 << 20, 3}}) {
    for (const Index3 block : {Index3{256, 1, 1}, {128, 8, 8}, {32, 128, 1}}) {
      for (const int split : {1, 4, 1024}) {
        StencilAccess a = stencil(n);
        a.block = block;
        a.split = split;
        const Traffic t = traffic_of(a, mi250x());
        EXPECT_TRUE(std::isfinite(t.fetched));
        EXPECT_GE(t.fetched, 0);
        EXPECT_LE(t.fetched_low, t.fetched);
        EXPECT_GE(t.fetched_high, t.fetched);
        EXPECT_GE(t.hit_rate(), 0);
        EXPECT_LE(t.hit_rate(), 1);
      }
    }
  }
}

} // namespace
} // namespace ridge::model
