// Compiled for the cpu: packs in vector registers.
#include "pack_checks.hpp"

namespace ridge {
namespace {

TEST(NativePack, ComputesLaneByLane) {
  check_pack<NativePack<double>>();
  check_pack<NativePack<float>>();
  check_pack<Pack<double, 1>>();
  check_pack<Pack<float, 1>>();
}

TEST(NativePack, FillsARegister) {
  EXPECT_EQ(sizeof(NativePack<float>), static_cast<std::size_t>(simd_bytes));
  EXPECT_EQ(lanes_of<NativePack<double>> * 2, lanes_of<NativePack<float>>);
}

TEST(NativePack, StreamsWhatItHolds) {
  alignas(64) float out[simd_bytes / 4];
  NativePack<float> p(3.25f);
  p.set(1, -1.5f);
  p.stream(out);
  for (int i = 0; i < simd_bytes / 4; ++i)
    EXPECT_EQ(out[i], i == 1 ? -1.5f : 3.25f);
}

} // namespace
} // namespace ridge
