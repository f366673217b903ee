// The tile of a marching block: its shape, its place in shared memory, and what its lanes compute.
// What they do with it: march_target.hpp.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>
#include <ridge/stencil/gpu/march_parts.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/variants.hpp>

#include <array>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// One row to fetch: `count` elements by bulk copy, `rest` more by hand.
struct MarchRow {
  Index from;
  int to;
  int count;
  int rest;
};

template <class K, class T, MarchVariant M>
struct MarchTile : MarchBlock<K, T, M> {
  using Block = MarchBlock<K, T, M>;
  static constexpr Offset r = Block::r;
  static constexpr int inputs = Block::inputs;
  static constexpr int vector = Block::vector;
  using Block::rows, Block::tile_x;
  using typename Block::Results, typename Block::Value;

  static constexpr int piece = 16 / static_cast<int>(sizeof(T)); ///< elements of 16 bytes
  static constexpr int line = 128 / static_cast<int>(sizeof(T)); ///< elements of 128 bytes
  static constexpr bool shifted = M.rows != Rows::lines;
  static constexpr bool joins = M.rows == Rows::joined;
  static constexpr int rows_joined = joins ? M.tile + 2 * r.y : 1; ///< of a lane
  /// Whether all rows of a plane lie in the ring as far behind each other, up to whole lines, as
  /// in the field, so that the first one's shift is that of all. Otherwise each has its own, which
  /// is faster where more rows are read (docs/decisions/0008).
  static constexpr bool in_step = r.y <= 1;
  /// A row begins one line behind the last one's end, for the halo to its left, and up to one
  /// more for its shift.
  static constexpr int least_pitch = (tile_x + line - 1) / line * line + line;
  static constexpr int plane_elements = rows * (least_pitch + (shifted ? line : 0)) + line;
  static constexpr int stage_elements = inputs * plane_elements;
  static constexpr int stage_bytes = stage_elements * static_cast<int>(sizeof(T));
  static constexpr int most_ring = 16;
  static constexpr int header_bytes = 2 * 8 * most_ring;

  /// Whether each plane's part of all sums is added when it comes, and the plane then given back.
  static constexpr bool parts = M.parts && takes_parts<K>;

  /// Values below the point are carried in registers where they are all in its column; then a plane
  /// can be given back as soon as it was the centre.
  static constexpr bool carries = column_below<K>() && !parts;
  /// Planes kept from one output to the next.
  static constexpr int held = parts ? 0 : carries ? r.z : 2 * r.z;

  /// Where rows do not begin at sectors their ends share them with other rows, and kernels that
  /// read beside the columns below wait for shared memory instead.
  static constexpr bool fills_sectors = !shifted && (carries || parts);

  struct Carried {
    Value below[inputs][r.z > 0 ? r.z : 1][M.tile];
  };
  /// The sums that planes to come have parts in, those of the lowest results first.
  struct Sums {
    Value of[r.z > 0 ? 2 * r.z : 1][M.tile];
  };

  /// Where a lane is: its first point, its place in the tile, the newest plane in the ring.
  struct Place {
    Index x, y, z;
    int tx, ty;
    int slot, ring;
    [[nodiscard]] RIDGE_DEVICE int slot_of(int dz) const {
      const int s = slot - (r.z - dz);
      return s < 0 ? s + ring : s;
    }
  };

  /// How far a row is from a multiple of 128 bytes, in elements, in the field and in the ring
  /// alike.
  template <class U>
  static RIDGE_DEVICE int shift(const View<U>& field, unsigned misfit, Index y, Index z) {
    if constexpr (!shifted) return 0;
    const unsigned at = misfit + static_cast<unsigned>(z) * static_cast<unsigned>(field.plane) +
                        static_cast<unsigned>(y) * static_cast<unsigned>(field.row);
    return static_cast<int>(at % static_cast<unsigned>(line));
  }

  /// Elements from one row of a plane in the ring to the next.
  template <class U>
  static RIDGE_DEVICE int pitch(const View<U>& field) {
    if constexpr (!shifted) return least_pitch;
    if constexpr (!in_step) return least_pitch + line;
    return least_pitch +
           static_cast<int>(static_cast<unsigned>(field.row) % static_cast<unsigned>(line));
  }

  /// Row `j` of the tile's planes, which is row `y` of plane `z` of the field. `to` is without the
  /// slot.
  static RIDGE_DEVICE MarchRow row_at(const View<const T>& field, unsigned misfit, int input, int j,
                                      const MarchUnit& unit, Index y, Index z) {
    const Index start = field.at(0, y, z);
    const Index x_begin = unit.x_begin;
    const Index left = (x_begin > unit.x_first ? x_begin : unit.x_first) - r.x;
    const Index right =
        x_begin + tile_x + r.x < field.extents.x ? x_begin + tile_x + r.x : field.extents.x;
    const Index begin = (start + left) & ~Index{piece - 1};
    const Index wanted = start + right;
    const Index whole = field.span() & ~Index{piece - 1}; // nothing behind the field is read
    Index end = (wanted + piece - 1) & ~Index{piece - 1};
    end = end < whole ? end : whole;
    const int to = input * plane_elements + j * pitch(field) + line +
                   shift(field, misfit, in_step ? y - j : y, z) +
                   static_cast<int>(begin - (start + x_begin));
    return {begin, to, end > begin ? static_cast<int>(end - begin) : 0,
            wanted > end ? static_cast<int>(wanted - (end > begin ? end : begin)) : 0};
  }

  /// Of joined rows the packs above and below a lane's in its plane, and between: put together once
  /// for all points that read them.
  struct Centre {
    Value row[inputs][rows_joined];
  };

