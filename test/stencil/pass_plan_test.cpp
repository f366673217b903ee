// Jobs of a pass: every point once, in tiles that fit.
#include <ridge/stencil/pass_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ridge::stencil {
namespace {

/// How often the jobs compute each point.
std::vector<int> counts(const PassPlan& plan, Index3 n) {
  std::vector<int> count(static_cast<std::size_t>(n.x * n.y * n.z));
  for (const PassJob& job : plan.jobs) {
    const Index x0 = job.x + plan.lead_x;
    const Index y0 = job.y + plan.lead_y;
    for (Index z = job.z_begin; z < job.z_end; ++z) {
      for (Index y = std::max<Index>(y0, 1); y < std::min(y0 + plan.step_y, n.y - 1); ++y) {
        for (Index x = std::max<Index>(x0, 1); x < std::min(x0 + plan.step_x, n.x - 1); ++x)
          ++count[static_cast<std::size_t>((z * n.y + y) * n.x + x)];
      }
    }
  }
  return count;
}

PassTiles tiles(int x, int y, int halo, int sector, int piece) {
  return {x, y, halo, 1, sector, piece, 1.2};
}

void expect_each_point_once(const PassTiles& t, Index3 n, int blocks) {
  SCOPED_TRACE(std::to_string(n.x) + "x" + std::to_string(n.y) + "x" + std::to_string(n.z) +
               " halo " + std::to_string(t.halo) + " blocks " + std::to_string(blocks));
  const PassPlan plan = plan_pass(t, n, blocks);
  const std::vector<int> count = counts(plan, n);
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x) {
        const bool inside = x > 0 && x < n.x - 1 && y > 0 && y < n.y - 1 && z > 0 && z < n.z - 1;
        ASSERT_EQ(count[static_cast<std::size_t>((z * n.y + y) * n.x + x)], inside ? 1 : 0)
            << x << " " << y << " " << z;
      }
    }
  }
  // Results lose a halo on each side, and copies begin at whole pieces.
  EXPECT_GE(plan.lead_x, t.halo);
  EXPECT_LE(plan.lead_x + plan.step_x + t.halo, t.x);
  EXPECT_LE(plan.lead_y + plan.step_y + t.halo, t.y);
  for (const PassJob& job : plan.jobs)
    EXPECT_EQ(job.x % t.piece, 0);
  ASSERT_EQ(plan.first.size(), static_cast<std::size_t>(blocks) + 1);
  EXPECT_TRUE(std::is_sorted(plan.first.begin(), plan.first.end()));
  EXPECT_EQ(plan.first.back(), static_cast<int>(plan.jobs.size()));
}

TEST(PassPlan, HasEachPointInOneJob) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const Index3 n{3 + static_cast<Index>(random() % 200), 3 + static_cast<Index>(random() % 60),
                   3 + static_cast<Index>(random() % 40)};
    const int halo = 2 + static_cast<int>(random() % 3);
    const bool single = random() % 2 == 0;
    expect_each_point_once(single ? tiles(128, 16, halo, 8, 4) : tiles(64, 12, halo, 4, 2), n,
                           1 + static_cast<int>(random() % 7));
  }
}

TEST(PassPlan, MarksTilesThatHoldOtherPoints) {
  const PassTiles t = tiles(64, 12, 3, 4, 2);
  const Index3 n{301, 50, 20};
  for (const PassJob& job : plan_pass(t, n, 3).jobs) {
    const bool other = job.x < 1 || job.x + t.x > n.x - 1 || job.y < 1 || job.y + t.y > n.y - 1;
    EXPECT_EQ(job.at_edge != 0, other) << job.x << " " << job.y;
  }
}

TEST(PassPlan, GivesAllBlocksTheSame) {
  const PassPlan plan = plan_pass(tiles(64, 48, 3, 4, 2), {512, 512, 512}, 132);
  std::vector<double> cost;
  for (std::size_t b = 0; b + 1 < plan.first.size(); ++b) {
    cost.push_back(0);
    for (int j = plan.first[b]; j < plan.first[b + 1]; ++j) {
      const PassJob& job = plan.jobs[static_cast<std::size_t>(j)];
      cost.back() += (job.at_edge != 0 ? 1.2 : 1.0) * (job.z_end - job.z_begin);
    }
  }
  const auto [least, most] = std::minmax_element(cost.begin(), cost.end());
  EXPECT_LT(*most, 1.05 * *least);
}

} // namespace
} // namespace ridge::stencil
