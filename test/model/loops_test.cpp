// Layer conditions of blocked loops on a cpu, and times on a GPU.
#include <ridge/model/blocked_loops.hpp>
#include <ridge/model/time.hpp>

#include <gtest/gtest.h>

namespace ridge::model {
namespace {

Description cpu() {
  Description d;
  d.kind = DeviceKind::cpu;
  d.units = 2;
  d.unit_cache_bytes = 1 << 20;
  d.cache_bytes = 32 << 20;
  d.cache_ways = 16;
  d.sector_bytes = 64;
  return d;
}

BlockedLoops loops(Index3 n) {
  BlockedLoops l;
  l.footprints = {{{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  l.radius = {1, 1, 1};
  l.extents = n;
  l.work.items = (n.x - 2) * (n.y - 2) * (n.z - 2);
  l.work.read = {n.x * n.y * n.z * 8};
  l.work.written = {l.work.items * 8};
  l.threads = 2;
  return l;
}

double excess(const BlockedLoops& l, const Description& d = cpu()) {
  return traffic_of(l, d).fetched / static_cast<double>(l.work.read.value);
}

TEST(Loops, PlainStoresReadTheirLines) {
  BlockedLoops l = loops({512, 512, 512});
  const Traffic plain = traffic_of(l, cpu());
  EXPECT_NEAR(excess(l), 2, 0.02);
  EXPECT_EQ(plain.failing, Failing::line_fills);
  l.keeps_stores = false;
  EXPECT_NEAR(excess(l), 1 + 128.0 / 4096, 0.01) << "lines at both ends of rows";
}

TEST(Loops, BlocksOfRowsHoldPlanesThatDoNotFit) {
  BlockedLoops l = loops({2048, 2048, 128});
  l.keeps_stores = false;
  EXPECT_GT(excess(l), 2.5) << "three planes of half a field of 33 MB each";
  EXPECT_EQ(traffic_of(l, cpu()).failing, Failing::planes);
  l.rows = 8; // 3 planes x 10 rows x 16 KiB: half of the L2
  EXPECT_LT(excess(l), 1.3);
}

TEST(Loops, NarrowBlocksReadTheirEdgesTwice) {
  BlockedLoops l = loops({512, 4096, 512});
  l.keeps_stores = false;
  l.rows = 16;
  const double narrow = excess(l);
  EXPECT_NEAR(narrow, 1 + 128.0 / 4096 + 2.0 / 32, 0.02) << "of each second edge";
  l.rows = 128;
  EXPECT_LT(excess(l), narrow);
}

TEST(Loops, BlocksOfPlanesReadTheirEdgesTwice) {
  BlockedLoops l = loops({512, 2048, 512});
  l.keeps_stores = false;
  l.rows = 32;
  l.planes = 16; // of which rows at the edges of blocks stay in the cache
  EXPECT_NEAR(excess(l), 1 + 128.0 / 4096 + 62.0 / 512, 0.01);
}

TEST(Loops, WithoutAnInteriorNothingMoves) {
  BlockedLoops l = loops({2, 512, 512});
  l.work = {};
  EXPECT_EQ(traffic_of(l, cpu()).fetched, 0);
  EXPECT_EQ(traffic_of(l, cpu()).cause, "none");
}

StencilAccess points(Index3 n) {
  const BlockedLoops l = loops(n);
  StencilAccess a;
  a.footprints = l.footprints;
  a.radius = l.radius;
  a.extents = n;
  a.work = l.work;
  a.work.flops = 10.0 * static_cast<double>(a.work.items);
  return a;
}

Time time(const StencilAccess& a, const Description& d) {
  return time_of(a, d, traffic_of(a, d));
}

TEST(Time, IsThatOfTheMemoryForLargeFields) {
  Description d = shipped_description("h200");
  StencilAccess a = points({512, 512, 512});
  a.block = {256, 8, 1};
  a.tile = 8;
  EXPECT_EQ(time(a, d).roof, "cache"); // which all neighbours come through
  d.cache_bytes_per_second *= 4;
  const Time t = time(a, d);
  EXPECT_EQ(t.roof, "memory");
  EXPECT_NEAR(t.seconds.value, 2.135e9 / 4.26e12, 2e-5);
}

TEST(Time, IsThatOfTheLaunchForSmallOnes) {
  const Description h200 = shipped_description("h200");
  EXPECT_EQ(time(points({16, 16, 16}), h200).roof, "launch");
  StencilAccess split = points({16, 64, 16});
  split.split = 8;
  EXPECT_NEAR(time(split, h200).seconds.value, 8 * h200.launch_seconds, 1e-9);
}

TEST(Time, NamesTheOtherCeilings) {
  Description d = shipped_description("h200");
  StencilAccess a = points({512, 512, 512});
  d.fp64_flops = 1e9;
  EXPECT_EQ(time(a, d).roof, "flops");
  d = shipped_description("h200");
  d.issues_per_cycle = 0.25;
  d.clock_hz = 1e8;
  EXPECT_EQ(time(a, d).roof, "issue");
  d = shipped_description("h200");
  d.cache_bytes_per_second = 1e12;
  EXPECT_EQ(time(a, d).roof, "cache");
  d = shipped_description("h200");
  a.shared_bytes = 200000; // one block a unit
  d.memory_latency_cycles = 2000;
  EXPECT_EQ(time(a, d).roof, "latency");
}

} // namespace
} // namespace ridge::model
