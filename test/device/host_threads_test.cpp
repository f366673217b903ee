// Threads of the emulated GPU where the process has got fewer cores since it started.
#include <ridge/device/device.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

namespace ridge {
namespace {

/// Runs in a process of its own, in which nobody has asked for cores yet.
[[noreturn]] void count_on_one_core() {
  unsetenv("OMP_NUM_THREADS");
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof(all), &all) != 0) std::exit(100);
  int first = 0;
  while (!CPU_ISSET(static_cast<unsigned>(first), &all))
    ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(first), &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) std::exit(100);
  std::exit(Device("simt:32").facts().units);
}

TEST(HostThreadsDeathTest, AreThoseOfTheCoresThatARankGot) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(count_on_one_core(), ::testing::ExitedWithCode(1), "");
}

} // namespace
} // namespace ridge
