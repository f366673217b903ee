// Half a cycle in one pass over a GPU's memory, as in march_body.hpp, of levels all of whose points
// weigh alike and all of whose axes are halved.
//
// A thread has a column of cells: the 2x2 points around a coarse one and before it. Its planes stay
// in registers, three in turn; what neighbours need lies in shared memory, the points of a row with
// even x before those with odd x, so that a warp reads neighbouring numbers. Beyond a wall all is
// 0.
//
// Products and sums are fused by name. A step stands here several times, and nvcc fused the sum of
// some products in one copy and not in another.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/device/launch.hpp>

#include "march_cells_tables.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

template <class T, class Shape, bool Up>
struct CellsBody : CellsTables<T, Shape, Up> {
  using Known = CellsTables<T, Shape, Up>;
  using Mine = typename Known::Mine;
  using Room = MarchRoom<T, Shape, Up, false>;
  static constexpr int max_threads = Shape::threads;
  static constexpr int min_blocks = Shape::blocks;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Up ? "multigrid up by cells" : "multigrid down by cells";
  static constexpr int pitch = Room::pitch;
  static constexpr int odd = Room::odd;

  using Known::plan;
  using Known::s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Job job = Job::of<Up>(plan, lane.block());
    const auto m = lane.template shared<T>(0, plan.shared_numbers);
    const int t = lane.thread().x;
    for (int i = t; i < plan.shared_numbers; i += Shape::threads)
      m[i] = T(0);
    lane.barrier();
    tables(lane, m, job, t);
    march(lane, m, job, t);
    if constexpr (!Up) {
      if (s.squares.size != 0)
        add_up<Shape::threads>(lane, plan, s.squares, static_cast<double>(m[plan.squares_at + t]));
    }
  }

