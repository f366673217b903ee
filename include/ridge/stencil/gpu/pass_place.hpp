// Where a lane of a pass is: its part of a job, and where its march has come to.
#pragma once

#include <ridge/stencil/gpu/pass_call.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// The points that a step takes care of: all that no sweep computes, and all that is to be
/// fetched or written only at times; such points on both ends of rows alone; those beyond faces
/// that all move; those beyond the face at which rows begin, or end, alone; those beyond periodic
/// faces alone; none.
enum class PassMask { none, along_x, low_x, high_x, round, sides, all };

/// Where the rings have come to.
struct PassTurns {
  int slot = 0;   ///< of the newest plane, in elements
  int parity = 0; ///< of the phase that counts its bytes
  int half = 0;   ///< of what warps hand on, the one that this step writes, in elements
  int older = 0;  ///< as `slot`, of the level before
};

/// Where a lane fetches next: what lies from its first value of plane `plane` on.
template <class T>
struct PassSource {
  Span<const T> from;
  int plane = 0;
};

/// The lane's part in rows and places of packs, all in one register.
class PassShares {
public:
  RIDGE_DEVICE PassShares(bool first_of_warp, bool first_of_block)
      : bits_((first_of_warp ? 1u << 6 : 0u) | (first_of_block ? 1u << 7 : 0u)) {}
  /// Whether the lane is the first of its warp, or of its block.
  [[nodiscard]] RIDGE_DEVICE bool first_of_warp() const { return has(6); }
  [[nodiscard]] RIDGE_DEVICE bool first_of_block() const { return has(7); }
  RIDGE_DEVICE void set_fetched(int row) { bits_ |= 1u << row; }
  RIDGE_DEVICE void set_whole(int row) { bits_ |= 1u << (row + whole_bit); }
  RIDGE_DEVICE void set_inside_x(int place) { bits_ |= 1u << (inside_x_bit + place); }
  RIDGE_DEVICE void set_sides(bool low, bool high) {
    bits_ |= (low ? 1u << sides_bit : 0u) | (high ? 2u << sides_bit : 0u);
  }
  /// Whether the tile holds points beyond a face in x that reflects.
  [[nodiscard]] RIDGE_DEVICE bool beyond_low() const { return has(sides_bit); }
  [[nodiscard]] RIDGE_DEVICE bool beyond_high() const { return has(sides_bit + 1); }
  /// Whether a place lies beyond a periodic face in x, and whether the lane's places are fetched
  /// one by one, since they do not lie together.
  [[nodiscard]] RIDGE_DEVICE bool around(int place) const { return has(around_bit + place); }
  [[nodiscard]] RIDGE_DEVICE bool apart() const { return has(apart_bit); }
  RIDGE_DEVICE void set_around(int place) { bits_ |= 1u << (around_bit + place); }
  RIDGE_DEVICE void set_apart() { bits_ |= 1u << apart_bit; }
  [[nodiscard]] RIDGE_DEVICE bool fetched(int row) const { return has(row); }
  /// Rows of which the lane writes all of its values.
  [[nodiscard]] RIDGE_DEVICE bool whole(int row) const { return has(row + whole_bit); }
  RIDGE_DEVICE void forget() { bits_ = forgotten(bits_); }
  static constexpr int most_rows = 6;
  /// From this bit on: places in packs that lie within both ends of rows.
  static constexpr int inside_x_bit = 16;
  [[nodiscard]] RIDGE_DEVICE unsigned bits() const { return bits_; }

private:
  unsigned bits_;
  static constexpr int whole_bit = 8, sides_bit = 14, around_bit = 20, apart_bit = 24;
  static_assert(whole_bit + most_rows <= sides_bit && sides_bit + 2 <= inside_x_bit);

  [[nodiscard]] RIDGE_DEVICE bool has(int bit) const { return (bits_ >> bit & 1u) != 0; }
};

/// A lane's part of a job, and where its march has come to. Places in fields advance by a plane
/// each step.
template <class K, class T, GpuPassVariant P>
struct PassPlace {
  using Shape = PassShape<K, T, P>;
  using Call = PassCall<K, T, P>;
  static_assert(Shape::rows <= PassShares::most_rows && Shape::vector <= 4);

  int z_begin, z_end, planes_end; ///< the last: of what is fetched
  PassSource<T> newest, before;   ///< of each time level
  Span<T> to, older_to;           ///< from the lane's first result on, of each time level
  int own;                        ///< in a slot: the lane's first value
  int edge;                       ///< likewise among the rows that warps hand on
  PassTurns turns;
  unsigned inside = 0; ///< values, by row and place in the pack, that are computed
  unsigned parts = 0;  ///< that are written one by one: of packs that are not written whole
  PassShares shares{false, false};
  int x = 0, y = 0;                        ///< of the lane's first value
  PassMask edges = PassMask::none;         ///< that the warp's rows need
  bool beside_x = false, beside_y = false; ///< it reads points beyond faces
  int first_plane = 0;                     ///< that is fetched

