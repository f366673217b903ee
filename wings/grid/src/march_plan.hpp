// How a pass over half a cycle is laid over a GPU: tiles, jobs of planes, and shared memory.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/launch_shape.hpp>

#include "points.hpp"

#include <algorithm>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// Point i of an axis without ends, or -1 beyond a wall.
template <class T>
RIDGE_DEVICE int place(const AxisTables<T>& axis, int i) {
  if (i >= 0 && i < axis.points) return i;
  if (!axis.is_periodic) return -1;
  const int rest = i % axis.points;
  return rest < 0 ? rest + axis.points : rest;
}

/// Where k of point i is along its array's axis, which has a point more at both ends. Any point has
/// one that is positive.
template <class T>
RIDGE_DEVICE int place_of_k(const AxisTables<T>& axis, int i) {
  if (axis.is_periodic) return place(axis, i) + 1;
  return i < -1 ? 0 : i > axis.points ? axis.points + 1 : i + 1;
}

/// What a point of an axis weighs: its neighbours, 0 beyond walls, and the diagonal's part.
template <class T>
struct Weights {
  T before = 0, behind = 0, own = 0;
  T low = 0, high = 0; ///< of the neighbours, walls included
  Weights() = default;
  template <class Lane>
  RIDGE_DEVICE Weights(const Lane& lane, const AxisTables<T>& axis, int at) {
    if (at < 0) return;
    low = lane.load(axis.low, at);
    high = lane.load(axis.high, at);
    own = low + high;
    before = neighbour(axis, at, -1) == at ? T(0) : low;
    behind = neighbour(axis, at, 1) == at ? T(0) : high;
  }
};

/// The region of points that a block computes in a plane; a thread has `rows` of a column.
template <int Wide, int High, int Rows, int Blocks>
struct MarchShape {
  static constexpr int wide = Wide;
  static constexpr int high = High;
  static constexpr int rows = Rows;
  static constexpr int blocks = Blocks; ///< on a multiprocessor at once
  static constexpr int threads = Wide * (High / Rows);
  static_assert(High % Rows == 0);
};

/// Where a block's numbers begin in shared memory. Tables of planes follow, then coarse planes.
template <class T, class Shape, bool Up, bool Varied>
struct MarchRoom {
  /// Planes that are fetched before they are needed.
  static constexpr int ahead = 2;
  static constexpr int plane = (Shape::wide + 2) * (Shape::high + 2);
  static constexpr int own_plane = Shape::wide * Shape::high;
  static constexpr int u = 0;
  static constexpr int b = u + (ahead + 2) * plane;
  static constexpr int first = b + (ahead + 1) * own_plane;
  static constexpr int second = first + 2 * plane;
  static constexpr int sums = second + (Up ? 0 : 2 * plane);
  static constexpr int k = sums + (Up ? 0 : own_plane);
  /// Planes of k: those around the planes that stages work on, and those that are fetched.
  static constexpr int k_planes = 8;
  static constexpr int y_table = k + (Varied ? k_planes * plane : 0);
  static constexpr int y_given = y_table + 4 * Shape::high;
  static constexpr int x_taken = y_given + (Up ? 2 * Shape::high : 0);
  static constexpr int y_taken = x_taken + (Up ? 0 : 3 * Shape::wide);
  static constexpr int z_table = y_taken + (Up ? 0 : 3 * Shape::high);
  static constexpr int z_given = 3; ///< where Up, of a plane's numbers
  static constexpr int z_numbers = z_given + (Up ? 2 : 0) + (Varied ? 1 : 0);
  static constexpr int z_before = 3; ///< planes before a job's first, of weight 0
};

