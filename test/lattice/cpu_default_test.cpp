// What the default schedule of a lattice makes of a cpu.
#include "lattice/cpu_default.hpp"

#include <gtest/gtest.h>

namespace ridge::lattice {
namespace {

DeviceFacts machine(const char* name) {
  DeviceFacts facts;
  facts.name = name;
  facts.last_level_cache = {100 << 20};
  return facts;
}

const DeviceFacts amd = machine("AMD EPYC");
const DeviceFacts intel = machine("Intel(R) Xeon(R)");
const SiteShape doubles = shape_of<Complex<double>>();
const SiteShape floats = shape_of<Complex<float>>();

CpuSchedule chosen(const DeviceFacts& facts, Task task, const SiteShape& shape, Index t) {
  const Lattice lattice({64, 64, 64, t});
  return cpu_default(facts, task, shape, lattice.geometry(shape.number_bytes()));
}

TEST(LatticeCpuDefault, ReadsFieldsBeyondTheCacheFromSeveralPagesWhereACoreStalls) {
  EXPECT_EQ(chosen(intel, Task::reduce_number, doubles, 64).streams, 8);
  EXPECT_EQ(chosen(intel, Task::map, doubles, 64).streams, 8);
  EXPECT_EQ(chosen(intel, Task::map, doubles, 4).streams, 1); // 16 MiB
  EXPECT_EQ(chosen(intel, Task::expression, doubles, 64).streams, 1);
  for (const Task::Kind kind : {Task::map, Task::reduce_number, Task::expression})
    EXPECT_EQ(chosen(amd, kind, doubles, 64).streams, 1);
}

TEST(LatticeCpuDefault, PrefetchesReductionsEverywhereAndTheRestWhereACoreStalls) {
  EXPECT_EQ(chosen(amd, Task::reduce_number, doubles, 64).ahead, 3072);
  EXPECT_EQ(chosen(amd, Task::reduce_tensor, floats, 64).ahead, 6144);
  EXPECT_EQ(chosen(amd, Task::map, doubles, 64).ahead, 0);
  EXPECT_EQ(chosen(amd, Task::expression, doubles, 64).ahead, 0);
  for (const Task::Kind kind : {Task::map, Task::reduce_number, Task::expression})
    EXPECT_EQ(chosen(intel, kind, floats, 64).ahead, 6144);
}

} // namespace
} // namespace ridge::lattice
