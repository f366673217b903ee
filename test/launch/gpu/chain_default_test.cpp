// What is chosen of a chain of one's own on a GPU with a last-level cache of 1 MiB and four
// multiprocessors.
#include <ridge/chain/schedule.hpp>

#include "chain/test_chains.hpp"

#include <gtest/gtest.h>

namespace ridge::chain {
namespace {

template <class C>
std::string chosen(Index3 n) {
  return to_text(default_schedule(Device("cuda:0"), describe<C, double>(), n));
}

TEST(ChainDefault, FusesTwoOperationsThatMarchForFewItemsAndBeyondTheCache) {
  EXPECT_TRUE(chosen<test::Transport>({64, 32, 1}).starts_with("fuse=all"));
  EXPECT_TRUE(chosen<test::Transport>({256, 255, 1}).starts_with("fuse=none")); // 16 bytes an item
  EXPECT_TRUE(chosen<test::Transport>({256, 257, 1}).starts_with("fuse=all"));
}

TEST(ChainDefault, TakesALaunchAnOperationWhereOtherChainsListNoGroups) {
  EXPECT_TRUE(chosen<test::Means>({512, 512, 1}).starts_with("fuse=none"));
}

} // namespace
} // namespace ridge::chain