/// What all blocks of a pass know.
struct MarchPlan {
  int owned[3] = {}; ///< points of a tile, planes of a job
  int tiles_x = 1;
  int margin = 2;    ///< points of the region before those that a tile owns
  int first[3] = {}; ///< where the first tile begins: -1 where point 0 is no coarse point's left
  int halved[3] = {};
  int stored[2] = {}; ///< the first plane that is stored, and the one behind the last
  int counted[2] = {};
  int behind = 0;        ///< the plane behind the last one whose residual is needed
  int coarse_before = 0; ///< coarse planes before those of the first job
  int coarse[2] = {}; ///< coarse points of a tile, or those that its region lies between
  int coarse_plane = 0;
  int coarse_at = 0;  ///< in shared memory
  int squares_at = 0; ///< there, too: a sum a thread
  int taken_at = 0;   ///< and what coarse planes take of fine ones, one plane more at both ends
  int shared_numbers = 0;
  double steps = 0; ///< of the blocks of a multiprocessor, one after the other
  LaunchShape shape;
};

/// The tile and the planes of a block.
struct Job {
  int region[2];  ///< the region's first point
  int begin, end; ///< planes of u
  int first, last;
  int coarse[3];
  int coarse_planes;

  template <bool Up>
  RIDGE_FN static Job of(const MarchPlan& plan, const Dim3& block) {
    Job job;
    const int at[3] = {block.x % plan.tiles_x, block.x / plan.tiles_x, block.y};
    int begins[3];
    for (int d = 0; d < 3; ++d) {
      begins[d] = plan.first[d] + at[d] * plan.owned[d];
      job.coarse[d] = (at[d] * plan.owned[d]) >> plan.halved[d];
    }
    job.coarse[2] += plan.coarse_before;
    job.coarse_planes = plan.owned[2] >> plan.halved[2];
    for (int d = 0; d < 2; ++d) {
      job.region[d] = begins[d] - plan.margin;
      const int coarse_0 = plan.first[d] + plan.halved[d]; // where coarse point 0 lies
      if (Up) job.coarse[d] = (job.region[d] - coarse_0) >> plan.halved[d];
    }
    const int behind = begins[2] + plan.owned[2];
    job.first = begins[2] < plan.stored[0] ? plan.stored[0] : begins[2];
    job.last = behind < plan.stored[1] ? behind : plan.stored[1];
    if (Up) {
      job.begin = begins[2] - 2;
      job.end = job.last + 2;
    } else {
      job.begin = begins[2] - 3;
      // A coarse plane is done behind the plane after it, that of the last one beyond the level.
      job.end = behind < plan.behind + 1 ? behind + 4 : plan.behind + 5;
    }
    return job;
  }
};

/// Adds up numbers of a block's threads in a fixed order and stores the sum, one a block.
template <int Threads, class Lane>
RIDGE_DEVICE void add_up(const Lane& lane, const MarchPlan& plan, const Span<double>& to,
                         double mine) {
  lane.barrier(); // what lies there has been read
  const int t = lane.rank();
  const auto shared = lane.template shared<double>(0, Threads);
  shared[t] = mine;
  for (int have = Threads; have > 1; have = (have + 1) / 2) {
    lane.barrier();
    const int half = (have + 1) / 2;
    if (t + half < have) {
      const double a = shared[t];
      const double b = shared[t + half];
      shared[t] = a + b;
    }
  }
  if (t == 0) {
    const double sum = shared[0];
    lane.store(to, lane.block().x + Index{plan.shape.grid.x} * lane.block().y, sum);
  }
}

