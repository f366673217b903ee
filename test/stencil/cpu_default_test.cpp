// What the default schedule makes of a cpu's caches and a kernel's footprint.
#include <ridge/stencil/laplacian.hpp>

#include "stencil/cpu_default.hpp"

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

DeviceFacts machine(const char* name, std::int64_t l2) {
  DeviceFacts facts;
  facts.name = name;
  facts.units = 2;
  facts.l1 = {48 << 10};
  facts.l2 = {l2};
  facts.last_level_cache = {32 << 20};
  return facts;
}

const DeviceFacts amd = machine("AMD EPYC", 1 << 20);
const DeviceFacts intel = machine("Intel(R) Xeon(R)", 2 << 20);
constexpr Index3 large{512, 512, 512};

template <class K, class T>
CpuSchedule chosen(const DeviceFacts& facts, Index3 n) {
  return cpu_default(facts, traits_of<K, T>(), n);
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

TEST(CpuDefault, TakesSinglePlanesOfRowsThatAreNoWholeLines) {
  EXPECT_EQ((chosen<Box27, double>(amd, {511, 512, 512}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<2, 3>, double>(intel, {511, 512, 512}).depth), 1);
  EXPECT_EQ((chosen<Laplacian<2, 2>, double>(intel, {1 << 14, 1 << 13, 1}).depth), 1);
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
