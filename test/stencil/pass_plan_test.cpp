// Jobs of a pass: every point once, in tiles that fit.
#include <ridge/stencil/pass_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ridge::stencil {
namespace {

/// How often the jobs compute each point.
std::vector<int> counts(const std::vector<PassJob>& jobs, Index3 n) {
  std::vector<int> count(static_cast<std::size_t>(n.x * n.y * n.z));
  for (const PassJob& job : jobs) {
    for (Index z = job.z_begin; z < job.z_end; ++z) {
      for (Index y = job.y_begin; y < job.y_end; ++y) {
        for (Index x = job.x_begin; x < job.x_end; ++x)
          ++count[static_cast<std::size_t>((z * n.y + y) * n.x + x)];
      }
    }
  }
  return count;
}

PassTiles tiles(int x, int y, int halo, int sector, int piece) {
  return {x, y, halo, 1, sector, piece};
}

void expect_each_point_once(const PassTiles& t, Index3 n, int blocks) {
  SCOPED_TRACE(std::to_string(n.x) + "x" + std::to_string(n.y) + "x" + std::to_string(n.z) +
               " halo " + std::to_string(t.halo) + " blocks " + std::to_string(blocks));
  const std::vector<PassJob> jobs = plan_pass(t, n, blocks);
  const std::vector<int> count = counts(jobs, n);
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x) {
        const bool inside = x > 0 && x < n.x - 1 && y > 0 && y < n.y - 1 && z > 0 && z < n.z - 1;
        ASSERT_EQ(count[static_cast<std::size_t>((z * n.y + y) * n.x + x)], inside ? 1 : 0)
            << x << " " << y << " " << z;
      }
    }
  }
  // Results lose a halo on each side but at ends of the field, and copies begin at whole pieces.
  const auto expect_halos = [&](Index at, Index begin, Index end, int points, Index size,
                                bool around) {
    EXPECT_TRUE(begin >= at + t.halo || (at == 0 && !around)) << at << " " << begin;
    EXPECT_TRUE(end + t.halo <= at + points || (at + points >= size && !around))
        << at << " " << end;
  };
  for (const PassJob& job : jobs) {
    EXPECT_EQ(job.x % t.piece, 0);
    expect_halos(job.x, job.x_begin, job.x_end, t.x, n.x, t.around_x);
    expect_halos(job.y, job.y_begin, job.y_end, t.y, n.y, t.around_y);
  }
}

TEST(PassPlan, HasEachPointInOneJob) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const Index3 n{3 + static_cast<Index>(random() % 200), 3 + static_cast<Index>(random() % 60),
                   3 + static_cast<Index>(random() % 40)};
    const int halo = 2 + static_cast<int>(random() % 3);
    const bool single = random() % 2 == 0;
    PassTiles t = single ? tiles(128, 16, halo, 8, 4) : tiles(64, 12, halo, 4, 2);
    t.around_x = random() % 3 == 0;
    t.around_y = random() % 3 == 0;
    expect_each_point_once(t, n, 1 + static_cast<int>(random() % 7));
  }
}

TEST(PassPlan, LosesNothingAtEndsOfTheField) {
  // 60 results in the tiles at both ends of a row, 56 in others; 28 and 24 along y.
  const Index3 n{60 + 7 * 56 + 60, 28 + 3 * 24 + 28, 20};
  EXPECT_EQ(plan_pass(tiles(64, 32, 4, 4, 2), n, 1).size(), 9u * 5u);
}

TEST(PassPlan, MarksTilesThatHoldOtherPoints) {
  const PassTiles t = tiles(64, 12, 3, 4, 2);
  const Index3 n{301, 50, 20};
  for (const PassJob& job : plan_pass(t, n, 3)) {
    const bool other = job.x < 1 || job.x + t.x > n.x - 1 || job.y < 1 || job.y + t.y > n.y - 1;
    EXPECT_EQ(job.at_edge != 0, other) << job.x << " " << job.y;
  }
}

/// How long blocks take that take jobs by turns, as a multiple of what they would without cuts if
/// all ended together. Columns at the edge take `edge` times as long as others.
double evenness(const PassTiles& t, Index3 n, int blocks, double edge) {
  std::vector<double> ends(static_cast<std::size_t>(blocks));
  double all = 0;
  for (const PassJob& job : plan_pass(t, n, blocks)) {
    const double cost = job.at_edge != 0 ? edge : 1.0;
    all += cost * (job.z_end - job.z_begin);
    *std::min_element(ends.begin(), ends.end()) += cost * (job.z_end - job.z_begin + 2 * t.halo);
  }
  return *std::max_element(ends.begin(), ends.end()) / (all / blocks);
}

TEST(PassPlan, LetsAllBlocksEndTogether) {
  for (const double edge : {1.0, 1.4}) {
    EXPECT_LT(evenness(tiles(64, 32, 4, 4, 2), {512, 512, 512}, 132, edge), 1.16);
    EXPECT_LT(evenness(tiles(64, 48, 3, 4, 2), {512, 512, 512}, 132, edge), 1.16);
    EXPECT_LT(evenness(tiles(128, 32, 4, 8, 4), {512, 512, 512}, 132, edge), 1.16);
    EXPECT_LT(evenness(tiles(64, 32, 4, 4, 2), {1024, 1024, 1024}, 132, edge), 1.05);
    EXPECT_LT(evenness(tiles(128, 48, 3, 8, 4), {1024, 1024, 1024}, 132, edge), 1.06);
  }
}

} // namespace
} // namespace ridge::stencil
