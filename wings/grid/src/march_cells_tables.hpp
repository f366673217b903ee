// Cells that threads of a march have, and what is known of them before; march_cells.hpp marches.
#pragma once

#include "march_plan.hpp"

#include <type_traits>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// A tile of so many points; a thread has so many rows of a column of cells.
template <int High, int Rows = 2>
struct CellShape {
  static constexpr int rows = Rows;
  static constexpr int wide = 64; ///< 32 cells: rows of a warp
  static constexpr int high = High;
  static constexpr int cells_wide = wide / 2;
  static constexpr int cells_high = high / 2;
  static constexpr int threads = cells_wide * (high / rows);
  static_assert(rows % 2 == 0 && high % rows == 0);
  static constexpr int blocks = 1;
};

template <class T, int High, int Rows, bool Up>
struct MarchRoom<T, CellShape<High, Rows>, Up, false> {
  using Shape = CellShape<High, Rows>;
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
  static constexpr int sums = second + (Up ? plane : 2 * plane);   ///< a row of sums a thread
  static constexpr int x_table = sums + (Up ? 0 : Shape::threads); ///< weights of transfers
  static constexpr int y_table = x_table + (Up ? 2 * Shape::wide : 3 * Shape::cells_wide);
  static constexpr int z_table = y_table + (Up ? 2 * Shape::high : 3 * Shape::cells_high);
  static constexpr int z_numbers = Up ? 2 : 0;
};

/// What a block and its threads know before they march.
template <class T, class Shape, bool Up, bool Mirrors>
struct CellsTables {
  using Operation = std::conditional_t<Up, WayUp<T>, WayDown<T>>;
  using Room = MarchRoom<T, Shape, Up, false>;
  static constexpr int pitch = Room::pitch;
  static constexpr int odd = Room::odd;

  Operation s;
  MarchPlan plan;

  static constexpr int rows = Shape::rows;
  static constexpr int coarse_wide = Shape::cells_wide + 2;
  static constexpr int coarse_points = coarse_wide * (Shape::cells_high + 2);
  static constexpr int coarse_fetches = (coarse_points + Shape::threads - 1) / Shape::threads;

  struct Mine {
    int at; ///< of its first point in planes
    int below,
        above; ///< from its first and last row to those beside; at the tile's ends themselves
    /// Memory is read and written by neighbouring points: of its rows, x and x + wide / 2.
    int copy_at;
    int offset[rows][2]; ///< within planes of fields, where it fetches
    int ring_offset, ring_at;
    /// Of each cell a bit a point: fetched, stored; inside walls, owned. The first two of memory's
    /// points, the others of the cell's.
    unsigned bits[rows / 2];
    int counts_from;            ///< Down: the first plane whose squares count
    int gives;                  ///< Down: coarse planes
    int to_coarse[rows / 2];    ///< Down: the coarse points of its cells in a plane, or -1
    int coarse[coarse_fetches]; ///< Up: in a coarse plane, of what it fetches
    [[nodiscard]] RIDGE_DEVICE bool has(int i, int what) const {
      return (bits[i / 4] >> (4 * what + i % 4) & 1) != 0;
    }
    [[nodiscard]] RIDGE_DEVICE bool fetches(int i) const { return has(i, 0); }
    [[nodiscard]] RIDGE_DEVICE bool stores(int i) const { return has(i, 1); }
    [[nodiscard]] RIDGE_DEVICE bool is_inside(int i) const { return has(i, 2); }
    [[nodiscard]] RIDGE_DEVICE bool owns(int i) const { return has(i, 3); }
    [[nodiscard]] RIDGE_DEVICE bool is_inside() const { // all points
      return (bits[0] & bits[rows / 2 - 1] & 0xf00) == 0xf00;
    }
    [[nodiscard]] RIDGE_DEVICE bool fetches_ring() const { return ring_offset >= 0; }
  };

  /// Point i, or coarse point i, of an axis that goes on beyond its ends; -1 beyond a wall that
  /// holds a value.
  RIDGE_DEVICE int placed(int d, int i) const {
    return place(s.a.axes[d], reflected(d, i, s.a.axes[d].points));
  }
  RIDGE_DEVICE int coarse_placed(int d, int i) const {
    return s.transfer[d].coarse_place(reflected(d, i, s.transfer[d].coarse));
  }
  RIDGE_DEVICE int reflected(int d, int i, int points) const {
    if (i < 0 && has_mirror(d, 0)) return -i;
    return i >= points && has_mirror(d, 1) ? 2 * (points - 1) - i : i;
  }
  RIDGE_DEVICE bool has_mirror(int d, int side) const {
    return Mirrors && s.alike.has_mirror(d, side);
  }

