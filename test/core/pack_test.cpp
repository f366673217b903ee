#include "pack_checks.hpp"

namespace ridge {
namespace {

TEST(ArrayPack, ComputesLaneByLane) {
  check_pack<Pack<double, 1>>();
  check_pack<Pack<double, 2>>();
  check_pack<Pack<float, 4>>();
  check_pack<Pack<float, 16>>();
}

TEST(ArrayPack, IsAlignedToItsSize) {
  EXPECT_EQ(alignof(Pack<double, 2>), 16u);
  EXPECT_EQ(sizeof(Pack<float, 4>), 16u);
}

} // namespace
} // namespace ridge
