// Rows asked for ahead of time while rows are computed, alone or in pairs of planes.
#include <ridge/stencil/cpu/prefetch.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace ridge::stencil::cpu {
namespace {

using K = Laplacian<2, 3>;

constexpr Index line = 8;
constexpr Index3 n{10 * line, 40, 24};

/// The place of a line: which of its row, row and plane.
using Place = std::tuple<Index, Index, Index>;

/// When, in lines computed, each line of a field was first asked for.
template <int Planes>
std::map<Place, Index> asked(const Block& block, const Lead& lead) {
  std::vector<double> field(static_cast<std::size_t>(n.x * n.y * n.z));
  const View<double> view(field.data(), n);
  const Call<K, double> call{K{}, {View<const double>(view)}, view};
  std::map<Place, Index> when;
  Index now = 0;
  for (Index z = block.z.begin; z < block.z.end; z += Planes) {
    for (Index y = block.y.begin; y < block.y.end; ++y) {
      const Ahead<Planes, K, double> ahead(call, block, y, z, lead);
      for (Index x = 0; x < n.x; x += line, ++now) {
        ahead.each(x, [&](const double* at) {
          const Index i = at - field.data();
          when.try_emplace({i % n.x / line, i / n.x % n.y, i / (n.x * n.y)}, now);
        });
      }
    }
  }
  return when;
}

/// Every line that a block reads for the first time has been asked for at least a row of results
/// before, but in its first planes and for those that only the rows around it read.
template <int Planes>
void expect_in_time(const Block& block, const Lead& lead) {
  const auto when = asked<Planes>(block, lead);
  const Index height = block.y.end - block.y.begin;
  const Index row = n.x / line;
  const Index planes_before = 1 + (lead.rows + lead.streams + height - 1) / height;
  for (Index z = block.z.begin + planes_before * Planes; z < block.z.end; z += Planes) {
    for (Index y = block.y.begin; y < block.y.end; ++y) {
      for (Index l = 0; l < row; ++l) {
        const Index needed = ((z - block.z.begin) / Planes * height + y - block.y.begin) * row + l;
        for (int k = 0; k < Planes; ++k) {
          const auto found = when.find({l, y, z + 1 + k});
          ASSERT_NE(found, when.end()) << l << " of row " << y << " of plane " << z + 1 + k;
          EXPECT_LE(found->second, needed - row)
              << l << " of row " << y << " of plane " << z + 1 + k;
        }
      }
    }
  }
}

TEST(CpuPrefetch, AsksForEveryLeadingLineInTime) {
  for (const Index height : {4, 5, 7, 16, 30}) {
    const Block block{{3, 3 + height}, {1, 21}};
    for (const Index rows : {1, 2, 3}) {
      expect_in_time<1>(block, {rows, 1});
      expect_in_time<2>(block, {rows, 1});
    }
    for (const Index rows : {4, 5, 8}) {
      expect_in_time<1>(block, {rows, 4});
      expect_in_time<2>(block, {rows, 4});
    }
  }
}

TEST(CpuPrefetch, TakesAtLeastAsManyRowsAsStreams) {
  const Block block{{3, 33}, {1, 21}};
  EXPECT_EQ(asked<1>(block, {1, 4}), asked<1>(block, {4, 4}));
}

TEST(CpuPrefetch, AsksForLinesOfFourRowsInTurn) {
  std::vector<double> field(static_cast<std::size_t>(n.x * n.y * n.z));
  const View<double> view(field.data(), n);
  const Call<K, double> call{K{}, {View<const double>(view)}, view};
  const Ahead<1, K, double> ahead(call, {{3, 33}, {1, 21}}, 3, 1, {4, 4});
  for (Index x = 0; x < 8 * line; x += line) {
    ahead.each(x, [&](const double* at) {
      const Index i = at - field.data();
      EXPECT_EQ(i / n.x % n.y, 7 + x / line % 4);
      EXPECT_EQ(i / (n.x * n.y), 2);
      EXPECT_EQ(i % n.x / line, x / line / 4);
    });
  }
}

TEST(CpuPrefetch, AsksForNothingWhenNotToldTo) {
  EXPECT_FALSE((Ahead<1, K, double>{}));
}

} // namespace
} // namespace ridge::stencil::cpu
