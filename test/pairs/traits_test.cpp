#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/traits.hpp>

#include <gtest/gtest.h>

namespace ridge::pairs {
namespace {

TEST(PairsTraits, CountsInteractionsAndLeastTraffic) {
  const Traits traits = traits_of<Gravity<>, Fp32>();
  EXPECT_EQ(traits.targets, 3);
  EXPECT_EQ(traits.sources, 4);
  EXPECT_TRUE(traits.mutual);
  const Work same = work_of(traits, {100, 100, true});
  EXPECT_EQ(same.items, 100 * 99);
  EXPECT_EQ(same.read.value, 100 * 4 * 4);
  EXPECT_EQ(same.written.value, 100 * 4 * 4);
  EXPECT_DOUBLE_EQ(same.flops, 23.0 * 100 * 99);
  const Work other = work_of(traits_of<Gravity<>, Mixed>(), {10, 100, false});
  EXPECT_EQ(other.items, 1000);
  EXPECT_EQ(other.read.value, (10 * 3 + 100 * 4) * 8);
  EXPECT_EQ(other.written.value, 10 * 4 * 8);
}

TEST(PairsTraits, TheIssueLimitIsTheSlotsOrTheRoots) {
  const Traits traits = traits_of<Gravity<>, Fp32>();
  // 13 operations and a root in the slots of FMAs of two flops each.
  EXPECT_DOUBLE_EQ(issue_limit(traits, 0, 28e12, 4e12), 1e12);
  EXPECT_DOUBLE_EQ(issue_limit(traits, 0, 280e12, 4e12), 4e12);
  EXPECT_DOUBLE_EQ(issue_limit(traits, 4, 36e12, 0), 1e12);
  EXPECT_EQ(issue_limit(traits, 0, 0, 4e12), 0);
  EXPECT_EQ(issue_limit(Traits{}, 0, 28e12, 4e12), 0);
}

} // namespace
} // namespace ridge::pairs
