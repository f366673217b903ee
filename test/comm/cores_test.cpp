// The cores of a machine among its ranks. `mpirun -n N test_comm` tests N.
#include <ridge/comm/communicator.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace ridge::comm {

namespace {

cpu_set_t cores_of_a_thread() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  std::thread([&mine] { // the first may be bound to one of them
    (void)sched_getaffinity(0, sizeof(mine), &mine);
  })
      .join();
  return mine;
}

TEST(Cores, RanksOfAMachineShareNone) {
  Communicator& ranks = world();
  const auto all = ranks.gather(cores_of_a_thread());
  cpu_set_t any;
  CPU_ZERO(&any);
  for (const cpu_set_t& one : all)
    CPU_OR(&any, &any, &one);
  if (CPU_COUNT(&any) < ranks.ranks())
    GTEST_SKIP() << "fewer cores than ranks: " << CPU_COUNT(&any) << " for " << ranks.ranks();
  for (int a = 0; a < ranks.ranks(); ++a) {
    EXPECT_GT(CPU_COUNT(&all[static_cast<std::size_t>(a)]), 0);
    for (int b = 0; b < a; ++b) {
      cpu_set_t both;
      CPU_AND(&both, &all[static_cast<std::size_t>(a)], &all[static_cast<std::size_t>(b)]);
      EXPECT_EQ(CPU_COUNT(&both), 0) << "ranks " << b << " and " << a;
    }
  }
}

} // namespace

} // namespace ridge::comm
