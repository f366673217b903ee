// What every representation of a pack must do; used by pack_test.cpp (array) and pack_native.cpp.
#pragma once

#include <ridge/core/pack.hpp>

#include <gtest/gtest.h>

namespace ridge {

template <class P>
void check_pack() {
  using T = Element<P>;
  constexpr int n = lanes_of<P>;
  T a[n];
  T b[n];
  T out[n + 2];
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<T>(i + 1);
    b[i] = static_cast<T>(2 * n - 3 * i) + T(0.5);
  }
  const P pa = P::load(a);
  const P pb = P::load(b);
  const P sums[] = {pa + pb, pa - pb, pa * pb, pa / pb, -pa, 2 * pa + 1.5, pb - 3};
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(sums[0][i], a[i] + b[i]);
    EXPECT_EQ(sums[1][i], a[i] - b[i]);
    EXPECT_EQ(sums[2][i], a[i] * b[i]);
    EXPECT_EQ(sums[3][i], a[i] / b[i]);
    EXPECT_EQ(sums[4][i], -a[i]);
    EXPECT_EQ(sums[5][i], 2 * a[i] + T(1.5));
    EXPECT_EQ(sums[6][i], b[i] - 3);
    EXPECT_EQ((pa < pb)[i], a[i] < b[i]);
    EXPECT_EQ((pa >= pb)[i], a[i] >= b[i]);
    EXPECT_EQ(select(pa < pb, pa, pb)[i], a[i] < b[i] ? a[i] : b[i]);
  }
  P c = pa;
  c += pb;
  c *= P(2);
  c -= pa;
  c /= pb;
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(c[i], ((a[i] + b[i]) * 2 - a[i]) / b[i]);

  // An address that is not aligned, and neighbours that must not be written.
  out[0] = out[n + 1] = T(-7);
  pa.store(out + 1);
  EXPECT_EQ(out[0], T(-7));
  EXPECT_EQ(out[n + 1], T(-7));
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(out[i + 1], a[i]);
}

} // namespace ridge
