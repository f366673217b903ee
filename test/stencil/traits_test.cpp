#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/traits.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace ridge::stencil {
namespace {

/// Points of an input that some interior point reads, counted one by one.
Index touched_by_counting(const std::vector<Offset>& offsets, Offset r, Index3 n) {
  std::set<std::tuple<Index, Index, Index>> touched;
  for (Index z = r.z; z < n.z - r.z; ++z) {
    for (Index y = r.y; y < n.y - r.y; ++y) {
      for (Index x = r.x; x < n.x - r.x; ++x) {
        for (const Offset& o : offsets)
          touched.insert({x + o.x, y + o.y, z + o.z});
      }
    }
  }
  return static_cast<Index>(touched.size());
}

template <class K>
void expect_counted_work(Index3 n) {
  const Traits traits = traits_of<K, double>();
  Index read = 0;
  for (const auto& offsets : traits.footprints) {
    read += touched_by_counting(offsets, traits.radius, n);
  }
  EXPECT_EQ(work_of(traits, n).read.value, read * 8) << n.x << "x" << n.y << "x" << n.z;
  EXPECT_EQ(work_of(traits, n).written.value, interior_points(traits, n) * 8);
}

struct Skewed {
  static constexpr Footprint<3> footprint{{{{0, 0, 0}, {2, -1, 0}, {-1, 0, 3}}}};
};

TEST(Work, Is7PointTrafficAsTheLaplacianSeriesDefinesIt) {
  const Index nx = 512, ny = 500, nz = 300;
  const Work work = work_of(traits_of<Laplacian<2, 3>, double>(), {nx, ny, nz});
  EXPECT_EQ(work.read.value, (nx * ny * nz - 8 - 4 * (nx - 2) - 4 * (ny - 2) - 4 * (nz - 2)) * 8);
  EXPECT_EQ(work.written.value, (nx - 2) * (ny - 2) * (nz - 2) * 8);
  EXPECT_EQ(work.flops, 10.0 * static_cast<double>((nx - 2) * (ny - 2) * (nz - 2)));
}

TEST(Work, IsTheTrueFootprintOfAnyStencil) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Index> side(9, 15);
  for (int i = 0; i < 5; ++i) {
    const Index3 n{side(random), side(random), side(random)};
    expect_counted_work<Laplacian<2, 3>>(n);
    expect_counted_work<Laplacian<8, 3>>(n);
    expect_counted_work<Laplacian<4, 1>>(n);
    expect_counted_work<Laplacian<6, 2>>(n);
    expect_counted_work<Box27>(n);
    expect_counted_work<Skewed>(n);
  }
}

TEST(Work, IsNothingWithoutAnInterior) {
  const Traits traits = traits_of<Laplacian<2, 3>, float>();
  for (const Index3 n : {Index3{2, 9, 9}, Index3{9, 2, 9}, Index3{9, 9, 1}, Index3{1, 1, 1}}) {
    EXPECT_EQ(interior_points(traits, n), 0);
    EXPECT_EQ(work_of(traits, n).read.value, 0);
  }
}

} // namespace
} // namespace ridge::stencil