  /// Neighbours of the `vector` points of row `point` of a lane's tile.
  template <auto Footprint, class Lane, class Planes>
  struct Neighbours {
    Lane& lane;
    const Planes& planes;
    const Carried& carried;
    const Centre& centre;
    const View<const T>& field;
    const Place& place;
    unsigned misfit;
    int input, point;

    RIDGE_DEVICE Value operator()(int dx, int dy = 0, int dz = 0) const {
      check_declared<Footprint>(lane, dx, dy, dz);
      if constexpr (carries) {
        if (dz < 0) return carried.below[input][r.z + dz][point];
      }
      return spliced<T, vector>(dx, [&](int first) {
        if (joins && first == 0 && dz == 0) return centre.row[input][joins ? r.y + point + dy : 0];
        return aligned(first, dy, dz);
      });
    }

    /// Of the point's plane, for a kernel that takes it for one `dz` above.
    RIDGE_DEVICE Value of_plane(int dx, int dy, int dz) const {
      check_declared<Footprint>(lane, dx, dy, dz);
      return spliced<T, vector>(dx, [&](int first) {
        if (joins && first == 0) return centre.row[input][joins ? r.y + point + dy : 0];
        return aligned(first, dy, 0);
      });
    }

    RIDGE_DEVICE Value aligned(int dx, int dy, int dz) const {
      const int row = r.y + point + dy; // behind the lane's first
      const Index y = in_step ? place.y - place.ty * M.tile - r.y : place.y + point + dy;
      const int at = place.slot_of(dz) * stage_elements + input * plane_elements +
                     place.ty * M.tile * pitch(field) + row * pitch(field) + line +
                     place.tx * vector + shift(field, misfit, y, place.z + dz);
      if constexpr (joins) {
        const int skip = at & (vector - 1);
        const int first = at - skip + dx;
        const auto a = lane.template load_shared_pack<vector>(planes, first);
        const auto b = lane.template load_shared_pack<vector>(planes, first + vector);
        return from_both(a, b, skip);
      } else {
        return lane.template load_shared_pack<vector>(planes, at + dx);
      }
    }
  };

  /// The lane's packs of the plane `place.z` that rows of its tile share.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE Centre centre_of(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                       const Misfits& misfit, const Place& place,
                                       const Carried& carried) {
    Centre centre{};
    if constexpr (joins) {
      unrolled<inputs>([&](auto input) {
        unrolled<rows_joined>([&](auto row) {
          const Neighbours<point_footprint, Lane, Planes> at{
              lane, planes, carried, centre, call.in[input], place, misfit[input], input, 0};
          centre.row[input][row] = at.aligned(0, row - r.y, 0);
        });
      });
    }
    return centre;
  }

  /// Remembers the lane's own values of the plane `place.z`.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void carry(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                 const Misfits& misfit, const Place& place, const Centre& centre,
                                 Carried& carried) {
    if constexpr (carries && r.z > 0) {
      unrolled<inputs>([&](auto input) {
        unrolled<M.tile>([&](auto point) {
          for_each_below(
              [&](auto k) { carried.below[input][k][point] = carried.below[input][k + 1][point]; });
          if constexpr (footprint_of<K, number<decltype(input)>>.radius().z > 0) {
            const Neighbours<point_footprint, Lane, Planes> own{
                lane, planes, carried, centre, call.in[input], place, misfit[input], input, point};
            carried.below[input][r.z - 1][point] = own(0, 0, 0);
          }
        });
      });
    }
  }

  /// The points of a lane in one plane.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void compute_plane(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                         const Misfits& misfit, const Place& place,
                                         Carried& carried, Results& results) {
    const Centre centre = centre_of(lane, call, planes, misfit, place, carried);
    unrolled<M.tile>([&](auto point) {
      results[point] = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Value(call.kernel(Neighbours<footprint_of<K, I>, Lane, Planes>{
            lane, planes, carried, centre, call.in[I], place, misfit[I], static_cast<int>(I),
            point}...));
      }
      (std::make_index_sequence<inputs>{});
    });
    carry(lane, call, planes, misfit, place, centre, carried);
  }

  /// Adds the newest plane's part to all sums that it has one in. Those of the lowest plane are
  /// complete then.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void add_parts(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                     const Misfits& misfit, const Place& place, Sums& sums,
                                     Results& results) {
    const Carried none{};
    Place newest = place;
    newest.z += r.z; // as if its plane were the point's
    newest.slot += r.z;
    const Centre centre = centre_of(lane, call, planes, misfit, newest, none);
    unrolled<M.tile>([&](auto point) {
      unrolled<2 * r.z + 1>([&](auto k) {                // results from the lowest on
        constexpr int above = r.z - number<decltype(k)>; // the newest plane is above them
        const Value part = [&]<std::size_t... I>(std::index_sequence<I...>) {
          return part_value(
              call.kernel(PartNeighbours<Neighbours<footprint_of<K, I>, Lane, Planes>, above>{
                  {lane, planes, none, centre, call.in[I], newest, misfit[I], static_cast<int>(I),
                   point}}...));
        }
        (std::make_index_sequence<inputs>{});
        constexpr int last = 2 * r.z;
        const Value sum = k < last ? Value(sums.of[k < last ? k : 0][point] + part) : part;
        if constexpr (number<decltype(k)> == 0) {
          results[point] = sum;
        } else {
          sums.of[k - 1][point] = sum;
        }
      });
    });
  }

private:
  static constexpr auto point_footprint = stencil::point();

  template <class F>
  static RIDGE_DEVICE void for_each_below(F&& f) {
    unrolled<(r.z > 1 ? r.z - 1 : 0)>(f);
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
