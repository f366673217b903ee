// The tile of a marching block: its shape, its place in shared memory, and what its lanes compute.
// What they do with it: march_target.hpp.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>
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

/// True when everything below the plane of the point lies in its own column.
template <class K>
constexpr bool column_below() {
  bool column = true;
  std::apply(
      [&](const auto&... f) {
        const auto look = [&](const auto& footprint) {
          for (const Offset& o : footprint.offsets) {
            if (o.z < 0 && (o.x != 0 || o.y != 0)) column = false;
          }
        };
        (look(f), ...);
      },
      footprints_of<K>());
  return column;
}

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

  /// Values below the point are carried in registers where they are all in its column; then a plane
  /// can be given back as soon as it was the centre.
  static constexpr bool carries = column_below<K>();
  static constexpr int held = carries ? r.z : 2 * r.z; ///< planes kept from one output to the next

  /// Where rows do not begin at sectors their ends share them with other rows, and kernels that
  /// read beside the columns below wait for shared memory instead.
  static constexpr bool fills_sectors = !shifted && carries;

  struct Carried {
    Value below[inputs][r.z > 0 ? r.z : 1][M.tile];
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

  /// Neighbours of the `vector` points of row `point` of a lane's tile.
  template <auto Footprint, class Lane, class Planes>
  struct Neighbours {
    Lane& lane;
    const Planes& planes;
    const Carried& carried;
    const View<const T>& field;
    const Place& place;
    unsigned misfit;
    int input, point;

    RIDGE_DEVICE Value operator()(int dx, int dy = 0, int dz = 0) const {
      check_declared<Footprint>(lane, dx, dy, dz);
      if constexpr (carries) {
        if (dz < 0) return carried.below[input][r.z + dz][point];
      }
      return spliced<T, vector>(dx, [&](int first) { return aligned(first, dy, dz); });
    }

  private:
    RIDGE_DEVICE Value aligned(int dx, int dy, int dz) const {
      const int row = r.y + place.ty * M.tile + point + dy;
      const Index y = in_step ? place.y - place.ty * M.tile - r.y : place.y + point + dy;
      const int at = place.slot_of(dz) * stage_elements + input * plane_elements +
                     row * pitch(field) + line + place.tx * vector + dx +
                     shift(field, misfit, y, place.z + dz);
      return lane.template load_shared_pack<vector>(planes, at);
    }
  };

  /// Remembers the lane's own values of the plane `place.z`.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void carry(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                 const Misfits& misfit, const Place& place, Carried& carried) {
    if constexpr (carries && r.z > 0) {
      unrolled<inputs>([&](auto input) {
        unrolled<M.tile>([&](auto point) {
          for_each_below(
              [&](auto k) { carried.below[input][k][point] = carried.below[input][k + 1][point]; });
          if constexpr (footprint_of<K, number<decltype(input)>>.radius().z > 0) {
            const Neighbours<point_footprint, Lane, Planes> own{
                lane, planes, carried, call.in[input], place, misfit[input], input, point};
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
    unrolled<M.tile>([&](auto point) {
      results[point] = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Value(call.kernel(Neighbours<footprint_of<K, I>, Lane, Planes>{
            lane, planes, carried, call.in[I], place, misfit[I], static_cast<int>(I), point}...));
      }
      (std::make_index_sequence<inputs>{});
    });
    carry(lane, call, planes, misfit, place, carried);
  }

private:
  static constexpr auto point_footprint = stencil::point();

  template <class F>
  static RIDGE_DEVICE void for_each_below(F&& f) {
    unrolled<(r.z > 1 ? r.z - 1 : 0)>(f);
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
