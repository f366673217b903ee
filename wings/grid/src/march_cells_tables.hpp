// Cells that threads of a march have, and what is known of them before; march_cells.hpp marches.
#pragma once

#include "march_plan.hpp"

#include <type_traits>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// A tile of so many points, four a thread.
template <int High>
struct CellShape {
  static constexpr int wide = 64; ///< 32 cells: rows of a warp
  static constexpr int high = High;
  static constexpr int cells_wide = wide / 2;
  static constexpr int cells_high = high / 2;
  static constexpr int threads = cells_wide * cells_high;
  static constexpr int blocks = 1;
};

template <class T, int High, bool Up>
struct MarchRoom<T, CellShape<High>, Up, false> {
  using Shape = CellShape<High>;
  static constexpr int half = Shape::cells_wide;
  /// A row: points of even x, the one before the first of odd x, and these.
  static constexpr int odd = half + 1;
  static constexpr int pitch = odd + half;
  static constexpr int ring = Up ? 0 : pitch; ///< the row before the first one of a plane of u
  static constexpr int u_plane = ring + Shape::high * pitch;
  static constexpr int plane = Shape::high * pitch;
  static constexpr int ahead = 2;
  static constexpr int u = 0;
  static constexpr int b = u + 4 * u_plane;
  static constexpr int first = b + 3 * plane;
  /// Planes of the second sweep; Up: one that brings its points in the order of memory.
  static constexpr int second = first + 2 * plane;
  static constexpr int sums = second + (Up ? plane : 2 * plane);   ///< a row of sums a cell
  static constexpr int x_table = sums + (Up ? 0 : Shape::threads); ///< weights of transfers
  static constexpr int y_table = x_table + (Up ? 2 * Shape::wide : 3 * Shape::cells_wide);
  static constexpr int z_table = y_table + (Up ? 2 * Shape::high : 3 * Shape::cells_high);
  static constexpr int z_numbers = Up ? 2 : 0;
};

/// What a block and its threads know before they march.
template <class T, class Shape, bool Up>
struct CellsTables {
  using Operation = std::conditional_t<Up, WayUp<T>, WayDown<T>>;
  using Room = MarchRoom<T, Shape, Up, false>;
  static constexpr int pitch = Room::pitch;
  static constexpr int odd = Room::odd;

  Operation s;
  MarchPlan plan;

  struct Mine {
    int at;           ///< of its cell in planes
    int below, above; ///< from its cell's rows to those beside; 0 and one row at the tile's ends
    /// Memory is read and written by neighbouring points: of two rows, x and x + wide / 2.
    int copy_at;
    int offset[2][2]; ///< within planes of fields; -1: beyond a wall
    int ring_offset, ring_at;
    int bits;      ///< of four: `stores` of these points, `inside` and `owns` of the cell's
    int to_coarse; ///< Down: the cell's coarse point in a plane, or -1
    int coarse[2]; ///< Up: in a coarse plane, of what it fetches
    [[nodiscard]] RIDGE_DEVICE bool stores(int i) const { return (bits >> i & 1) != 0; }
    [[nodiscard]] RIDGE_DEVICE bool is_inside() const { return (bits & 0xf0) == 0xf0; }
    [[nodiscard]] RIDGE_DEVICE bool is_inside(int i) const { return (bits >> (4 + i) & 1) != 0; }
    [[nodiscard]] RIDGE_DEVICE bool owns(int i) const { return (bits >> (8 + i) & 1) != 0; }
  };

  template <class Lane, class Memory>
  RIDGE_DEVICE void tables(const Lane& lane, const Memory& m, const Job& job, int t) const {
    if constexpr (Up) {
      for (int i = t; i < Shape::wide + Shape::high; i += Shape::threads) {
        const int d = i < Shape::wide ? 0 : 1;
        const int at = place(s.a.axes[d], job.region[d] + (d == 0 ? i : i - Shape::wide));
        m[Room::x_table + 2 * i] = at < 0 ? T(0) : lane.load(s.transfer[d].given, 2 * at);
        m[Room::x_table + 2 * i + 1] = at < 0 ? T(0) : lane.load(s.transfer[d].given, 2 * at + 1);
      }
      for (int i = t; i < job.end - job.begin; i += Shape::threads) {
        const int at = place(s.a.axes[2], job.begin + i);
        m[Room::z_table + 2 * i] = at < 0 ? T(0) : lane.load(s.transfer[2].given, 2 * at);
        m[Room::z_table + 2 * i + 1] = at < 0 ? T(0) : lane.load(s.transfer[2].given, 2 * at + 1);
      }
    } else {
      for (int i = t; i < 3 * (job.coarse_planes + 2); i += Shape::threads) {
        const int at = 3 * (job.coarse[2] - 1) + i;
        const bool is_there = at >= 0 && at < 3 * s.transfer[2].coarse;
        m[plan.taken_at + i] = is_there ? lane.load(s.transfer[2].taken, at) : T(0);
      }
      for (int d = 0; d < 2; ++d) {
        const int cells = d == 0 ? Shape::cells_wide : Shape::cells_high;
        for (int i = t; i < 3 * cells; i += Shape::threads) {
          const int at = 3 * (job.coarse[d] - plan.margin / 2) + i;
          const bool is_there = at >= 0 && at < 3 * s.transfer[d].coarse;
          m[(d == 0 ? Room::x_table : Room::y_table) + i] =
              is_there ? lane.load(s.transfer[d].taken, at) : T(0);
        }
      }
    }
  }

