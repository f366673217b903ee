// What chains write lies apart from their other arrays.
#include <ridge/chain/launch.hpp>

#include "refused.hpp"
#include "test_chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ridge::chain {
namespace {

using test::Transport;
using ::testing::StartsWith;

class ChainMemory : public ::testing::Test {
protected:
  static constexpr Index items = 9 * 5;
  std::string refused(double* amount, double* after) {
    Views<Transport, double> views;
    views.set(test::amount, View<double>(amount, {9, 5, 1}))
        .set(test::after, View<double>(after, {9, 5, 1}))
        .set(test::speed, View<double>(memory.data() + 3 * items, {1, 6, 1}));
    return ridge::test::refused([&] {
      (void)Pattern<Request<Transport, double>>(queue, {{}, {9, 5, 1}, views}, CpuSchedule{});
    });
  }
  Queue queue{Device("cpu")};
  std::vector<double> memory = std::vector<double>(4 * items);
};

TEST_F(ChainMemory, OfTheOutputIsNoInputs) {
  double* const m = memory.data();
  EXPECT_EQ(refused(m, m + items), "nothing was refused");
  EXPECT_THAT(refused(m, m),
              StartsWith("array 'after' of chain 'transport' overlaps array 'amount' of chain"));
  EXPECT_THAT(refused(m, m + items - 1), StartsWith("array 'after' of chain 'transport' overlaps"));
  EXPECT_THAT(refused(m, m + 2 * items + 1), // reaches into the profile
              StartsWith("array 'after' of chain 'transport' overlaps array 'speed'"));
}

TEST_F(ChainMemory, IsAligned) {
  double* const m = memory.data();
  EXPECT_THAT(refused(m, reinterpret_cast<double*>(reinterpret_cast<char*>(m + items) + 4)),
              StartsWith("array 'after' of chain 'transport' begins at an address"));
}

} // namespace
} // namespace ridge::chain