  template <class Lane, class Memory>
  RIDGE_DEVICE void tables(const Lane& lane, const Memory& m, const Job& job, int t) const {
    if constexpr (Up) {
      for (int i = t; i < Shape::wide + Shape::high; i += Shape::threads) {
        const int d = i < Shape::wide ? 0 : 1;
        const int at = placed(d, job.region[d] + (d == 0 ? i : i - Shape::wide));
        m[Room::x_table + 2 * i] = at < 0 ? T(0) : lane.load(s.transfer[d].given, 2 * at);
        m[Room::x_table + 2 * i + 1] = at < 0 ? T(0) : lane.load(s.transfer[d].given, 2 * at + 1);
      }
      for (int i = t; i < job.end - job.begin; i += Shape::threads) {
        const int at = placed(2, job.begin + i);
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
    const int first_row = t / Shape::cells_wide * rows;
    my.at = first_row * pitch + cell_x;
    my.below = first_row == 0 ? 0 : -pitch;
    my.above = (first_row + rows == Shape::high ? rows - 1 : rows) * pitch;
    constexpr int quarter = Shape::cells_wide / 2;
    const int is_odd = t / quarter % 2;
    my.copy_at = first_row * pitch + t % quarter + is_odd * odd;
    const auto is_owned = [&](int d, int region, int at) {
      return region >= plan.margin && region < plan.margin + plan.owned[d] && at >= 0 &&
             at < s.a.axes[d].points;
    };
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      unsigned& bits = my.bits[r / 2];
      if (r % 2 == 0) bits = 0;
      const int row = first_row + r;
      const int y = job.region[1] + row;
      const int at_y = placed(1, y);
      RIDGE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const unsigned bit = 1U << (2 * (r % 2) + h);
        const int copied = 2 * (t % quarter) + is_odd + h * Shape::cells_wide;
        const int copied_x = placed(0, job.region[0] + copied);
        my.offset[r][h] = copied_x + ax.points * at_y;
        if (copied_x >= 0 && at_y >= 0) bits |= bit;
        if (is_owned(0, copied, job.region[0] + copied) && is_owned(1, row, y)) bits |= bit << 4;
        const int x = 2 * cell_x + h;
        if (placed(0, job.region[0] + x) >= 0 && at_y >= 0) bits |= bit << 8;
        if (is_owned(0, x, job.region[0] + x) && is_owned(1, row, y)) bits |= bit << 12;
      }
    }
    my.ring_offset = -1;
    my.ring_at = 0;
    if constexpr (Up) {
      for (int k = 0; k < coarse_fetches; ++k) {
        const int i = t + k * Shape::threads;
        const int x = coarse_placed(0, job.coarse[0] + i % coarse_wide);
        const int y = coarse_placed(1, job.coarse[1] + i / coarse_wide);
        const bool is_there = i < coarse_points && x >= 0 && y >= 0;
        my.coarse[k] = is_there ? x + s.transfer[0].coarse * y : -1;
      }
    } else {
      if (t < Shape::wide + Shape::high) {
        const bool is_row = t < Shape::wide;
        const int x = placed(0, job.region[0] + (is_row ? t : -1));
        const int y = placed(1, job.region[1] + (is_row ? -1 : t - Shape::wide));
        my.ring_at = is_row ? t % 2 * odd + t / 2 : (t - Shape::wide + 1) * pitch + odd - 1;
        if (x >= 0 && y >= 0) my.ring_offset = x + ax.points * y;
      }
      my.counts_from = s.squares.size == 0           ? job.last
                       : job.first < plan.counted[0] ? plan.counted[0]
                                                     : job.first;
      const int left = s.transfer[2].coarse - job.coarse[2];
      my.gives = left < job.coarse_planes ? left : job.coarse_planes;
      const int x = cell_x - plan.margin / 2;
      RIDGE_UNROLL
      for (int c = 0; c < rows / 2; ++c) {
        const int y = first_row / 2 + c - plan.margin / 2;
        const bool gives = x >= 0 && x < plan.coarse[0] &&
                           job.coarse[0] + x < s.transfer[0].coarse && y >= 0 &&
                           y < plan.coarse[1] && job.coarse[1] + y < s.transfer[1].coarse;
        my.to_coarse[c] =
            gives ? job.coarse[0] + x + s.transfer[0].coarse * (job.coarse[1] + y) : -1;
      }
    }
    return my;
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