  /// Before the step of plane `begin`, the first of the job. One function: of two, nvcc 13 makes a
  /// few instructions more.
  template <class Lane>
  static RIDGE_DEVICE PassPlace at_begin(const Lane& lane, const Call& call, const PassJob& job,
                                         int begin, const PassTurns& turns) {
    constexpr Offset r = Shape::r;
    constexpr int rows = Shape::rows;
    constexpr int vector = Shape::vector;
    const int row = Shape::row_elements(lane);
    const int nx = static_cast<int>(call.in.extents.x);
    const int ny = static_cast<int>(call.in.extents.y);
    const int nz = static_cast<int>(call.in.extents.z);
    const bool around_x = call.periodic_in(0);
    const bool around_y = call.periodic_in(1);
    const bool around_z = call.periodic_in(2);
    const int me = lane.lane() * vector;
    const int warp = lane.rank() / lane.width();
    const int x = job.x + me;
    const int y = job.y + warp * rows;
    PassPlace p;
    p.z_begin = job.z_begin;
    p.z_end = job.z_end;
    p.planes_end = job.z_end + Shape::halo < nz || around_z ? job.z_end + Shape::halo : nz;
    if constexpr (Shape::by_tiles) { // one for each step, of zeros beyond the field
      constexpr int turn = Shape::turn;
      p.planes_end = begin + (job.z_end + Shape::halo - begin + turn - 1) / turn * turn;
    }
    p.turns = turns;
    p.shares = PassShares(lane.lane() == 0, lane.rank() == 0);
    int plane = begin;
    if constexpr (P.moving) {
      if (around_z) plane = call.faces.wrapped(begin, nz);
    }
    p.newest = {moved(call.in_rows, call.in.at(x, y, plane)), plane};
    if constexpr (Shape::levels > 1)
      p.before = {moved(call.older.in_rows, call.in.at(x, y, plane)), plane};
    p.own = (Shape::radius + warp * rows) * row + me;
    if constexpr (!Shape::by_tiles) {
      // So turned that what a lane copies lies alike in lines of memory and of shared memory:
      // else a copy takes three times as long (docs/design/stencils_on_gpus.md).
      constexpr int line = 128 / static_cast<int>(sizeof(T));
      p.own += (me + (job.x & (line - 1))) % row - me;
    }
    p.edge = (Shape::radius + warp * Shape::handed) * row + me;
    p.x = x;
    p.y = y;
    if constexpr (P.moving) {
      p.beside_x = call.faces.template beside<vector>(0, x);
      p.beside_y = call.faces.template beside<rows>(1, y);
    }
    p.first_plane = begin;
    // Between faces that move a warp reads rows that others replace.
    constexpr int far = P.moving ? 2 * Shape::radius : Shape::radius;
    const bool edge_x = job.at_edge != 0 && (job.x < r.x || job.x + row > nx - r.x);
    const bool edge_y = job.at_edge != 0 && (y < far || y + rows > ny - far);
    // Masks along x alone are for what the copy engine fetches for: elsewhere they take more
    // predicates than there are.
    p.edges = in_warp(edge_y) || (!Shape::takes_tiles && edge_x) ? PassMask::all
              : edge_x                                           ? PassMask::along_x
                                                                 : PassMask::none;
    if constexpr (Shape::has_sides) {
      p.shares.set_sides(!around_x && job.x < r.x, !around_x && job.x + row > nx - r.x);
      // Tiles that lie once beyond an end, of a field that is longer than they are.
      const bool once = nx >= row + 4 * r.x && ny >= Shape::tile_y + 4 * r.y;
      if (p.edges == PassMask::all && call.faces.sides_move && once) p.edges = PassMask::sides;
      if (Shape::has_ends && p.edges == PassMask::sides) {
        const bool in_y = !in_warp(edge_y);
        if ((around_x || !edge_x) && (around_y || in_y)) {
          p.edges = PassMask::round;
        } else if (in_y && job.x < r.x) {
          p.edges = PassMask::low_x;
        } else if (in_y && call.faces.ends_packs(vector)) {
          p.edges = PassMask::high_x;
        }
      }
    }

    if constexpr (Shape::has_sides) set_around(p, call);
    // Not by clamped ends: nvcc 13.0 compares such ones wrongly for sm_90 (docs/design/sweeps.md).
    const bool whole = job.x_begin <= x && x + vector <= job.x_end;
    for (int j = 0; j < rows; ++j) {
      const bool own_row = y + j >= r.y && y + j < ny - r.y;
      const bool computed = own_row || around_y;
      const bool is_result = y + j >= job.y_begin && y + j < job.y_end;
      const bool in_x = (x >= 0 && x < nx) || around_x;
      if (((y + j >= 0 && y + j < ny) || around_y) && in_x) p.shares.set_fetched(j);
      if (is_result && whole) p.shares.set_whole(j);
      for (int i = 0; i < vector; ++i) {
        if (is_result && !whole && x + i >= job.x_begin && x + i < job.x_end)
          p.parts |= 1u << (j * vector + i);
        if (!((x + i >= r.x && x + i < nx - r.x) || around_x)) continue;
        p.shares.set_inside_x(i);
        if (computed) p.inside |= 1u << (j * vector + i);
      }
    }
    // Results of the first step, which has none, would lie in the plane that it is of.
    const Index to = call.out.at(x, y, begin - Shape::halo);
    p.to = moved(call.out.elements(), to);
    if constexpr (Shape::levels > 1) p.older_to = moved(call.older.out, to);
    return p;
  }

  /// Makes the numbers tested anew in each step: what the compiler knew of them it would keep for
  /// each bit in a register, and of these too few are left.
  RIDGE_DEVICE void forget() {
    shares.forget();
    own = forgotten(own);
    edge = forgotten(edge);
    inside = forgotten(inside);
    parts = forgotten(parts);
  }

private:
  /// Says which places lie beyond periodic faces in x.
  static RIDGE_DEVICE void set_around(PassPlace& p, const Call& call) {
    constexpr int vector = Shape::vector;
    const int nx = static_cast<int>(call.in.extents.x);
    if (!call.periodic_in(0)) return;
    int beyond = 0;
    for (int i = 0; i < vector; ++i) {
      if (p.x + i >= Shape::r.x && p.x + i < nx - Shape::r.x) continue;
      p.shares.set_around(i);
      ++beyond;
    }
    const bool aligned = (nx - 2 * Shape::r.x) % vector == 0;
    if (beyond != 0 && (beyond < vector || !aligned)) p.shares.set_apart();
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
