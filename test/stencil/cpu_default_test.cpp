// What the default schedule makes of a cpu's caches and a kernel's footprint.
#include <ridge/stencil/laplacian.hpp>

#include "stencil/cpu_default.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace ridge::stencil {
namespace {

DeviceFacts machine(const char* name, std::int64_t l2, std::int64_t l1 = 48 << 10,
                    int simd_bytes = 64) {
  DeviceFacts facts;
  facts.name = name;
  facts.units = 2;
  facts.simd_bytes = simd_bytes;
  facts.l1 = {l1};
  facts.l2 = {l2};
  facts.last_level_cache = {32 << 20};
  return facts;
}

struct Waves {
  static constexpr auto footprints = std::make_tuple(star<1, 3>(), point());
  static constexpr int levels = 2;
  static constexpr double flops = 8;
  template <class U, class B>
  RIDGE_FN auto operator()(const U& u, const B& before) const {
    return u(0, 0, 0) + u(1, 0, 0) - before(0, 0, 0);
  }
};

const DeviceFacts amd = machine("AMD EPYC", 1 << 20);
const DeviceFacts intel = machine("Intel(R) Xeon(R)", 2 << 20);
const DeviceFacts zen4 = machine("AMD EPYC", 1 << 20, 32 << 10);
const DeviceFacts zen3 = machine("AMD EPYC", 512 << 10, 32 << 10, 32);
constexpr Index3 large{512, 512, 512};

template <class K, class T>
CpuSchedule chosen(const DeviceFacts& facts, Index3 n) {
  return cpu_default(facts, traits_of<K, T>(), n, Strides::packed(n));
}

/// Of fields whose rows and planes share few sets of the L1.
template <class K, class T>
CpuSchedule chosen_apart(const DeviceFacts& facts, Index3 n) {
  return cpu_default(facts, traits_of<K, T>(), n, {n.x + 24, (n.x + 24) * n.y + 8});
}

TEST(CpuDefault, ComputesFewPointsPlaneByPlaneUnlessTheCoreWaitsForItsL2) {
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(amd, large).depth), 1);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, large).depth), CpuSchedule::pair);
  EXPECT_EQ((chosen<Laplacian<4, 3>, float>(intel, large).depth), CpuSchedule::pair);
}

TEST(CpuDefault, ComputesManyPointsInPairs) {
  for (const DeviceFacts& facts : {amd, intel})
    EXPECT_EQ((chosen<Laplacian<8, 3>, float>(facts, large).depth), CpuSchedule::pair);
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(intel, large).depth), CpuSchedule::pair);
}

TEST(CpuDefault, TakesWindowsWhereAPairReadsManyRowsFromBeyondTheL1) {
  for (const DeviceFacts& facts : {amd, intel})
    EXPECT_EQ((chosen<Box27, double>(facts, large).depth), CpuSchedule::deep);
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(amd, large).depth), CpuSchedule::deep);
  EXPECT_EQ((chosen<Laplacian<6, 3>, double>(amd, large).depth), CpuSchedule::deep);
}

TEST(CpuDefault, CountsOnNoMoreOfAWholeSocketsCacheThanItsCoresHave) {
  DeviceFacts part = intel; // of a socket whose whole cache the virtual machine is told of
  part.units = 16;
  part.last_level_cache = {300 << 20};
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(part, {256, 256, 256}).store), Store::nontemporal);
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(part, {128, 128, 128}).store), Store::plain);
  EXPECT_EQ(cache_of_cores(part).value, 192 << 20);
  EXPECT_EQ(cache_of_cores(amd).value, 24 << 20);
}

TEST(CpuDefault, ComputesMoreThanSevenPointsInPairsInTheCacheOfCoresThatWaitForTheirL2) {
  const Index3 small{64, 64, 64};
  for (const auto& [facts, depth] : {std::pair{intel, CpuSchedule::pair}, {amd, 1}}) {
    const CpuSchedule s = chosen<Laplacian<4, 3>, double>(facts, small);
    EXPECT_EQ(s.depth, depth);
    EXPECT_EQ(s.store, Store::plain);
    EXPECT_EQ((chosen<Laplacian<2, 3>, double>(facts, small).depth), 1);
  }
  EXPECT_EQ((chosen<Laplacian<4, 3>, double>(intel, {63, 64, 64}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<4, 3>, double>(intel, {64, 64, 5}).depth), 1);
}

TEST(CpuDefault, TakesSeveralSweepsInAPassWhereManyThreadsShareTheMemory) {
  const Traits seven = traits_of<Laplacian<2, 3>, double>();
  const Index3 n{256, 256, 256};
  EXPECT_TRUE(passes_pay(seven, n, 16));
  EXPECT_FALSE(passes_pay(seven, n, 8));
  EXPECT_FALSE(passes_pay(seven, {255, 256, 256}, 16));
  EXPECT_FALSE(passes_pay(traits_of<Laplacian<2, 3>, float>(), n, 16));
  EXPECT_FALSE(passes_pay(traits_of<Laplacian<4, 3>, double>(), n, 16));
}

TEST(CpuDefault, TakesEightSweepsOfWavesInAPassWhereTheirRingsFitTheCache) {
  DeviceFacts two = amd;
  two.units = 2;
  two.last_level_cache = Bytes{32 << 20};
  const Traits waves = traits_of<Waves, float>();
  const auto chosen = pass_of_waves(two, waves, {384, 384, 384}, 2);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->sweeps, 8);
  EXPECT_EQ(chosen->rows, 128);
  EXPECT_EQ(pass_of_waves(two, waves, {1024, 192, 128}, 2)->rows, 95);
  EXPECT_FALSE(pass_of_waves(two, waves, {255, 256, 256}, 2));
  EXPECT_FALSE(pass_of_waves(two, waves, {64, 1024, 1024}, 2));
  EXPECT_FALSE(pass_of_waves(two, waves, {2048, 1024, 64}, 2)); // rings of 50 MB
  EXPECT_FALSE(pass_of_waves(two, waves, {384, 384, 384}, 16));
  EXPECT_FALSE((pass_of_waves(two, traits_of<Waves, double>(), {384, 384, 384}, 2)));
  EXPECT_FALSE((pass_of_waves(two, traits_of<Laplacian<2, 3>, float>(), {384, 384, 384}, 2)));
  DeviceFacts other = two;
  other.name = intel.name;
  EXPECT_FALSE(pass_of_waves(other, waves, {384, 384, 384}, 2));
  other = two;
  other.l1 = Bytes{32 << 10};
  EXPECT_FALSE(pass_of_waves(other, waves, {384, 384, 384}, 2));
}

