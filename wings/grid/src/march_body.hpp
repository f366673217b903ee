// Half a cycle on a level in one pass over a GPU's memory: two sweeps, the residual and its
// restriction, or interpolation and two sweeps. docs/design/solvers.md tells why it has this form.
//
// A block marches through the planes of a tile. Each step a plane of u arrives, and each stage
// works a plane behind the one before: interpolation, sweep, sweep, residual. A thread owns a
// column of neighbouring rows: their last planes stay in registers, and what neighbours in the
// plane need lies in shared memory, so that a step has one barrier. Threads beyond a wall work like
// others; weights are 0 across it, and what they hold is finite. Beyond periodic faces they compute
// the other end of the axis again.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/device/launch.hpp>

#include "march_tables.hpp"

#include <bit>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// `Up`: interpolation first; otherwise the residual is restricted. `Varied`: with a coefficient,
/// whose planes lie in shared memory; each stage computes the means that it needs.
template <class T, class Shape, bool Up, bool Varied>
struct MarchBody : MarchTables<T, Shape, Up, Varied> {
  static constexpr int max_threads = Shape::threads;
  static constexpr int min_blocks = Shape::blocks;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Up ? "multigrid up" : "multigrid down";
  using Known = MarchTables<T, Shape, Up, Varied>;
  using Room = typename Known::Room;
  using Stages = typename Known::Stages;
  using Column = typename Stages::Column;
  template <bool Even>
  using Mine = typename Stages::template Mine<Even>;
  template <bool Even>
  using Inverses = typename Stages::template Inverses<Even>;
  static constexpr int rows = Shape::rows;
  static constexpr int pitch = Known::pitch;
  static constexpr int plane = Room::plane;
  static constexpr int own_plane = Room::own_plane;
  static constexpr int ahead = Room::ahead;
  /// Whether it can add up squares of residuals.
  static constexpr bool counts = !Up && !Varied;

  using Known::plan;
  using Known::s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Job job = Job::of<Up>(plan, lane.block());
    const auto m = lane.template shared<T>(0, plan.shared_numbers);
    const int t = lane.rank();
    for (int i = t; i < plan.shared_numbers; i += Shape::threads)
      m[i] = Varied && i >= Room::k && i < Room::y_table ? T(1) : T(0);
    lane.barrier();
    tables(lane, m, job, t);
    lane.barrier(); // tables are read from here on
    const auto& y = s.a.axes[1];
    if constexpr (Varied) {
      march<false>(lane, m, job, t);
    } else if (job.region[1] >= y.even_begin && job.region[1] + Shape::high <= y.even_end) {
      march<true>(lane, m, job, t);
    } else {
      march<false>(lane, m, job, t);
    }
    if constexpr (counts) {
      if (s.squares.size != 0) {
        const double weight = s.weights[0];
        add_up<Shape::threads>(lane, plan, s.squares,
                               static_cast<double>(m[plan.squares_at + t]) / (weight * weight));
      }
    }
  }

