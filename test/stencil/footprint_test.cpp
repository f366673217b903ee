#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

template <int N>
void expect_distinct(const Footprint<N>& f) {
  for (int i = 0; i < N; ++i) {
    for (int j = i + 1; j < N; ++j)
      EXPECT_FALSE(f.offsets[i] == f.offsets[j]) << i << " " << j;
  }
}

TEST(Footprint, StarsHaveTheirPointsOnce) {
  expect_distinct(star<1>());
  expect_distinct(star<4>());
  expect_distinct(star<2, 2>());
  EXPECT_EQ((star<1>().size), 7);
  EXPECT_EQ((star<4>().size), 25);
  EXPECT_EQ((star<4, 1>().size), 9);
  EXPECT_EQ((star<3, 2>().radius()), (Offset{3, 3, 0}));
  EXPECT_TRUE(star<2>().contains({0, 0, -2}));
  EXPECT_FALSE(star<2>().contains({1, 1, 0}));
}

TEST(Footprint, BoxesHaveTheirPointsOnce) {
  expect_distinct(box<1>());
  EXPECT_EQ((box<1>().size), 27);
  EXPECT_EQ((box<2, 2>().size), 25);
  EXPECT_EQ((box<1, 1>().radius()), (Offset{1, 0, 0}));
}

template <int X, int Y, int Z>
struct Far {
  static constexpr auto footprint = Footprint<2>{{Offset{}, Offset{X, Y, Z}}};
};

TEST(Footprint, IsNear) {
  EXPECT_TRUE((is_near<Far<farthest, -farthest, 1>>()));
  EXPECT_FALSE((is_near<Far<farthest + 1, 0, 0>>()));
  EXPECT_FALSE((is_near<Far<0, -(1 << 30), 0>>()));
  EXPECT_FALSE((is_near<Far<0, 0, -2147483647 - 1>>()));
}

struct Mixed {
  static constexpr auto footprints = std::make_tuple(star<1, 1>(), star<2>(), point());
};

TEST(Kernel, RadiusIsTheLargestOverInputs) {
  EXPECT_EQ(inputs_of<Mixed>, 3);
  EXPECT_EQ(radius_of<Mixed>(), (Offset{2, 2, 2}));
  EXPECT_EQ((radius_of<Laplacian<8, 2>>()), (Offset{4, 4, 0}));
}

} // namespace
} // namespace ridge::stencil