private:
  using Known::settled;
  using Known::tables;
  static constexpr int coarse_wide = Known::coarse_wide;
  static constexpr int coarse_points = Known::coarse_points;

  /// A thread's points in a plane: row, then x.
  struct Cell {
    T at[2][2] = {};
  };
  template <class Lane, class Memory>
  RIDGE_DEVICE static void fetch(const Lane& lane, const Memory& m, int to,
                                 const Span<const T>& from, int at) {
    if (at < 0) return;
    if constexpr (Lane::has_async_copy) {
      lane.template copy_async<1>(m, to, from, at);
    } else {
      m[to] = lane.load(from, at);
    }
  }
  /// Plane `at` of a field.
  RIDGE_DEVICE Span<const T> plane_of(const Span<const T>& of, int at) const {
    const Index points = Index{s.a.axes[0].points} * s.a.axes[1].points;
    return {of.data + points * at, points};
  }

  /// Begins to fetch u of plane p, b of the one before, and the coarse plane that the one behind
  /// needs. `at`: which plane of the field p is, -1 or less and `points` or more beyond walls; it
  /// becomes the next one's. `Slot`: of b.
  template <int Slot, class Lane, class Memory>
  RIDGE_DEVICE void begin(const Lane& lane, const Memory& m, const Job& job, const Mine& my, int p,
                          int& plane_at) const {
    const auto& z = s.a.axes[2];
    if (p < job.end) {
      const int slot = Room::u + (p & 3) * Room::u_plane;
      const int to = slot + Room::ring + my.copy_at;
      constexpr int quarter = Shape::cells_wide / 2;
      if (s.u.size == 0) {
      } else if (static_cast<unsigned>(plane_at) < static_cast<unsigned>(z.points)) {
        const Span<const T> from = plane_of(s.u, plane_at);
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          fetch(lane, m, to + i / 2 * pitch + i % 2 * quarter, from, my.offset[i / 2][i % 2]);
        if constexpr (!Up) fetch(lane, m, slot + my.ring_at, from, my.ring_offset);
      } else { // beyond a wall
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          m[to + i / 2 * pitch + i % 2 * quarter] = T(0);
        if (my.ring_offset >= 0) m[slot + my.ring_at] = T(0);
      }
      int at_b = plane_at - 1;
      if (z.is_periodic && at_b < 0) at_b = z.points - 1;
      if (static_cast<unsigned>(at_b) < static_cast<unsigned>(z.points)) {
        const Span<const T> from = plane_of(s.b, at_b);
        const int to_b = Room::b + Slot * Room::plane + my.copy_at;
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          fetch(lane, m, to_b + i / 2 * pitch + i % 2 * quarter, from, my.offset[i / 2][i % 2]);
      }
      if constexpr (Up) {
        // Those around plane p + 1 that plane p does not lie between.
        const auto& over = s.transfer[2];
        const int needed = over.left_of(p + 1) + 1;
        RIDGE_NO_UNROLL
        for (int c = over.left_of(p) + (p == job.begin ? 0 : 2); c <= needed; ++c) {
          const int at_z = over.coarse_place(c);
          if (at_z < 0) continue;
          const Index points = Index{s.transfer[0].coarse} * s.transfer[1].coarse;
          const Span<const T> from{s.coarse.data + points * at_z, points};
          const int to_c = plan.coarse_at + (c & 3) * coarse_points + lane.thread().x;
          fetch(lane, m, to_c, from, my.coarse[0]);
          fetch(lane, m, to_c + Shape::threads, from, my.coarse[1]);
        }
      }
    }
    if constexpr (Lane::has_async_copy) lane.copy_commit();
    ++plane_at;
    if (z.is_periodic && plane_at >= z.points) plane_at = 0;
  }

  /// Coarse plane p at the cell's points.
  template <class Lane, class Memory>
  RIDGE_DEVICE Cell interpolated(const Lane& lane, const Memory& m, int p) const {
    const int cell_x = lane.thread().x % Shape::cells_wide;
    const int cell_y = lane.thread().x / Shape::cells_wide;
    const int from = plan.coarse_at + (p & 3) * coarse_points + cell_y * coarse_wide + cell_x;
    const int wx = Room::x_table + 4 * cell_x;
    const int wy = Room::y_table + 4 * cell_y;
    T rows[2][2];
    RIDGE_UNROLL
    for (int j = 0; j < 2; ++j) {
      const T a = m[from + j * coarse_wide];
      const T b = m[from + j * coarse_wide + 1];
      const T low = m[wx];
      const T high = m[wx + 1];
      const T there = m[wx + 2]; // points of odd x are coarse ones
      rows[j][0] = fma(low, a, high * b);
      rows[j][1] = there * b;
    }
    const T low = m[wy];
    const T high = m[wy + 1];
    const T there = m[wy + 2];
    Cell c;
    RIDGE_UNROLL
    for (int h = 0; h < 2; ++h) {
      c.at[0][h] = fma(low, rows[0][h], high * rows[1][h]);
      c.at[1][h] = there * rows[1][h];
    }
    return c;
  }

  struct Held {
    Cell u[3], first[3], second[3], b[3]; ///< of three steps in turn
    Cell left, right;                     ///< Up: coarse planes around plane p
    Cell sum;                             ///< of residuals of planes, for the next coarse one
    T part = 0;                           ///< of a coarse point, without the next row's
    int emitted = -1;                     ///< the coarse plane whose parts are these
  };

  /// b - A u at a cell: `from` is where its own values lie in shared memory.
  template <class Memory>
  RIDGE_DEVICE Cell residual(const Memory& m, int from, int below_at, int above_at,
                             const Cell& before, const Cell& own, const Cell& behind,
                             const Cell& b) const {
    T left[2];
    T right[2];
    T below[2];
    T above[2];
    RIDGE_UNROLL
    for (int r = 0; r < 2; ++r) {
      left[r] = m[from + r * pitch + odd - 1];
      right[r] = m[from + r * pitch + 1];
    }
    below[0] = m[from + below_at];
    below[1] = m[from + below_at + odd];
    above[0] = m[from + above_at];
    above[1] = m[from + above_at + odd];
    Cell result;
    RIDGE_UNROLL
    for (int r = 0; r < 2; ++r) {
      RIDGE_UNROLL
      for (int h = 0; h < 2; ++h) {
        T sum = fma(-s.alike.diagonal, own.at[r][h], b.at[r][h]);
        sum = fma(s.alike.of[2], before.at[r][h], sum);
        sum = fma(s.alike.of[2], behind.at[r][h], sum);
        sum = fma(s.alike.of[0], own.at[r][1 - h], sum);
        sum = fma(s.alike.of[1], own.at[1 - r][h], sum);
        sum = fma(s.alike.of[0], h == 0 ? left[r] : right[r], sum);
        sum = fma(s.alike.of[1], r == 0 ? below[h] : above[h], sum);
        result.at[r][h] = sum;
      }
    }
    return result;
  }
  /// own + weight residual / diagonal, and 0 beyond walls.
  RIDGE_DEVICE Cell swept(const Mine& my, bool is_plane, T weight, const Cell& own,
                          const Cell& residual) const {
    Cell result;
    const T scaled = weight * s.alike.inverse;
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i)
      result.at[i / 2][i % 2] = fma(scaled, residual.at[i / 2][i % 2], own.at[i / 2][i % 2]);
    if (!my.is_inside() || !is_plane) {
      RIDGE_UNROLL
      for (int i = 0; i < 4; ++i)
        if (!is_plane || !my.is_inside(i)) result.at[i / 2][i % 2] = T(0);
    }
    return result;
  }
  template <class Memory>
  RIDGE_DEVICE static void put(const Memory& m, int at, const Cell& cell) {
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i)
      m[at + i / 2 * pitch + i % 2 * odd] = cell.at[i / 2][i % 2];
  }

  template <class Lane, class Memory>
  RIDGE_DEVICE void march(const Lane& lane, const Memory& m, const Job& job, int t) const {
    const Mine my = settled(job, t);
    Held held;
    const auto& z = s.a.axes[2];
    int next = z.is_periodic ? place(z, job.begin) : job.begin;
    begin<slot_of_b(0)>(lane, m, job, my, job.begin, next);
    begin<slot_of_b(1)>(lane, m, job, my, job.begin + 1, next);
    if constexpr (Lane::has_async_copy) lane.template copy_wait<Up ? 0 : 1>();
    lane.barrier();
    if constexpr (Up) {
      held.left = interpolated(lane, m, s.transfer[2].left_of(job.begin));
      held.right = interpolated(lane, m, s.transfer[2].left_of(job.begin) + 1);
    }
    int p = job.begin;
    RIDGE_NO_UNROLL
    for (; p + 2 < job.end; p += 3) {
      step<0>(lane, m, job, my, held, next, p);
      step<1>(lane, m, job, my, held, next, p + 1);
      step<2>(lane, m, job, my, held, next, p + 2);
    }
    if (p < job.end) step<0>(lane, m, job, my, held, next, p);
    if (p + 1 < job.end) step<1>(lane, m, job, my, held, next, p + 1);
    if constexpr (!Up) give_coarse(lane, m, my, held);
  }

  /// `Turn`: (p - job.begin) % 3. In the first steps stages compute planes that nobody needs, of
  /// numbers that are finite.
  template <int Turn, class Lane, class Memory>
  RIDGE_DEVICE void step(const Lane& lane, const Memory& m, const Job& job, const Mine& my,
                         Held& held, int& next, int p) const {
    constexpr int now = Turn;
    constexpr int last = (Turn + 2) % 3;
    constexpr int old = (Turn + 1) % 3;
    begin<slot_of_b(Turn + 2)>(lane, m, job, my, p + 2, next);
    const int to = (p & 1) * Room::plane; // in planes of sweeps
    const int from = Room::plane - to;

    Cell& u = held.u[now]; // plane p
    {
      const int at = Room::u + (p & 3) * Room::u_plane + Room::ring + my.at;
      RIDGE_UNROLL
      for (int i = 0; i < 4; ++i)
        u.at[i / 2][i % 2] = m[at + i / 2 * pitch + i % 2 * odd];
      if constexpr (Up) {
        if (p > job.begin && s.transfer[2].left_of(p) != s.transfer[2].left_of(p - 1)) {
          held.left = held.right;
          held.right = interpolated(lane, m, s.transfer[2].left_of(p) + 1);
        }
        const int z_at = Room::z_table + 2 * (p - job.begin);
        const T low = m[z_at];
        const T high = m[z_at + 1];
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          u.at[i / 2][i % 2] = fma(low, held.left.at[i / 2][i % 2],
                                   fma(high, held.right.at[i / 2][i % 2], u.at[i / 2][i % 2]));
        put(m, at, u);
      }
    }
    {
      const int at = Room::b + slot_of_b(Turn) * Room::plane + my.at;
      RIDGE_UNROLL
      for (int i = 0; i < 4; ++i) // plane p - 1
        held.b[now].at[i / 2][i % 2] = m[at + i / 2 * pitch + i % 2 * odd];
    }

    // The first sweep, in plane p - 1.
    const int u_at = Room::u + ((p - 1) & 3) * Room::u_plane + Room::ring + my.at;
    const int u_below = Up ? my.below : -pitch;
    const Cell of_u =
        residual(m, u_at, u_below, my.above, held.u[old], held.u[last], u, held.b[now]);
    held.first[now] = swept(my, is_plane(p - 1), s.weights[0], held.u[last], of_u);
    put(m, Room::first + to + my.at, held.first[now]);
    if constexpr (!Up) {
      if (s.squares.size != 0 && p - 1 >= job.first && p - 1 < job.last) {
        T squares = m[plan.squares_at + lane.thread().x];
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          if (my.owns(i)) squares = fma(of_u.at[i / 2][i % 2], of_u.at[i / 2][i % 2], squares);
        m[plan.squares_at + lane.thread().x] = squares;
      }
    }

    // The second, in plane p - 2.
    const Cell of_first =
        residual(m, Room::first + from + my.at, my.below, my.above, held.first[old],
                 held.first[last], held.first[now], held.b[last]);
    held.second[now] = swept(my, is_plane(p - 2), s.weights[1], held.first[last], of_first);
    if constexpr (Up) {
      if (p - 2 >= job.first && p - 2 < job.last) {
        put(m, Room::second + my.at, held.second[now]);
        lane.warp_barrier();
        store(lane, m, my, Room::second + my.copy_at, p - 2);
      }
    } else {
      put(m, Room::second + to + my.at, held.second[now]);
      if (p - 3 >= job.first && p - 3 < job.last)
        store(lane, m, my, Room::second + from + my.copy_at, p - 3);
      give_coarse(lane, m, my, held);
      // The residual, in plane p - 3.
      const Cell rest =
          residual(m, Room::second + from + my.at, my.below, my.above, held.second[old],
                   held.second[last], held.second[now], held.b[old]);
      take(lane, m, job, my, held, p - 3, rest);
    }
    if constexpr (Lane::has_async_copy) lane.template copy_wait<1>();
    lane.barrier();
  }
  /// Where b of the plane before lies, `turn` planes behind the job's first one.
  static constexpr int slot_of_b(int turn) { return (turn + 2) % 3; }

  template <class Lane, class Memory>
  RIDGE_DEVICE void store(const Lane& lane, const Memory& m, const Mine& my, int from,
                          int p) const {
    const Index points = Index{s.a.axes[0].points} * s.a.axes[1].points;
    const Span<T> to{s.out.data + points * p, points};
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const T value = m[from + i / 2 * pitch + i % 2 * (Shape::cells_wide / 2)];
      if (my.stores(i)) lane.store(to, my.offset[i / 2][i % 2], value);
    }
  }

  /// True if there is a plane p.
  RIDGE_DEVICE bool is_plane(int p) const {
    const auto& z = s.a.axes[2];
    return z.is_periodic || static_cast<unsigned>(p) < static_cast<unsigned>(z.points);
  }

  /// Adds the residual of plane q to the coarse planes that take it. Where one is complete: along
  /// x, and along y but for the row of the next cell.
  template <class Lane, class Memory>
  RIDGE_DEVICE void take(const Lane& lane, const Memory& m, const Job& job, const Mine& my,
                         Held& held, int q, const Cell& residual) const {
    const auto& z = s.transfer[2];
    const int k = (q - z.first) >> 1;
    const auto weight = [&](int plane_of, int which) {
      const int i = plane_of - (job.coarse[2] - 1);
      const bool is_there = i >= 0 && i < job.coarse_planes + 2;
      return is_there ? m[plan.taken_at + 3 * i + which] : T(0);
    };
    const bool between = ((q - z.first) & 1) != 0;
    const T to_this = weight(k, between ? 2 : 1);
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i)
      held.sum.at[i / 2][i % 2] =
          fma(to_this, residual.at[i / 2][i % 2], held.sum.at[i / 2][i % 2]);
    if (!between) return;
    if (k >= job.coarse[2] && k < job.coarse[2] + job.coarse_planes && k < z.coarse) {
      const int wx = Room::x_table + 3 * (lane.thread().x % Shape::cells_wide);
      const int wy = Room::y_table + 3 * (lane.thread().x / Shape::cells_wide);
      T row[2];
      const T x0 = m[wx];
      const T x1 = m[wx + 1];
      const T x2 = m[wx + 2];
      const int beside = (lane.lane() + 1) % lane.width();
      RIDGE_UNROLL
      for (int r = 0; r < 2; ++r)
        row[r] = fma(x2, lane.shuffle(held.sum.at[r][0], beside),
                     fma(x1, held.sum.at[r][1], x0 * held.sum.at[r][0]));
      const T y0 = m[wy];
      const T y1 = m[wy + 1];
      held.part = fma(y1, row[1], y0 * row[0]);
      m[Room::sums + lane.thread().x] = row[0];
      held.emitted = k;
    }
    const T to_next = weight(k + 1, 0);
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i)
      held.sum.at[i / 2][i % 2] = to_next * residual.at[i / 2][i % 2];
  }
  /// The coarse points whose parts were taken in the step before.
  template <class Lane, class Memory>
  RIDGE_DEVICE void give_coarse(const Lane& lane, const Memory& m, const Mine& my,
                                Held& held) const {
    if (held.emitted < 0) return;
    if (my.to_coarse >= 0) {
      const T above = m[Room::sums + lane.thread().x + Shape::cells_wide];
      const T y2 = m[Room::y_table + 3 * (lane.thread().x / Shape::cells_wide) + 2];
      const Index points = Index{s.transfer[0].coarse} * s.transfer[1].coarse;
      lane.store(s.coarse, my.to_coarse + points * held.emitted,
                 s.scale * fma(y2, above, held.part));
    }
    held.emitted = -1;
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