  RIDGE_DEVICE Mine settled(const Job& job, int t) const {
    const auto& ax = s.a.axes[0];
    const auto& ay = s.a.axes[1];
    Mine my;
    const int cell_x = t % Shape::cells_wide;
    const int cell_y = t / Shape::cells_wide;
    my.at = 2 * cell_y * pitch + cell_x;
    my.below = cell_y == 0 ? 0 : -pitch;
    my.above = cell_y == Shape::cells_high - 1 ? pitch : 2 * pitch;
    constexpr int quarter = Shape::cells_wide / 2;
    const int is_odd = t / quarter % 2;
    my.copy_at = 2 * cell_y * pitch + t % quarter + is_odd * odd;
    my.bits = 0;
    const auto is_owned = [&](int d, int region, int at) {
      return region >= plan.margin && region < plan.margin + plan.owned[d] && at >= 0 &&
             at < s.a.axes[d].points;
    };
    RIDGE_UNROLL
    for (int r = 0; r < 2; ++r) {
      const int row = 2 * cell_y + r;
      const int y = job.region[1] + row;
      const int at_y = place(ay, y);
      RIDGE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int bit = 1 << (2 * r + h);
        const int copied = 2 * (t % quarter) + is_odd + h * Shape::cells_wide;
        const int copied_x = place(ax, job.region[0] + copied);
        my.offset[r][h] = copied_x >= 0 && at_y >= 0 ? copied_x + ax.points * at_y : -1;
        if (is_owned(0, copied, job.region[0] + copied) && is_owned(1, row, y)) my.bits |= bit;
        const int x = 2 * cell_x + h;
        if (place(ax, job.region[0] + x) >= 0 && at_y >= 0) my.bits |= bit << 4;
        if (is_owned(0, x, job.region[0] + x) && is_owned(1, row, y)) my.bits |= bit << 8;
      }
    }
    my.ring_offset = my.to_coarse = my.coarse[0] = my.coarse[1] = -1;
    my.ring_at = 0;
    if constexpr (Up) {
      for (int k = 0; k < 2; ++k) {
        const int i = t + k * Shape::threads;
        const int x = s.transfer[0].coarse_place(job.coarse[0] + i % coarse_wide);
        const int y = s.transfer[1].coarse_place(job.coarse[1] + i / coarse_wide);
        if (i < coarse_points && x >= 0 && y >= 0) my.coarse[k] = x + s.transfer[0].coarse * y;
      }
    } else {
      if (t < Shape::wide + Shape::high) {
        const bool is_row = t < Shape::wide;
        const int x = place(ax, job.region[0] + (is_row ? t : -1));
        const int y = place(ay, job.region[1] + (is_row ? -1 : t - Shape::wide));
        my.ring_at = is_row ? t % 2 * odd + t / 2 : (t - Shape::wide + 1) * pitch + odd - 1;
        if (x >= 0 && y >= 0) my.ring_offset = x + ax.points * y;
      }
      const int x = cell_x - plan.margin / 2;
      const int y = cell_y - plan.margin / 2;
      if (x >= 0 && x < plan.coarse[0] && job.coarse[0] + x < s.transfer[0].coarse && y >= 0 &&
          y < plan.coarse[1] && job.coarse[1] + y < s.transfer[1].coarse)
        my.to_coarse = job.coarse[0] + x + s.transfer[0].coarse * (job.coarse[1] + y);
    }
    return my;
  }
  static constexpr int coarse_wide = Shape::cells_wide + 2;
  static constexpr int coarse_points = coarse_wide * (Shape::cells_high + 2);
  static_assert(coarse_points <= 2 * Shape::threads);
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
