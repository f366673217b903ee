// Sums of pairs lie apart from what they are sums of.
#include <ridge/pairs/launch.hpp>

#include "refused.hpp"
#include "test_interactions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ridge::pairs {
namespace {

using ::testing::StartsWith;

class PairsMemory : public ::testing::Test {
protected:
  // Of 2 components of targets, 3 of sources, 3 sums.
  using Mixed = Call<test::Mixture, Fp64>;
  static constexpr Index bodies = 5;

  PairsMemory() {
    for (int c = 0; c < 2; ++c)
      call.targets[c] = row(c);
    for (int c = 0; c < 3; ++c) {
      call.sources[c] = row(2 + c);
      call.sums[c] = row(5 + c);
    }
  }
  Span<double> row(int i) { return {memory.data() + i * bodies, bodies}; }
  std::string refused() {
    return ridge::test::refused([&] { (void)Pattern<Mixed>(queue, call, CpuSchedule{}); });
  }
  Queue queue{Device("cpu")};
  std::vector<double> memory = std::vector<double>(9 * bodies);
  Mixed call{};
};

TEST_F(PairsMemory, OfRowsOfOneArrayIsRight) {
  EXPECT_EQ(refused(), "nothing was refused");
  call.sources[0] = call.targets[1]; // both are only read
  EXPECT_EQ(refused(), "nothing was refused");
}

TEST_F(PairsMemory, OfSumsIsNobodyElses) {
  call.sums[1] = row(1);
  EXPECT_THAT(refused(), StartsWith("sum 1 overlaps component 1 of the targets"));
  call.sums[1] = {row(4).data + 1, bodies}; // reaches into the sum before, too
  EXPECT_THAT(refused(), StartsWith("sum 1 overlaps component 2 of the sources"));
  call.sums[1] = row(7);
  EXPECT_THAT(refused(), StartsWith("sum 2 overlaps sum 1"));
}

TEST_F(PairsMemory, IsAligned) {
  call.sources[2] = {reinterpret_cast<double*>(reinterpret_cast<char*>(row(4).data) + 4), bodies};
  EXPECT_THAT(refused(), StartsWith("component 2 of the sources begins at an address"));
}

} // namespace
} // namespace ridge::pairs
