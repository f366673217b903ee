// Rows of patterns: a made-up one among those there are.
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/pattern_row.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ridge {
namespace {

/// Behind all others, for tests of lists run in the same program.
const PatternAnnounced announced_ropes({"rows of ropes", 1000});

TEST(PatternRows, AreInTheirPlaces) {
  const auto& rows = pattern_rows();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a.place < b.place; }));
  EXPECT_EQ(rows.back().name, "rows of ropes");
  EXPECT_EQ(place_of_pattern("rows of ropes"), 1000);
  EXPECT_GT(place_of_pattern("nobody's"), 1000);
}

TEST(PatternRows, KernelsOfAPatternStandTogether) {
  std::set<std::string> before;
  std::string now;
  for (const BenchKernel& kernel : lab::bench_kernels()) {
    if (kernel.pattern == now) continue;
    EXPECT_TRUE(before.insert(kernel.pattern).second) << kernel.name;
    now = kernel.pattern;
  }
  EXPECT_GT(before.size(), 5U);
}

} // namespace
} // namespace ridge
