// Constants that are measured, in place of those of a data sheet.
#include <ridge/core/error.hpp>
#include <ridge/model/measured.hpp>
#include <ridge/model/traffic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::model {
namespace {

constexpr Index mebi = Index{1} << 20;

/// A curve with its knee at `held`, halved beside plain stores; 0.1 us from the cache, 0.3 from
/// memory.
CacheRoof curve(DeviceKind kind, Index cache, Index held) {
  CacheRoof roof{{kind, 0}, "it", {cache}, {}, kind == DeviceKind::cpu ? 3e9 : 0.0, {}};
  for (Index bytes = cache / 32; bytes <= 4 * cache; bytes *= 2) {
    const auto rate = [&](Index all) { return all <= held ? 4e12 : 1e12; };
    const Seconds latency{bytes <= held ? 1e-7 : 3e-7};
    roof.points.push_back({{bytes}, rate(bytes), rate(2 * bytes), rate(bytes), latency});
  }
  return roof;
}

const Roof ceilings{{DeviceKind::cuda, 0},
                    "it",
                    {{"copy", 3.9e12, "B/s", ""},
                     {"fma_fp32", 6e13, "flop/s", ""},
                     {"fma_fp64", 3e13, "flop/s", ""},
                     {"launch", 2.5e-6, "s", ""}}};

TEST(Measured, TakesTheConstantsOfAGpu) {
  const Description base = shipped_description("h200");
  const Description d = measured(base, curve(DeviceKind::cuda, 60 * mebi, 30 * mebi), ceilings);
  EXPECT_NEAR(d.cache_latency_cycles, 1e-7 * base.clock_hz, 1e-6);
  EXPECT_NEAR(d.memory_latency_cycles, 3e-7 * base.clock_hz, 1e-6);
  EXPECT_EQ(d.cache_bytes_per_second, 4e12);
  EXPECT_EQ(d.copy_bytes_per_second, 3.9e12);
  EXPECT_EQ(d.launch_seconds, 2.5e-6);
  EXPECT_EQ(d.cache_bytes, base.cache_bytes);
  EXPECT_NEAR(d.cache_parts, 2, 1);
  EXPECT_NEAR(d.plain_store_room, 1, 0.01);
  EXPECT_EQ(d.nontemporal_store_room, 0);
  EXPECT_THAT(d.sources.at("copy_bytes_per_second"), testing::HasSubstr("ridge roof"));
  EXPECT_EQ(d.sources.at("cache_ways"), base.sources.at("cache_ways"));
}

TEST(Measured, AFileHoldsAllOfIt) {
  const Description gpu = measured(shipped_description("h200"),
                                   curve(DeviceKind::cuda, 60 * mebi, 30 * mebi), ceilings);
  Description cpu;
  cpu.name = "a cpu";
  cpu.architecture = "avx2";
  cpu.units = 8;
  cpu.cache_bytes = 32 * mebi;
  cpu.unit_cache_bytes = mebi;
  cpu.cache_ways = 16;
  cpu.sector_bytes = 64;
  cpu = measured(cpu, curve(DeviceKind::cpu, 32 * mebi, 8 * mebi), ceilings);
  EXPECT_LT(cpu.cache_bytes, 17 * mebi) << "others use the rest";
  EXPECT_NEAR(cpu.cache_latency_cycles, 300, 1e-6);
  for (const Description& d : {gpu, cpu}) {
    const Description read = parse_description(to_json(d), "the file");
    EXPECT_EQ(read.kind, d.kind);
    EXPECT_EQ(read.sources, d.sources);
    for (const auto* const list :
         {d.is_gpu() ? &constants() : &cpu_constants(), &optional_constants()}) {
      for (const Constant& c : *list)
        EXPECT_EQ(read.*c.member, d.*c.member) << c.name;
    }
  }
}

TEST(Measured, WhatCannotBeToldStaysAsItWas) {
  const Description base = shipped_description("h200");
  CacheRoof flat = curve(DeviceKind::cuda, 60 * mebi, 30 * mebi);
  for (ReusePoint& p : flat.points)
    p.read = p.beside_plain = p.beside_nontemporal = 2e12;
  const Description d = measured(base, flat, {});
  EXPECT_EQ(d.cache_parts, base.cache_parts);
  EXPECT_EQ(d.plain_store_room, base.plain_store_room);
  EXPECT_EQ(d.copy_bytes_per_second, base.copy_bytes_per_second);
}

TEST(StoreRoom, CostsWhatItTakesOfTheCache) {
  StencilAccess a;
  a.footprints = {{{0, 0, -1}, {0, 0, 0}, {0, 0, 1}}};
  a.radius = {0, 0, 1};
  a.extents = {512, 512, 256};
  a.work.items = 512 * 512 * 254;
  a.work.read = {512 * 512 * 256 * 8};
  a.work.written = {a.work.items * 8};
  const Description usual = shipped_description("mi250x-gcd");
  Description roomless = usual;
  roomless.plain_store_room = 0;
  Description greedy = usual;
  greedy.nontemporal_store_room = 1;
  const auto fetched = [&](const Description& d, bool keeps) {
    a.keeps_stores = keeps;
    return traffic_of(a, d).fetched;
  };
  EXPECT_GT(fetched(usual, true), 1.05 * fetched(roomless, true));
  EXPECT_GT(fetched(greedy, false), 1.05 * fetched(usual, false));
}

} // namespace
} // namespace ridge::model
