// What a reuse curve comes to, of curves whose cache is known.
#include <ridge/core/error.hpp>
#include <ridge/record/cache_roof.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ridge {
namespace {

constexpr double mebi = 1 << 20;

/// Reads of a cache that holds `held`, `stored` lines of which go to each line that is read beside
/// stores: as fast as 100 GB/s from it and 20 GB/s from memory.
struct Imagined {
  double held = 32 * mebi;
  double plain = 1;
  double nontemporal = 0;
  double memory_rate = 20e9;

  [[nodiscard]] double gone(double bytes) const {
    return 1 / (1 + std::pow(held / bytes, 12)); // steep, half at `held`
  }
  [[nodiscard]] double rate(double bytes) const {
    const double lost = gone(bytes);
    return 1 / ((1 - lost) / 100e9 + lost / memory_rate);
  }
  [[nodiscard]] CacheRoof roof() const {
    CacheRoof roof{{DeviceKind::cpu, 0}, "a cpu", {32 << 20}, {2 << 20}, 3e9, {}};
    for (double bytes = mebi / 4; bytes <= 128 * mebi; bytes *= std::sqrt(2.0)) {
      ReusePoint p;
      p.bytes = {static_cast<Index>(bytes)};
      p.read = rate(bytes);
      p.beside_plain = rate(bytes * (1 + plain));
      p.beside_nontemporal = rate(bytes * (1 + nontemporal));
      p.latency = {bytes <= 2 * mebi ? 4e-9 : 14e-9 + gone(bytes) * 86e-9};
      roof.points.push_back(p);
    }
    return roof;
  }
};

TEST(CacheRoof, FindsWhereTheCacheEnds) {
  for (const double held : {8 * mebi, 20 * mebi, 32 * mebi}) {
    const CacheRoof roof = Imagined{held}.roof();
    ASSERT_TRUE(roof.held().has_value());
    EXPECT_NEAR(static_cast<double>(roof.held()->value) / held, 1, 0.1) << held;
  }
}

TEST(CacheRoof, FindsTheRoomOfStores) {
  for (const double plain : {0.0, 0.5, 1.0}) {
    const CacheRoof roof = Imagined{24 * mebi, plain, 0}.roof();
    EXPECT_NEAR(roof.plain_room().value(), plain, 0.15) << plain;
    EXPECT_NEAR(roof.nontemporal_room().value(), 0, 0.05);
  }
  EXPECT_NEAR((Imagined{24 * mebi, 1, 1}.roof().nontemporal_room().value()), 1, 0.15);
}

TEST(CacheRoof, SaysNothingWhereMemoryIsAsFast) {
  Imagined same;
  same.memory_rate = 95e9;
  const CacheRoof roof = same.roof();
  EXPECT_FALSE(roof.held().has_value());
  EXPECT_FALSE(roof.plain_room().has_value());
  EXPECT_NEAR(roof.memory_latency().value, 100e-9, 1e-9);
}

TEST(CacheRoof, LatencyAndRateAreOfTheLastCacheNotOfThoseBefore) {
  const CacheRoof roof = Imagined{}.roof();
  EXPECT_NEAR(roof.cache_latency().value, 14e-9, 0.1e-9);
  EXPECT_NEAR(roof.cache_rate(), 100e9, 1e9);
}

TEST(CacheRoof, IsWrittenAsJson) {
  const CacheRoof roof = Imagined{}.roof();
  const auto json = nlohmann::json::parse(to_json(roof));
  EXPECT_EQ(json["points"].size(), roof.points.size());
  EXPECT_EQ(json["cache_bytes"], 32 << 20);
  EXPECT_NEAR(json["held_bytes"].get<double>(), 32 * mebi, 3 * mebi);
  EXPECT_NEAR(json["plain_store_room"].get<double>(), 1, 0.15);
  Imagined same;
  same.memory_rate = 95e9;
  EXPECT_TRUE(nlohmann::json::parse(to_json(same.roof()))["held_bytes"].is_null());
}

TEST(CacheRoof, AnEmulatedGpuHasNone) {
  EXPECT_THROW((void)measure_cache(Device("simt:32")), UsageError);
}

} // namespace
} // namespace ridge
