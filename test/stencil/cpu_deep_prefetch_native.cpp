// Rows asked for ahead of time by tiles of several planes.
#include <ridge/stencil/cpu/windows_prefetch.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace ridge::stencil::cpu {
namespace {

using Place = std::pair<Index, Index>; // row and plane, of the tile at x = 0 or of the next

/// How often each row of the tile at `x` is asked for by a tile at 0 and the one after it at `x`.
template <class K>
std::map<Place, int> asked(Index y_begin, Index y_end, Index ahead, Index x) {
  constexpr Index row = 64;
  constexpr Index plane = row * 200;
  constexpr Index z = 8;
  const std::vector<double> field(static_cast<std::size_t>(plane) * 24);
  std::map<Place, int> count;
  for (const Index tile : {Index{0}, x}) {
    // Behind the second tile comes one that is not looked at.
    const DeepSpan span{y_begin, y_end, x, 0};
    for (Index y = y_begin; y < y_end; ++y) {
      const DeepAhead<K, double, 0> rows(span, y, ahead, row, plane);
      rows.each(field.data() + z * plane + y * row + tile, [&](const double* at) {
        const Index where = at - field.data();
        if (where % row == x) ++count[{where % plane / row, where / plane - z}];
      });
    }
  }
  return count;
}

/// Every row that the second tile reads is asked for once, and no other.
template <class K>
void expect_each_row_once(Index ahead) {
  using S = DeepShape<K, double>;
  constexpr WindowPlanes held = S::template planes<0>;
  const Index begin = 40;
  const Index end = 80;
  const auto count = asked<K>(begin, end, ahead, 16);
  std::size_t rows = 0;
  for (int k = -S::r.z; k < S::depth + S::r.z; ++k) {
    const Index around = k >= held.first && k < held.first + held.count ? S::r.y : 0;
    for (Index y = begin - around; y < end + around; ++y, ++rows) {
      const auto found = count.find({y, k});
      ASSERT_NE(found, count.end()) << "row " << y << " of plane " << k << ", ahead " << ahead;
      EXPECT_EQ(found->second, 1) << "row " << y << " of plane " << k << ", ahead " << ahead;
    }
  }
  EXPECT_EQ(count.size(), rows) << "ahead " << ahead;
}

TEST(CpuDeepPrefetch, AsksForEachRowOfTheNextTileOnce) {
  for (const Index ahead : {1, 2, 4, 5, 8}) {
    expect_each_row_once<Laplacian<8, 3>>(ahead);
    expect_each_row_once<Laplacian<6, 3>>(ahead);
    expect_each_row_once<Laplacian<2, 3>>(ahead);
    expect_each_row_once<Box27>(ahead);
  }
}

} // namespace
} // namespace ridge::stencil::cpu
