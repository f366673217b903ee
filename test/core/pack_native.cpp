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

template <class P>
void check_parts() {
  constexpr int n = lanes_of<P>;
  P p(0);
  for (int i = 0; i < n; ++i)
    p.set(i, static_cast<Element<P>>(i + 1));
  for (int begin = 0; begin <= n; ++begin) {
    for (int end = begin; end <= n; ++end) {
      Element<P> out[n + 1] = {};
      p.store_part(out + 1, begin, end); // not aligned
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(out[i + 1], i >= begin && i < end ? p[i] : 0) << begin << ' ' << end << ' ' << i;
    }
  }
}

TEST(NativePack, StoresAPartOfItself) {
  check_parts<NativePack<double>>();
  check_parts<NativePack<float>>();
  check_parts<Pack<double, 4>>();
  check_parts<Pack<float, 8>>();
  check_parts<Pack<double, 2>>();
  check_parts<Pack<double, 1>>();
  check_parts<Pack<double, 8>>();
  check_parts<Pack<float, 16>>();
}

#if !defined(NDEBUG)
TEST(NativePack, RefusesPartsThatEndBeforeTheyBegin) {
  const NativePack<float> p(1);
  float out[2 * lanes_of<NativePack<float>>];
  EXPECT_DEATH(p.store_part(out, 2, 1), "begin <= end");
  EXPECT_DEATH(p.store_part(out, -1, 1), "begin");
  EXPECT_DEATH(p.store_part(out, 0, lanes_of<NativePack<float>> + 1), "end");
}
#endif

} // namespace
} // namespace ridge