private:
  using Known::tables;
  using Known::usual_z;

  template <class Lane, class Memory, class From>
  RIDGE_DEVICE static void fetch(const Lane& lane, const Memory& m, int to, const From& from,
                                 Index at) {
    if constexpr (Lane::has_async_copy) {
      lane.template copy_async<1>(m, to, from, at);
    } else {
      m[to] = lane.load(from, at);
    }
  }

  /// A plane to come: p, and which one of the field it is, -1 or less and `points` or more beyond
  /// walls.
  struct Coming {
    int p, at, b_slot;
  };
  /// Plane `at` of a field.
  RIDGE_DEVICE Span<const T> plane_of(const Span<const T>& of, int at) const {
    const Index points = Index{s.a.axes[0].points} * s.a.axes[1].points;
    return {of.data + points * at, points};
  }

  /// Begins to fetch u of the coming plane, b of the one before, and the coarse plane that the one
  /// behind needs.
  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE void begin(const Lane& lane, const Memory& m, const Job& job, const Mine<Even>& my,
                          Coming& next) const {
    const auto& z = s.a.axes[2];
    if (next.p < job.end) {
      if (s.u.size != 0 && static_cast<unsigned>(next.at) < static_cast<unsigned>(z.points)) {
        const Span<const T> from = plane_of(s.u, next.at);
        const int to = Room::u + (next.p & 3) * plane;
        if (!Even || my.is_inside(0)) {
          RIDGE_UNROLL
          for (int r = 0; r < rows; ++r)
            if (Even || my.is_inside(r))
              fetch(lane, m, to + my.at + r * pitch, from, my.row_offset(r));
        }
        if constexpr (!Up)
          if (my.ring_offset >= 0) fetch(lane, m, to + my.ring_at, from, my.ring_offset);
      }
      int at_b = next.at - 1;
      if (z.is_periodic && at_b < 0) at_b = z.points - 1;
      if (static_cast<unsigned>(at_b) < static_cast<unsigned>(z.points) &&
          (!Even || my.is_inside(0))) {
        const Span<const T> from = plane_of(s.b, at_b);
        const int to = Room::b + next.b_slot * own_plane + my.own_at;
        RIDGE_UNROLL
        for (int r = 0; r < rows; ++r)
          if (Even || my.is_inside(r)) fetch(lane, m, to + r * Shape::wide, from, my.row_offset(r));
      }
      if constexpr (Varied) {
        const Index points = Index{s.a.axes[0].points + 2} * (s.a.axes[1].points + 2);
        const Span<const T> from{s.a.k.data + points * place_of_k(z, next.at), points};
        const int to = Room::k + (next.p & 7) * plane;
        RIDGE_UNROLL
        for (int r = 0; r < rows; ++r)
          fetch(lane, m, to + my.at + r * pitch, from, my.k_offset[r]);
        if (my.k_ring_offset >= 0) fetch(lane, m, to + my.ring_at, from, my.k_ring_offset);
      }
      if constexpr (Up) {
        const auto& to = s.transfer[2];
        // Those around plane p + 1 that plane p does not lie between.
        const int needed = to.left_of(next.p + 1) + 1;
        RIDGE_NO_UNROLL
        for (int c = next.p == job.begin ? to.left_of(next.p) : to.left_of(next.p) + 2; c <= needed;
             ++c)
          coarse_plane<Even>(lane, m, job, my, c);
      }
    }
    if constexpr (Lane::has_async_copy) lane.copy_commit();
    ++next.p;
    ++next.at;
    if (z.is_periodic && next.at >= z.points) next.at = 0;
    next.b_slot = next.b_slot == 2 ? 0 : next.b_slot + 1;
  }
  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE void coarse_plane(const Lane& lane, const Memory& m, const Job& job,
                                 const Mine<Even>& my, int p) const {
    const int at_z = s.transfer[2].coarse_place(p);
    if (at_z < 0) return;
    const auto& cx = s.transfer[0];
    const auto& cy = s.transfer[1];
    const int to = plan.coarse_at + (p & 3) * plan.coarse_plane;
    RIDGE_NO_UNROLL
    for (int i = my.t; i < plan.coarse_plane; i += Shape::threads) {
      const int at_x = cx.coarse_place(job.coarse[0] + i % plan.coarse[0]);
      const int at_y = cy.coarse_place(job.coarse[1] + i / plan.coarse[0]);
      if (at_x >= 0 && at_y >= 0)
        fetch(lane, m, to + i, s.coarse, at_x + cx.coarse * (at_y + Index{cy.coarse} * at_z));
    }
  }

  /// Coarse plane p at the thread's points.
  template <bool Even, class Memory>
  RIDGE_DEVICE void interpolate(const Memory& m, const Job& job, const Mine<Even>& my, int p,
                                Column& to) const {
    const int from = plan.coarse_at + (p & 3) * plan.coarse_plane + my.coarse_x;
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int row = s.transfer[1].left_of(job.region[1] + my.first_row + r) - job.coarse[1];
      const int at = from + row * plan.coarse[0];
      const T a = m[at];
      const T b = m[at + 1];
      const T c = m[at + plan.coarse[0]];
      const T d = m[at + plan.coarse[0] + 1];
      const T low = m[Room::y_given + 2 * (my.first_row + r)];
      const T high = m[Room::y_given + 2 * (my.first_row + r) + 1];
      const T lower = fma(my.left, a, my.right * b);
      const T upper = fma(my.left, c, my.right * d);
      to.at[r] = fma(low, lower, high * upper);
    }
  }

  template <bool Even>
  struct Held {
    Column u, first, second; ///< of planes p - 2, p - 3 and p - 4
    Column b[2];             ///< of planes p - 2 and p - 3, by parity
    Column left, right;      ///< coarse planes around plane p
    Column sum;              ///< of residuals of planes, for the next coarse one
    Inverses<Even> inverse;  ///< in plane p - 2
    int b_slot = 0;
    int emitted = -1; ///< the coarse plane whose sums over z lie in shared memory
  };

  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE void march(const Lane& lane, const Memory& m, const Job& job, int t) const {
    const Mine<Even> my = this->template settled<Even>(lane, m, job, t);
    Held<Even> held;
    const T usual = usual_z(lane);
    held.inverse = Stages::template inverses<Even>(m, my, usual, usual);
    const auto& z = s.a.axes[2];
    Coming next{job.begin, job.begin, 2}; // b's plane p - 1 lies in slot (p - 1 - job.begin) % 3
    if (z.is_periodic) next.at = place(z, next.at);
    for (int i = 0; i < ahead; ++i)
      begin<Even>(lane, m, job, my, next);
    held.b_slot = 2;
    if constexpr (Up) {
      // The first two coarse planes: what others fetched is there behind a barrier.
      if constexpr (Lane::has_async_copy) lane.template copy_wait<0>();
      lane.barrier();
      interpolate<Even>(m, job, my, s.transfer[2].left_of(job.begin), held.left);
      interpolate<Even>(m, job, my, s.transfer[2].left_of(job.begin) + 1, held.right);
      lane.barrier();
    }
    int p = job.begin;
    RIDGE_NO_UNROLL
    for (; p + 1 < job.end; p += 2) {
      step<0>(lane, m, job, my, usual, held, next, p);
      step<1>(lane, m, job, my, usual, held, next, p + 1);
    }
    if (p < job.end) step<0>(lane, m, job, my, usual, held, next, p);
    if constexpr (!Up) {
      if (held.emitted >= 0) restrict_plane<Even>(lane, m, job, my, held.emitted);
    }
  }

  /// `Parity`: of p - job.begin. In the first steps stages compute planes that nobody needs, of
  /// numbers that are finite.
  template <int Parity, bool Even, class Lane, class Memory>
  RIDGE_DEVICE void step(const Lane& lane, const Memory& m, const Job& job, const Mine<Even>& my,
                         T usual, Held<Even>& held, Coming& next, int p) const {
    constexpr int even = Parity; // the slot of planes p, p - 2 and p - 4
    constexpr int odd = 1 - Parity;
    const int z_at = Room::z_table + Room::z_numbers * (p - job.begin + Room::z_before);
    begin<Even>(lane, m, job, my, next);
    Inverses<Even> inverse;
    if constexpr (!Varied) {
      const T z_own = m[z_at - Room::z_numbers + 2];
      inverse = Stages::template inverses<Even>(m, my, z_own, usual);
    }
    if constexpr (Lane::has_async_copy) lane.template copy_wait<ahead>();

    Column u; // plane p
    {
      const int at = Room::u + (p & 3) * plane + my.at;
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        u.at[r] = m[at + r * pitch];
      if constexpr (Up) {
        if (p > job.begin && s.transfer[2].left_of(p) != s.transfer[2].left_of(p - 1)) {
          held.left = held.right;
          interpolate<Even>(m, job, my, s.transfer[2].left_of(p) + 1, held.right);
        }
        const T low = m[z_at + Room::z_given];
        const T high = m[z_at + Room::z_given + 1];
        RIDGE_UNROLL
        for (int r = 0; r < rows; ++r) {
          u.at[r] = fma(low, held.left.at[r], fma(high, held.right.at[r], u.at[r]));
          m[at + r * pitch] = u.at[r];
        }
      }
    }
    Column b; // plane p - 1
    {
      const int at = Room::b + held.b_slot * own_plane + my.own_at;
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        b.at[r] = m[at + r * Shape::wide];
    }

    // The first sweep, in plane p - 1.
    const int u_at = Room::u + ((p - 1) & 3) * plane;
    const Column own_u = Stages::column(m, u_at + my.at);
    Column first;
    Stages::template stage<Even>(s.a.shift, m, my, z_at - Room::z_numbers, p - 1, u_at, held.u,
                                 own_u, u, b, inverse, [&](int r, T residual, T of_diagonal) {
                                   first.at[r] =
                                       fma(s.weights[0] * of_diagonal, residual, own_u.at[r]);
                                 });
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r)
      m[Room::first + odd * plane + my.at + r * pitch] = first.at[r];
    held.u = own_u;
    if constexpr (counts) {
      if (s.squares.size != 0 && p - 1 >= job.first && p - 1 < job.last &&
          p - 1 >= plan.counted[0] && p - 1 < plan.counted[1])
        count<Even>(m, my, z_at - Room::z_numbers, own_u, first);
    }

    // The second, in plane p - 2.
    const Column own_first = Stages::column(m, Room::first + even * plane + my.at);
    Column second;
    Stages::template stage<Even>(
        s.a.shift, m, my, z_at - 2 * Room::z_numbers, p - 2, Room::first + even * plane, held.first,
        own_first, first, held.b[even], held.inverse, [&](int r, T residual, T of_diagonal) {
          second.at[r] = fma(s.weights[1] * of_diagonal, residual, own_first.at[r]);
        });
    held.inverse = inverse;
    held.first = own_first;
    if (p - 2 >= job.first && p - 2 < job.last) {
      const Index points = Index{s.a.axes[0].points} * s.a.axes[1].points;
      const Span<T> to{s.out.data + points * (p - 2), points};
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        if ((my.stores >> r & 1) != 0) lane.store(to, my.row_offset(r), second.at[r]);
    }

    if constexpr (!Up) {
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        m[Room::second + even * plane + my.at + r * pitch] = second.at[r];
      if (held.emitted >= 0) {
        restrict_plane<Even>(lane, m, job, my, held.emitted);
        if (s.transfer[2].halved == 0) lane.barrier(); // the next one is written in this step
      }
      held.emitted = -1;
      // The residual, in plane p - 3.
      const Column own_second = Stages::column(m, Room::second + odd * plane + my.at);
      Column residual;
      Stages::template stage<Even>(s.a.shift, m, my, z_at - 3 * Room::z_numbers, p - 3,
                                   Room::second + odd * plane, held.second, own_second, second,
                                   held.b[odd], held.inverse,
                                   [&](int r, T value, T) { residual.at[r] = value; });
      take<Even>(lane, m, job, my, held, p - 3, residual);
      held.second = own_second;
    }
    held.b[odd] = b;
    held.b_slot = held.b_slot == 2 ? 0 : held.b_slot + 1;
    lane.barrier();
  }

  /// Adds squares of residuals of u in a plane. What the first sweep added to it is the residual
  /// over the diagonal, times the sweep's weight: taken from there it costs the sweep no registers.
  template <bool Even, class Memory>
  RIDGE_DEVICE void count(const Memory& m, const Mine<Even>& my, int z_at, const Column& u,
                          const Column& first) const {
    const T z_own = m[z_at + 2];
    T squares = m[plan.squares_at + my.t];
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      T y_own = my.y_own;
      if constexpr (!Even) y_own = m[Room::y_table + 4 * (my.first_row + r) + 2];
      const T diagonal = (my.x_own + y_own) + z_own;
      const T residual = (first.at[r] - u.at[r]) * diagonal;
#if defined(RIDGE_TARGET_HIP) // a branch takes more scalar registers than AMD's waves have
      squares += static_cast<T>(my.stores >> r & 1) * (residual * residual);
#else // which costs NVIDIA's nothing, and the product a tenth of the pass
      if ((my.stores >> r & 1) != 0) squares += residual * residual;
#endif
    }
    m[plan.squares_at + my.t] = squares;
  }

  /// Adds the residual of plane q to the coarse planes that take it.
  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE void take(const Lane& lane, const Memory& m, const Job& job, const Mine<Even>& my,
                         Held<Even>& held, int q, const Column& residual) const {
    const auto& z = s.transfer[2];
    const int k = (q - z.first) >> z.halved;
    const auto weight = [&](int plane_of, int which) {
      const int i = plane_of - (job.coarse[2] - 1);
      const bool is_there = i >= 0 && i < job.coarse_planes + 2;
      return is_there ? m[plan.taken_at + 3 * i + which] : T(0);
    };
    const bool between = z.halved != 0 && ((q - z.first) & 1) != 0;
    const T to_this = weight(k, between ? 2 : 1);
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r)
      held.sum.at[r] =
          z.halved == 0 ? to_this * residual.at[r] : fma(to_this, residual.at[r], held.sum.at[r]);
    if (between || z.halved == 0) {
      if (k >= job.coarse[2] && k < job.coarse[2] + job.coarse_planes && k < z.coarse) {
        RIDGE_UNROLL
        for (int r = 0; r < rows; ++r)
          m[Room::sums + my.own_at + r * Shape::wide] = held.sum.at[r];
        held.emitted = k;
      }
    }
    if (between) {
      const T to_next = weight(k + 1, 0);
      RIDGE_UNROLL
      for (int r = 0; r < rows; ++r)
        held.sum.at[r] = to_next * residual.at[r];
    }
  }

  /// Coarse plane k of the tile: along y, then along x.
  template <bool Even, class Lane, class Memory>
  RIDGE_DEVICE void restrict_plane(const Lane& lane, const Memory& m, const Job& job,
                                   const Mine<Even>& my, int k) const {
    const auto& tx = s.transfer[0];
    const auto& ty = s.transfer[1];
    // A row's coarse points and some more, so that no division tells which one.
    constexpr int wide_bits = std::bit_width(static_cast<unsigned>(Shape::wide)) - 1;
    static_assert(Shape::wide == 1 << wide_bits);
    const int bits = wide_bits - tx.halved;
    RIDGE_NO_UNROLL
    for (int i = my.t; i < plan.coarse[1] << bits; i += Shape::threads) {
      const int cx = i & ((1 << bits) - 1);
      const int cy = i >> bits;
      const int to_x = job.coarse[0] + cx;
      const int to_y = job.coarse[1] + cy;
      if (cx >= plan.coarse[0] || to_x >= tx.coarse || to_y >= ty.coarse) continue;
      const int x = plan.margin + (cx << tx.halved) + tx.halved;
      const int y = plan.margin + (cy << ty.halved) + ty.halved;
      T sum = 0;
      RIDGE_UNROLL
      for (int dx = -1; dx <= 1; ++dx) {
        T along_y = 0;
        RIDGE_UNROLL
        for (int dy = -1; dy <= 1; ++dy) {
          const T weight = m[Room::y_taken + 3 * cy + 1 + dy];
          const T value = m[Room::sums + (y + dy) * Shape::wide + x + dx];
          along_y = fma(weight, value, along_y);
        }
        const T weight = m[Room::x_taken + 3 * cx + 1 + dx];
        sum = fma(weight, along_y, sum);
      }
      lane.store(s.coarse, to_x + tx.coarse * (to_y + Index{ty.coarse} * k), s.scale * sum);
    }
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
