// Whether a line is still in a cache when it is used again.
#include <ridge/model/reuse.hpp>

#include <gtest/gtest.h>

namespace ridge::model {
namespace {

TEST(Reuse, NothingIsGoneFromAnEmptyCacheAndAllFromOneMuchTooSmall) {
  EXPECT_EQ(gone(0, 16), 0);
  EXPECT_LT(gone(0.2, 16), 1e-6);
  EXPECT_GT(gone(3, 16), 0.999);
  EXPECT_EQ(gone(1e9, 16), 1);
}

TEST(Reuse, IsThePoissonTail) {
  // P(N >= 16) for a mean of 16 and of 15, from tables of the incomplete gamma function.
  EXPECT_NEAR(gone(1, 16, Hash::random), 0.5333, 1e-4);
  EXPECT_NEAR(gone(1, 16, Hash::even), 0.4319, 1e-4);
  EXPECT_NEAR(gone(1, 16), (0.5333 + 0.4319) / 2, 1e-4);
}

TEST(Reuse, GrowsWithWhatPasses) {
  for (const Hash hash : {Hash::random, Hash::even, Hash::between}) {
    double before = 0;
    for (double fraction = 0; fraction < 4; fraction += 0.01) {
      const double now = gone(fraction, 16, hash);
      EXPECT_GE(now, before - 1e-12);
      EXPECT_LE(now, 1);
      before = now;
    }
  }
}

TEST(Reuse, IsSharperWithMoreWays) {
  EXPECT_LT(gone(0.5, 32), gone(0.5, 16));
  EXPECT_LT(gone(0.5, 16), gone(0.5, 4));
  EXPECT_GT(gone(1.5, 32), gone(1.5, 4));
}

} // namespace
} // namespace ridge::model
