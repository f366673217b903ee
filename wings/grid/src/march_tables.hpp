// Known to a block and its threads before they march: weights in shared memory, and places.
#pragma once

#include <ridge/core/config.hpp>

#include "march_stages.hpp"

#include <type_traits>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

template <class T, class Shape, bool Up, bool Varied>
struct MarchTables {
  using Room = MarchRoom<T, Shape, Up, Varied>;
  using Stages = MarchStages<T, Shape, Up, Varied>;
  template <bool Even>
  using Mine = typename Stages::template Mine<Even>;
  using Operation = std::conditional_t<Up, WayUp<T>, WayDown<T>>;
  static constexpr int rows = Shape::rows;
  static constexpr int pitch = Shape::wide + 2;

  Operation s;
  MarchPlan plan;

  /// The part of a diagonal along z, with the shift, that nearly all planes have.
  template <class Lane>
  RIDGE_DEVICE T usual_z(const Lane& lane) const {
    const auto& z = s.a.axes[2];
    return (lane.load(z.low, z.points / 2) + lane.load(z.high, z.points / 2)) + s.a.shift;
  }

  /// Weights along y and z, and those of transfers, into shared memory.
  template <class Lane, class Memory>
  RIDGE_DEVICE void tables(const Lane& lane, const Memory& m, const Job& job, int t) const {
    for (int i = t; i < Shape::high; i += Shape::threads) {
      const int at = place(s.a.axes[1], job.region[1] + i);
      const Weights<T> w(lane, s.a.axes[1], at);
      m[Room::y_table + 4 * i] = Varied ? w.low : w.before;
      m[Room::y_table + 4 * i + 1] = Varied ? w.high : w.behind;
      m[Room::y_table + 4 * i + 2] = w.own;
      if constexpr (Up) {
        m[Room::y_given + 2 * i] = at < 0 ? T(0) : lane.load(s.transfer[1].given, 2 * at);
        m[Room::y_given + 2 * i + 1] = at < 0 ? T(0) : lane.load(s.transfer[1].given, 2 * at + 1);
      }
    }
    for (int i = t; i < job.end - job.begin; i += Shape::threads) {
      const int at = place(s.a.axes[2], job.begin + i);
      const int to = Room::z_table + Room::z_numbers * (i + Room::z_before);
      const Weights<T> w(lane, s.a.axes[2], at);
      m[to] = w.before;
      m[to + 1] = w.behind;
      m[to + 2] = at < 0 ? usual_z(lane) : w.own + s.a.shift;
      if constexpr (Varied) {
        m[to] = w.low;
        m[to + 1] = w.high;
        m[to + 2] = w.before == T(0) ? T(0) : T(1); // whether u counts beyond it
        m[to + Room::z_numbers - 1] = w.behind == T(0) ? T(0) : T(1);
      }
      if constexpr (Up) {
        const int given = to + Room::z_given;
        m[given] = at < 0 ? T(0) : lane.load(s.transfer[2].given, 2 * at);
        m[given + 1] = at < 0 ? T(0) : lane.load(s.transfer[2].given, 2 * at + 1);
      }
    }
    if constexpr (!Up) {
      for (int i = t; i < 3 * (job.coarse_planes + 2); i += Shape::threads) {
        const int at = 3 * (job.coarse[2] - 1) + i;
        const bool is_there = at >= 0 && at < 3 * s.transfer[2].coarse;
        m[plan.taken_at + i] = is_there ? lane.load(s.transfer[2].taken, at) : T(0);
      }
      for (int d = 0; d < 2; ++d) {
        const int to = d == 0 ? Room::x_taken : Room::y_taken;
        for (int i = t; i < 3 * plan.coarse[d]; i += Shape::threads) {
          const int at = 3 * job.coarse[d] + i;
          m[to + i] = at < 3 * s.transfer[d].coarse ? lane.load(s.transfer[d].taken, at) : T(0);
        }
      }
    }
  }

  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE Mine<Even> settled(const Lane& lane, const Memory& m, const Job& job, int t) const {
    const auto& ax = s.a.axes[0];
    const auto& ay = s.a.axes[1];
    Mine<Even> my;
    my.t = t;
    my.x = t % Shape::wide;
    my.first_row = t / Shape::wide * rows;
    my.at = (my.first_row + 1) * pitch + my.x + 1;
    my.own_at = my.first_row * Shape::wide + my.x;
    my.pitch_of_rows = ax.points;
    const int x = job.region[0] + my.x;
    const int at_x = place(ax, x);
    const Weights<T> w(lane, ax, at_x);
    my.x_before = Varied ? w.low : w.before;
    my.x_behind = Varied ? w.high : w.behind;
    my.x_own = w.own;
    const int table = Room::y_table + 4 * my.first_row;
    my.y_before = m[table];
    my.y_behind = m[table + 1];
    my.y_own = m[table + 2];
    const T usual = usual_z(lane);
    const bool stores_x =
        my.x >= plan.margin && my.x < plan.margin + plan.owned[0] && x >= 0 && x < ax.points;
    my.stores = 0;
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int y = job.region[1] + my.first_row + r;
      const int row = my.first_row + r - plan.margin;
      if (stores_x && row >= 0 && row < plan.owned[1] && y >= 0 && y < ay.points)
        my.stores |= 1 << r;
      if (Even && r > 0) continue;
      const int at_y = place(ay, y);
      const bool is_inside = at_x >= 0 && at_y >= 0;
      if constexpr (Varied)
        my.k_offset[r] = place_of_k(ax, x) + (ax.points + 2) * place_of_k(ay, y);
      my.offset[r] = is_inside ? at_x + ax.points * at_y : -1;
      const T y_own = m[table + 4 * r + 2];
      my.inverse[r] = is_inside ? T(1) / ((my.x_own + y_own) + usual) : T(0);
    }
    my.ring_offset = my.k_ring_offset = -1;
    my.ring_at = 0;
    if constexpr (Up) {
      const auto& to = s.transfer[0];
      my.left = at_x < 0 ? T(0) : lane.load(to.given, 2 * at_x);
      my.right = at_x < 0 ? T(0) : lane.load(to.given, 2 * at_x + 1);
      my.coarse_x = to.left_of(x) - job.coarse[0];
    } else {
      constexpr int along_x = 2 * Shape::wide;
      if (t < along_x + 2 * Shape::high) {
        const int side = t < along_x ? t / Shape::wide : (t - along_x) / Shape::high;
        const int along = t < along_x ? t % Shape::wide : (t - along_x) % Shape::high;
        const int ring_x = t < along_x ? along : side == 0 ? -1 : Shape::wide;
        const int ring_y = t < along_x ? (side == 0 ? -1 : Shape::high) : along;
        const int to_x = place(ax, job.region[0] + ring_x);
        const int to_y = place(ay, job.region[1] + ring_y);
        my.ring_at = (ring_y + 1) * pitch + ring_x + 1;
        if (to_x >= 0 && to_y >= 0) my.ring_offset = to_x + ax.points * to_y;
        if constexpr (Varied)
          my.k_ring_offset = place_of_k(ax, job.region[0] + ring_x) +
                             (ax.points + 2) * place_of_k(ay, job.region[1] + ring_y);
      }
    }
    return my;
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