/// For a level of `n` points, coarse ones as in `transfer`, and `units` multiprocessors with
/// `shared_bytes`, as far as `needed` says. No blocks where it does not fit.
template <class T, class Shape, bool Up, bool Varied>
MarchPlan plan_march(const std::array<StepTables<T>, 3>& transfer, Index3 n, int units,
                     Index shared_bytes, const NeededPlanes& needed) {
  using Room = MarchRoom<T, Shape, Up, Varied>;
  MarchPlan plan;
  const bool is_whole = needed.end == 0;
  const int extents[3] = {static_cast<int>(n.x), static_cast<int>(n.y),
                          is_whole ? static_cast<int>(n.z) : needed.end};
  plan.stored[0] = needed.begin;
  plan.stored[1] = plan.behind = extents[2];
  plan.counted[0] = needed.counted_begin;
  plan.counted[1] = is_whole ? extents[2] : needed.counted_end;
  const int region[2] = {Shape::wide, Shape::high};
  int tiles[3];
  // Tiles are as small as their number allows.
  const auto cut = [&](std::size_t d, int most) {
    const StepTables<T>& to = transfer[d];
    plan.halved[d] = to.halved;
    plan.first[d] = to.halved == 0 ? 0 : to.first - 1;
    int coarse = to.coarse;
    if (d == 2 && !is_whole) {
      const int before = (needed.begin - plan.first[d]) >> to.halved;
      plan.coarse_before = Up ? before : std::min(before, needed.coarse_begin);
      plan.first[d] += plan.coarse_before << to.halved;
      coarse = Up ? 0 : needed.coarse_end - plan.coarse_before;
    }
    const int points = std::max(extents[d] - plan.first[d], coarse << to.halved);
    tiles[d] = static_cast<int>(ceil_div(points, most));
    plan.owned[d] = static_cast<int>(ceil_div(ceil_div(points, tiles[d]), 2)) * 2;
    tiles[d] = static_cast<int>(ceil_div(points, plan.owned[d]));
  };
  for (std::size_t d = 0; d < 2; ++d) {
    cut(d, region[d] - (Up ? 4 : 6));
    plan.coarse[d] = Up ? (region[d] >> plan.halved[d]) + 2 : plan.owned[d] >> plan.halved[d];
  }
  plan.tiles_x = tiles[0];
  plan.coarse_plane = plan.coarse[0] * plan.coarse[1];
  const Index coarse = Up ? 4 * Index{plan.coarse_plane} : 0;
  const Index squares = Up || Varied ? 0 : Shape::threads;
  constexpr int before_taken = Up ? 0 : 9; // zeros for the steps before the first coarse plane
  shared_bytes = shared_bytes / Shape::blocks - (Shape::blocks > 1 ? 512 : 0);
  units *= Shape::blocks;
  const Index left = shared_bytes / static_cast<Index>(sizeof(T)) - Room::z_table - coarse -
                     squares - before_taken;
  const int taken = Up ? 0 : 3; // numbers a coarse plane, of which there are as many as fine ones
  const Index most_planes = (left - 2 * taken) / (Room::z_numbers + taken) - 11;
  if (most_planes < 2) return plan;
  // Jobs of so many planes that blocks end together: each has some more planes at its ends.
  constexpr int more = Up ? 6 : 9;
  const Index columns = Index{tiles[0]} * tiles[1];
  int best = 2;
  double least = 0;
  for (int planes = 2; planes <= std::min<Index>(most_planes, std::max(extents[2], 2));
       planes += 2) {
    cut(2, planes);
    const Index blocks = columns * tiles[2];
    const double time =
        static_cast<double>(ceil_div(blocks, units)) * static_cast<double>(plan.owned[2] + more);
    if (least == 0 || time < least) {
      least = time;
      best = planes;
    }
  }
  cut(2, best);
  plan.steps = least;
  plan.coarse_at = Room::z_table + Room::z_numbers * (plan.owned[2] + 11);
  plan.squares_at = plan.coarse_at + static_cast<int>(coarse);
  plan.taken_at = plan.squares_at + static_cast<int>(squares) + before_taken;
  plan.shared_numbers = plan.taken_at + taken * ((plan.owned[2] >> plan.halved[2]) + 2);
  plan.shape = {{static_cast<int>(columns), tiles[2], 1},
                {Shape::threads, 1, 1},
                plan.shared_numbers * static_cast<int>(sizeof(T))};
  return plan;
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
