// Half a cycle in one pass over a GPU's memory, as in march_body.hpp, of levels all of whose points
// weigh alike and all of whose axes are halved.
//
// A thread has a column of cells, the 2x2 points around a coarse one and before it, or two. Its
// planes stay in registers, three in turn; what neighbours need lies in shared memory, the points
// of a row with even x before those with odd x, so that a warp reads neighbouring numbers. Beyond a
// wall all is 0, and beyond a mirror what it shows is computed again.
//
// Products and sums are fused by name. A step stands here several times, and nvcc fused the sum of
// some products in one copy and not in another.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/device/launch.hpp>

#include "march_cells_tables.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// `Mirrors`: some end is one. Others' passes took an eighth longer with that in their code.
template <class T, class Shape, bool Up, bool Mirrors>
struct CellsBody : CellsTables<T, Shape, Up, Mirrors> {
  using Known = CellsTables<T, Shape, Up, Mirrors>;
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
  using Known::has_mirror;
  using Known::reflected;
  using Known::settled;
  using Known::tables;
  static constexpr int coarse_wide = Known::coarse_wide;
  static constexpr int coarse_points = Known::coarse_points;

  static constexpr int rows = Shape::rows;
  static constexpr int cells = rows / 2;
  static constexpr int points = 2 * rows;