TEST(CpuDefault, TakesSinglePlanesOfRowsThatAreNoWholeLines) {
  EXPECT_EQ((chosen<Box27, double>(amd, {511, 512, 512}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, {511, 512, 512}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<2, 2>, double>(intel, {1 << 14, 1 << 13, 1}).depth), 1);
}

TEST(CpuDefault, TakesWindowsWhereRowsPushEachOtherOutOfTheL1) {
  for (const DeviceFacts& facts : {zen3, zen4}) {
    for (const Index3 n : {large, Index3{511, 511, 301}, Index3{510, 510, 510}}) {
      EXPECT_EQ((chosen<Laplacian<8, 3>, double>(facts, n).depth), CpuSchedule::deep) << n.x;
      EXPECT_EQ((chosen<Box27, double>(facts, n).depth), CpuSchedule::deep) << n.x;
    }
    EXPECT_EQ((chosen<Laplacian<8, 3>, double>(facts, {511, 511, 301}).store), Store::plain);
    EXPECT_EQ((chosen<Laplacian<8, 3>, double>(facts, large).store), Store::nontemporal);
    // Rows of 299 and 500 numbers do not.
    EXPECT_EQ((chosen<Laplacian<8, 3>, double>(facts, {299, 400, 400}).depth), 1);
    EXPECT_EQ((chosen<Laplacian<8, 3>, double>(facts, {500, 500, 500}).depth), 1);
  }
  // Those of one plane do, those of others lie elsewhere.
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(zen4, {511, 600, 500}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<6, 3>, double>(zen3, large).depth), 1);
  EXPECT_EQ((chosen<Laplacian<6, 3>, double>(zen4, large).depth), CpuSchedule::deep);
}

TEST(CpuDefault, ComputesPairsFromSmallL1sWhereALineIsAVector) {
  for (const Index3 n : {large, Index3{504, 500, 300}}) {
    EXPECT_EQ((chosen_apart<Laplacian<2, 3>, double>(zen4, n).depth), CpuSchedule::pair);
    EXPECT_EQ((chosen_apart<Laplacian<8, 3>, double>(zen4, n).depth), CpuSchedule::pair);
    EXPECT_EQ((chosen_apart<Box27, double>(zen4, n).depth), CpuSchedule::deep);
    EXPECT_EQ((chosen_apart<Laplacian<2, 3>, double>(zen3, n).depth), 1);
    EXPECT_EQ((chosen_apart<Laplacian<8, 3>, double>(zen3, n).depth), 1);
    EXPECT_EQ((chosen_apart<Box27, double>(zen3, n).depth), 1);
  }
}

TEST(CpuDefault, AsksForLongRowsByStreamsOnCoresThatLeaveTheMemoryIdle) {
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, large).streams), 4);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, large).ahead), 4);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, {511, 512, 512}).streams), 4);
  EXPECT_EQ((chosen<Laplacian<2, 3>, float>(intel, large).streams), 1);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(amd, large).streams), 1);
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(intel, large).streams), 1);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, {64, 64, 64}).streams), 1); // in the cache
}

TEST(CpuDefault, KeepsThePlanesOfAPairInAMebibyteOfTheL2) {
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(intel, large).rows), 256 / 10 - 8);
  EXPECT_EQ((chosen<Laplacian<4, 3>, double>(intel, large).rows), 256 / 6 - 4);
  EXPECT_EQ((chosen<Laplacian<2, 3>, float>(intel, large).rows), 64);
  EXPECT_EQ((chosen<Laplacian<8, 3>, double>(intel, {8192, 512, 64}).rows), 16);
}

TEST(CpuDefault, LeavesDataOfTheCacheInIt) {
  const CpuSchedule s = chosen<Laplacian<2, 3>, double>(intel, {64, 64, 64});
  EXPECT_EQ(s.store, Store::plain);
  EXPECT_EQ(s.ahead, 0);
  EXPECT_EQ(s.depth, 1);
}

} // namespace
} // namespace ridge::stencil
