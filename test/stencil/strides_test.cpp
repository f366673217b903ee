// Which rows share the sets of an L1, and how far apart a field of Ridge's own has them.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/strides.hpp>

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

template <class K, class T = double>
int crowd(Index3 n) {
  return rows_in_a_set(traits_of<K, T>(), Strides::packed(n));
}

TEST(Strides, CountsTheRowsThatMeetInASet) {
  // 512 doubles are a page: all 2 r + 1 rows along y and z meet.
  EXPECT_EQ((crowd<Laplacian<2, 3>>({512, 512, 512})), 5);
  EXPECT_EQ((crowd<Laplacian<8, 3>>({512, 512, 512})), 17);
  EXPECT_EQ((crowd<Box27>({512, 512, 512})), 9);
  EXPECT_EQ((crowd<Laplacian<8, 3>, float>({1024, 512, 512})), 17);
  // With 520 the planes do, and three rows beside.
  EXPECT_EQ((crowd<Laplacian<8, 3>>({520, 512, 512})), 12);
  // Nearly a page: all but the same place; with 600 rows those of one plane only.
  EXPECT_EQ((crowd<Laplacian<8, 3>>({511, 511, 301})), 17);
  EXPECT_EQ((crowd<Laplacian<8, 3>>({510, 510, 510})), 16);
  EXPECT_EQ((crowd<Laplacian<8, 3>>({511, 600, 500})), 9);
  EXPECT_LE((crowd<Laplacian<8, 3>>({299, 400, 400})), 4);
}

TEST(Strides, CrowdsAnL1OfFewerWays) {
  DeviceFacts facts;
  const Traits traits = traits_of<Laplacian<4, 3>, double>(); // nine rows
  const Strides packed = Strides::packed({512, 512, 512});
  EXPECT_FALSE(crowded(facts, traits, packed)); // not known
  facts.l1 = {32 << 10};
  EXPECT_TRUE(crowded(facts, traits, packed));
  facts.l1 = {48 << 10};
  EXPECT_FALSE(crowded(facts, traits, packed));
}

TEST(Strides, AreSpreadWhereNoSetCanHoldTheRows) {
  const Device cpu("cpu");
  const Index ways = ways_of_l1(cpu.facts());
  ASSERT_GT(ways, 0);
  const Traits traits = traits_of<Laplacian<8, 3>, double>();
  for (const Index x : {1, 9, 64, 299, 500, 510, 511, 512, 513, 520, 1000, 1024, 4096}) {
    for (const Index y : {1, 9, 64, 400, 511, 512}) {
      const Index3 n{x, y, 64};
      const Strides s = spread(cpu, traits, n, Strides::packed(n));
      EXPECT_LE(rows_in_a_set(traits, s), ways) << x << "x" << y;
      EXPECT_GE(s.row, n.x);
      EXPECT_GE(s.plane, s.row * n.y);
      EXPECT_LE(s.row, n.x + 7 * 8 + 7) << x; // seven lines and what makes one whole
      if (x % 8 == 0 && !crowded(cpu.facts(), traits, Strides::packed(n))) {
        EXPECT_EQ(s, Strides::packed(n)) << x << "x" << y;
      }
    }
  }
}

TEST(Strides, AreLeftAsTheyAreOnOtherDevices) {
  const Index3 n{512, 512, 512};
  EXPECT_EQ(spread(Device("simt:32"), traits_of<Laplacian<8, 3>, double>(), n, Strides::packed(n)),
            Strides::packed(n));
}

} // namespace
} // namespace ridge::stencil