  /// A thread's points in a plane: row, then x.
  struct Cells {
    T at[rows][2] = {};
  };
  template <class Lane, class Memory>
  RIDGE_DEVICE static void fetch(const Lane& lane, const Memory& m, int to,
                                 const Span<const T>& from, int at) {
    if constexpr (Lane::has_async_copy) {
      lane.template copy_async<1>(m, to, from, at);
    } else {
      m[to] = lane.load(from, at);
    }
  }
  /// The thread's points of a plane at `from`.
  template <class Lane, class Memory>
  RIDGE_DEVICE static void fetch_cells(const Lane& lane, const Memory& m, const Mine& my, int to,
                                       const Span<const T>& from) {
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i)
      if (my.fetches(i))
        fetch(lane, m, to + i / 2 * pitch + i % 2 * (Shape::cells_wide / 2), from,
              my.offset[i / 2][i % 2]);
  }
  /// Points of a plane.
  RIDGE_DEVICE int in_plane() const { return s.a.axes[0].points * s.a.axes[1].points; }

  /// In fp32 a pointer moves from plane to plane: an address is then one sum. In fp64 registers
  /// are scarce.
  static constexpr bool moves = sizeof(T) == 4;
  /// Planes of a field, one after the other.
  struct Planes {
    int at;        ///< beyond walls less than 0, or the number of points or more
    const T* from; ///< where `moves`; beyond walls the first plane, or behind the last one
  };
  RIDGE_DEVICE Planes planes_from(const T* field, int at) const {
    const auto& z = s.a.axes[2];
    const int there = z.is_periodic ? place(z, at) : at;
    return {there, field + Index{in_plane()} * (there < 0 ? 0 : there)};
  }
  RIDGE_DEVICE bool is_there(const Planes& planes) const {
    return static_cast<unsigned>(planes.at) < static_cast<unsigned>(s.a.axes[2].points);
  }
  /// Whether there is such a plane, or a mirror shows one.
  RIDGE_DEVICE bool is_seen(const Planes& planes) const {
    return is_there(planes) || has_mirror(2, planes.at < 0 ? 0 : 1);
  }
  RIDGE_DEVICE Span<const T> plane_at(const Planes& planes, const T* field) const {
    if (moves && (!Mirrors || is_there(planes))) return {planes.from, in_plane()};
    return {field + Index{in_plane()} * reflected(2, planes.at, s.a.axes[2].points), in_plane()};
  }
  RIDGE_DEVICE void advance(Planes& planes, const T* field) const {
    const auto& z = s.a.axes[2];
    if (moves && is_there(planes)) planes.from += in_plane();
    if (++planes.at >= z.points && z.is_periodic) planes = {0, field};
  }
  struct Next {
    Planes u, b;
  };
  /// Where there is no u, none is fetched.
  RIDGE_DEVICE const T* u_or_b() const { return s.u.size == 0 ? s.b.data : s.u.data; }

  /// Begins to fetch u of plane p, b of the one before, and the coarse plane that the one behind
  /// needs. `next`: which planes of the fields these are; it becomes the next ones. `Slot`: of b.
  template <int Slot, class Lane, class Memory>
  RIDGE_DEVICE void begin(const Lane& lane, const Memory& m, const Job& job, const Mine& my, int p,
                          Next& next) const {
    if (p < job.end) {
      const int slot = Room::u + (p & 3) * Room::u_plane;
      const int to = slot + Room::ring + my.copy_at;
      if (s.u.size == 0) {
      } else if (is_seen(next.u)) {
        const Span<const T> from = plane_at(next.u, s.u.data);
        fetch_cells(lane, m, my, to, from);
        if constexpr (!Up)
          if (my.fetches_ring()) fetch(lane, m, slot + my.ring_at, from, my.ring_offset);
      } else { // beyond a wall
        RIDGE_UNROLL
        for (int i = 0; i < points; ++i)
          m[to + i / 2 * pitch + i % 2 * (Shape::cells_wide / 2)] = T(0);
        if (my.fetches_ring()) m[slot + my.ring_at] = T(0);
      }
      if (is_seen(next.b))
        fetch_cells(lane, m, my, Room::b + Slot * Room::plane + my.copy_at,
                    plane_at(next.b, s.b.data));
      if constexpr (Up) fetch_coarse(lane, m, job, my, p);
    }
    if constexpr (Lane::has_async_copy) lane.copy_commit();
    advance(next.u, u_or_b());
    advance(next.b, s.b.data);
  }
  /// The coarse planes around plane p + 1 that plane p does not lie between.
  template <class Lane, class Memory>
  RIDGE_DEVICE void fetch_coarse(const Lane& lane, const Memory& m, const Job& job, const Mine& my,
                                 int p) const {
    const auto& over = s.transfer[2];
    const int needed = over.left_of(p + 1) + 1;
    RIDGE_NO_UNROLL
    for (int c = over.left_of(p) + (p == job.begin ? 0 : 2); c <= needed; ++c) {
      const int at_z = this->coarse_placed(2, c);
      if (at_z < 0) continue;
      const int in_coarse = s.transfer[0].coarse * s.transfer[1].coarse;
      const Span<const T> from{s.coarse.data + Index{in_coarse} * at_z, in_coarse};
      const int to = plan.coarse_at + (c & 3) * coarse_points + lane.thread().x;
      RIDGE_UNROLL
      for (int k = 0; k < Known::coarse_fetches; ++k)
        if (my.coarse[k] >= 0) fetch(lane, m, to + k * Shape::threads, from, my.coarse[k]);
    }
  }

  /// Coarse plane p at the thread's points.
  template <class Lane, class Memory>
  RIDGE_DEVICE Cells interpolated(const Lane& lane, const Memory& m, int p) const {
    const int cell_x = lane.thread().x % Shape::cells_wide;
    const int cell_y = lane.thread().x / Shape::cells_wide * cells;
    const int from = plan.coarse_at + (p & 3) * coarse_points + cell_y * coarse_wide + cell_x;
    const int wx = Room::x_table + 4 * cell_x;
    const int wy = Room::y_table + 4 * cell_y;
    T along_x[cells + 1][2];
    RIDGE_UNROLL
    for (int j = 0; j <= cells; ++j) {
      const T a = m[from + j * coarse_wide];
      const T b = m[from + j * coarse_wide + 1];
      const T low = m[wx];
      const T high = m[wx + 1];
      const T there = m[wx + 2]; // points of odd x are coarse ones
      along_x[j][0] = fma(low, a, high * b);
      along_x[j][1] = there * b;
    }
    Cells c;
    RIDGE_UNROLL
    for (int j = 0; j < cells; ++j) {
      const T low = m[wy + 4 * j];
      const T high = m[wy + 4 * j + 1];
      const T there = m[wy + 4 * j + 2];
      RIDGE_UNROLL
      for (int h = 0; h < 2; ++h) {
        c.at[2 * j][h] = fma(low, along_x[j][h], high * along_x[j + 1][h]);
        c.at[2 * j + 1][h] = there * along_x[j + 1][h];
      }
    }
    return c;
  }

  struct Held {
    Cells u[3], first[3], second[3], b[3]; ///< of three steps in turn
    Cells left, right;                     ///< Up: coarse planes around plane p
    Cells sum;                             ///< of residuals of planes, for the next coarse one
    T part[cells] = {};                    ///< of coarse points, the last without the next row's
    int emitted = -1;                      ///< the coarse plane whose parts are these
    T* out = nullptr;                      ///< where `moves`: the plane that is stored next
  };

  /// b - A u at cells: `from` is where their own values lie in shared memory.
  template <class Memory>
  RIDGE_DEVICE Cells residual(const Memory& m, int from, int below_at, int above_at,
                              const Cells& before, const Cells& own, const Cells& behind,
                              const Cells& b) const {
    T left[rows];
    T right[rows];
    T below[2];
    T above[2];
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      left[r] = m[from + r * pitch + odd - 1];
      right[r] = m[from + r * pitch + 1];
    }
    below[0] = m[from + below_at];
    below[1] = m[from + below_at + odd];
    above[0] = m[from + above_at];
    above[1] = m[from + above_at + odd];
    Cells result;
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      RIDGE_UNROLL
      for (int h = 0; h < 2; ++h) {
        T sum = fma(-s.alike.diagonal, own.at[r][h], b.at[r][h]);
        sum = fma(s.alike.of[2], before.at[r][h], sum);
        sum = fma(s.alike.of[2], behind.at[r][h], sum);
        sum = fma(s.alike.of[0], own.at[r][1 - h], sum);
        const bool is_upper = r % 2 != 0; // of its cell, whose other row comes first
        sum = fma(s.alike.of[1], own.at[is_upper ? r - 1 : r + 1][h], sum);
        sum = fma(s.alike.of[0], h == 0 ? left[r] : right[r], sum);
        const int beyond = is_upper ? r + 1 : r - 1;
        T outer;
        if (beyond < 0) {
          outer = below[h];
        } else if (beyond == rows) {
          outer = above[h];
        } else {
          outer = own.at[beyond][h];
        }
        sum = fma(s.alike.of[1], outer, sum);
        result.at[r][h] = sum;
      }
    }
    return result;
  }
  /// own + weight residual / diagonal, and 0 beyond walls.
  RIDGE_DEVICE Cells swept(const Mine& my, bool is_plane, T weight, const Cells& own,
                           const Cells& residual) const {
    Cells result;
    const T scaled = weight * s.alike.inverse;
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i)
      result.at[i / 2][i % 2] = fma(scaled, residual.at[i / 2][i % 2], own.at[i / 2][i % 2]);
    if (!my.is_inside() || !is_plane) { // rarely
      RIDGE_UNROLL
      for (int i = 0; i < points; ++i)
        if (!is_plane || !my.is_inside(i)) result.at[i / 2][i % 2] = T(0);
    }
    return result;
  }
  template <class Memory>
  RIDGE_DEVICE static void put(const Memory& m, int at, const Cells& cell) {
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i)
      m[at + i / 2 * pitch + i % 2 * odd] = cell.at[i / 2][i % 2];
  }

  template <class Lane, class Memory>
  RIDGE_DEVICE void march(const Lane& lane, const Memory& m, const Job& job, int t) const {
    const Mine my = settled(job, t);
    Held held;
    if constexpr (moves) held.out = s.out.data + Index{in_plane()} * job.first;
    Next next{planes_from(u_or_b(), job.begin), planes_from(s.b.data, job.begin - 1)};
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
                         Held& held, Next& next, int p) const {
    constexpr int now = Turn;
    constexpr int last = (Turn + 2) % 3;
    constexpr int old = (Turn + 1) % 3;
    begin<slot_of_b(Turn + 2)>(lane, m, job, my, p + 2, next);
    const int to = (p & 1) * Room::plane; // in planes of sweeps
    const int from = Room::plane - to;

    Cells& u = held.u[now]; // plane p
    {
      const int at = Room::u + (p & 3) * Room::u_plane + Room::ring + my.at;
      RIDGE_UNROLL
      for (int i = 0; i < points; ++i)
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
        for (int i = 0; i < points; ++i)
          u.at[i / 2][i % 2] = fma(low, held.left.at[i / 2][i % 2],
                                   fma(high, held.right.at[i / 2][i % 2], u.at[i / 2][i % 2]));
        put(m, at, u);
      }
    }
    {
      const int at = Room::b + slot_of_b(Turn) * Room::plane + my.at;
      RIDGE_UNROLL
      for (int i = 0; i < points; ++i) // plane p - 1
        held.b[now].at[i / 2][i % 2] = m[at + i / 2 * pitch + i % 2 * odd];
    }

    // The first sweep, in plane p - 1.
    const int u_at = Room::u + ((p - 1) & 3) * Room::u_plane + Room::ring + my.at;
    const int u_below = Up ? my.below : -pitch;
    const Cells of_u =
        residual(m, u_at, u_below, my.above, held.u[old], held.u[last], u, held.b[now]);
    held.first[now] = swept(my, is_plane(p - 1), s.weights[0], held.u[last], of_u);
    put(m, Room::first + to + my.at, held.first[now]);
    if constexpr (!Up) {
      if (p - 1 >= my.counts_from && p - 1 < job.last && p - 1 < plan.counted[1]) {
        T squares = m[plan.squares_at + lane.thread().x];
        RIDGE_UNROLL
        for (int i = 0; i < points; ++i)
          if (my.owns(i)) squares = fma(of_u.at[i / 2][i % 2], of_u.at[i / 2][i % 2], squares);
        m[plan.squares_at + lane.thread().x] = squares;
      }
    }

    // The second, in plane p - 2.
    const Cells of_first =
        residual(m, Room::first + from + my.at, my.below, my.above, held.first[old],
                 held.first[last], held.first[now], held.b[last]);
    held.second[now] = swept(my, is_plane(p - 2), s.weights[1], held.first[last], of_first);
    if constexpr (Up) {
      if (p - 2 >= job.first && p - 2 < job.last) {
        put(m, Room::second + my.at, held.second[now]);
        lane.warp_barrier();
        store(lane, m, my, held, Room::second + my.copy_at, p - 2);
      }
    } else {
      put(m, Room::second + to + my.at, held.second[now]);
      if (p - 3 >= job.first && p - 3 < job.last)
        store(lane, m, my, held, Room::second + from + my.copy_at, p - 3);
      give_coarse(lane, m, my, held);
      // The residual, in plane p - 3.
      const Cells rest =
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
  RIDGE_DEVICE void store(const Lane& lane, const Memory& m, const Mine& my, Held& held, int from,
                          int p) const {
    const Span<T> to{moves ? held.out : s.out.data + Index{in_plane()} * p, in_plane()};
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i) {
      const T value = m[from + i / 2 * pitch + i % 2 * (Shape::cells_wide / 2)];
      if (my.stores(i)) lane.store(to, my.offset[i / 2][i % 2], value);
    }
    if constexpr (moves) held.out += in_plane();
  }

  /// True if there is a plane p.
  RIDGE_DEVICE bool is_plane(int p) const {
    const auto& z = s.a.axes[2];
    return z.is_periodic || static_cast<unsigned>(p) < static_cast<unsigned>(z.points) ||
           has_mirror(2, p < 0 ? 0 : 1);
  }

  /// Adds the residual of plane q to the coarse planes that take it. Where one is complete: along
  /// x, and along y but for the row of the next cell.
  template <class Lane, class Memory>
  RIDGE_DEVICE void take(const Lane& lane, const Memory& m, const Job& job, const Mine& my,
                         Held& held, int q, const Cells& residual) const {
    const int behind = q - s.transfer[2].first - 2 * job.coarse[2]; // the job's first one
    const int k = behind >> 1;
    const bool between = (behind & 1) != 0;
    const int weights = plan.taken_at + 3 * (k + 1); // the first steps' lie before, and are 0
    const T to_this = m[weights + 1 + (behind & 1)];
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i)
      held.sum.at[i / 2][i % 2] =
          fma(to_this, residual.at[i / 2][i % 2], held.sum.at[i / 2][i % 2]);
    if (!between) return;
    if (static_cast<unsigned>(k) < static_cast<unsigned>(my.gives)) {
      const int wx = Room::x_table + 3 * (lane.thread().x % Shape::cells_wide);
      const int wy = Room::y_table + 3 * cells * (lane.thread().x / Shape::cells_wide);
      T row[rows];
      const T x0 = m[wx];
      const T x1 = m[wx + 1];
      const T x2 = m[wx + 2];
      const int beside = (lane.lane() + 1) % lane.width();
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        row[r] = fma(x2, lane.shuffle(held.sum.at[r][0], beside),
                     fma(x1, held.sum.at[r][1], x0 * held.sum.at[r][0]));
      RIDGE_UNROLL
      for (int c = 0; c < cells; ++c) {
        const T y0 = m[wy + 3 * c];
        const T y1 = m[wy + 3 * c + 1];
        held.part[c] = fma(y1, row[2 * c + 1], y0 * row[2 * c]);
        if (c + 1 == cells) continue; // needs the row of the next thread
        const T y2 = m[wy + 3 * c + 2];
        held.part[c] = fma(y2, row[2 * c + 2], held.part[c]);
      }
      m[Room::sums + lane.thread().x] = row[0];
      held.emitted = job.coarse[2] + k;
    }
    const T to_next = m[weights + 3];
    RIDGE_UNROLL
    for (int i = 0; i < points; ++i)
      held.sum.at[i / 2][i % 2] = to_next * residual.at[i / 2][i % 2];
  }
  /// The coarse points whose parts were taken in the step before.
  template <class Lane, class Memory>
  RIDGE_DEVICE void give_coarse(const Lane& lane, const Memory& m, const Mine& my,
                                Held& held) const {
    if (held.emitted < 0) return;
    T& last = held.part[cells - 1];
    if (my.to_coarse[cells - 1] >= 0) {
      const T above = m[Room::sums + lane.thread().x + Shape::cells_wide];
      const int cell = cells * (lane.thread().x / Shape::cells_wide) + cells - 1;
      const T y2 = m[Room::y_table + 3 * cell + 2];
      last = fma(y2, above, last);
    }
    const int in_coarse = s.transfer[0].coarse * s.transfer[1].coarse;
    const Span<T> to{s.coarse.data + Index{in_coarse} * held.emitted, in_coarse};
    RIDGE_UNROLL
    for (int c = 0; c < cells; ++c)
      if (my.to_coarse[c] >= 0) lane.store(to, my.to_coarse[c], s.scale * held.part[c]);
    held.emitted = -1;
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
