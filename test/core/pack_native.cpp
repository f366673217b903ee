// Compiled for the cpu: packs in vector registers.
#include "pack_checks.hpp"

namespace ridge {
namespace {

TEST(NativePack, ComputesLaneByLane) {
  check_pack<NativePack<double>>();
  check_pack<NativePack<float>>();
  check_pack<Pack<double, 1>>();
  check_pack<Pack<float, 1>>();
  check_pack<Pack<double, 8>>(); // of 64 bytes, whatever a register has
  check_pack<Pack<float, 16>>();
}

TEST(NativePack, FillsARegister) {
  EXPECT_EQ(sizeof(NativePack<float>), static_cast<std::size_t>(simd_bytes));
  EXPECT_EQ(lanes_of<NativePack<double>> * 2, lanes_of<NativePack<float>>);
}

/// A function of its own, for the test that looks at the machine code.
template <class P>
[[gnu::noinline]] void stream_pack(const P& p, Element<P>* to) {
  p.stream(to);
}

template <class P>
void check_stream() {
  constexpr int n = lanes_of<P>;
  P p(0);
  for (int i = 0; i < n; ++i)
    p.set(i, static_cast<Element<P>>(i + 1));
  alignas(64) Element<P> out[3 * n] = {};
  stream_pack(p, out + n);
  for (int i = 0; i < 3 * n; ++i)
    EXPECT_EQ(out[i], i >= n && i < 2 * n ? p[i - n] : 0) << n << ' ' << i;
}

TEST(NativePack, StreamsWhatItHolds) {
  check_stream<NativePack<double>>();
  check_stream<NativePack<float>>();
  check_stream<Pack<double, 8>>();
  check_stream<Pack<float, 16>>();
  check_stream<Pack<double, 4>>();
  check_stream<Pack<float, 4>>();
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
