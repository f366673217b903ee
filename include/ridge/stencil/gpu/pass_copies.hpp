// How planes of the input come into the rings of a pass: by the copy engine, as tiles, or each lane
// its own values, asynchronously.
#pragma once

#include <ridge/stencil/gpu/pass_place.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, GpuPassVariant P>
struct PassCopies {
  using Shape = PassShape<K, T, P>;
  using Call = PassCall<K, T, P>;
  using Place = PassPlace<K, T, P>;

  /// Begins to count the bytes of planes, and warps at the end of steps. Before all else.
  template <class Lane>
  static RIDGE_DEVICE void begin(Lane& lane) {
    if constexpr (Shape::by_tiles) {
      auto planes = Shape::planes(lane);
      if (lane.rank() == 0) {
        for (int i = 0; i < Shape::ring; ++i)
          lane.phase_begin(Shape::phase_of(lane, planes, i * Shape::slot_elements(lane)), 0, 1);
        lane.phase_begin(Shape::phase_of(lane, planes, 0), Shape::steps_phase, Shape::warps);
      }
      lane.barrier();
    }
  }

  /// Begins to copy plane `z`, and that of the level before which goes with it, into the slots
  /// `further` than the newest.
  template <PassMask M, class Lane>
  static RIDGE_DEVICE void fetch(Lane& lane, const Call& call, Place& p, int z, int further) {
    const int size = Shape::slot_elements(lane);
    const int slot = in_ring(Shape::ring * size, p.turns.slot + further * size);
    [[maybe_unused]] int older_slot = 0;
    if constexpr (Shape::levels > 1) {
      const int older_size = Shape::older_elements(lane);
      older_slot = in_ring(Shape::older_ring * older_size, p.turns.older + further * older_size);
    }
    if constexpr (Shape::by_tiles) {
      if (p.shares.first_of_block() && z < p.planes_end)
        fetch_tile(lane, call, p, z, slot, older_slot);
      return;
    }
    auto planes = Shape::planes(lane);
    // Between faces that move jobs end anywhere without care.
    constexpr bool always = M != PassMask::all && !P.moving;
    if (always || z < p.planes_end) copy_plane<M>(lane, call, p, p.newest, planes, slot);
    advance(call, p.newest);
    if constexpr (Shape::levels > 1) {
      auto older_planes = Shape::older_planes(lane);
      if (z - Shape::radius >= p.first_plane) {
        if (always || z < p.planes_end)
          copy_plane<M>(lane, call, p, p.before, older_planes,
                        older_slot - Shape::radius * Shape::row_elements(lane));
        advance(call, p.before);
      }
    }
    lane.copy_commit(); // also of nothing, to keep count
  }

  /// Waits for the newest plane, and for that of the level before.
  template <class Lane, class Planes>
  static RIDGE_DEVICE void wait(Lane& lane, const Place& p, Planes& planes) {
    if constexpr (Shape::by_tiles) {
      lane.phase_wait(Shape::phase_of(lane, planes, p.turns.slot), 0, p.turns.parity);
    } else {
      lane.template copy_wait<Shape::ahead>();
    }
  }

private:
  /// Copies by the first lane of the block, whose point is the first of the tile.
  template <class Lane>
  static RIDGE_DEVICE void fetch_tile(Lane& lane, const Call& call, const Place& p, int z, int slot,
                                      [[maybe_unused]] int older_slot) {
    if constexpr (Shape::by_tiles) {
      const int row = Shape::row_elements(lane);
      auto planes = Shape::planes(lane);
      const int bytes = Shape::tile_y * row * static_cast<int>(sizeof(T));
      auto phase = Shape::phase_of(lane, planes, slot);
      // Lanes have used what they read of this slot for what they handed on before the last step.
      lane.phase_arrive_expecting(phase, 0, bytes * Shape::levels);
      copy_tile(lane, phase, 0, planes, slot + Shape::radius * row, call.map, p.x, p.y, z);
      if constexpr (Shape::levels > 1) {
        auto older_planes = Shape::older_planes(lane);
        copy_tile(lane, phase, 0, older_planes, older_slot, call.older.map, p.x, p.y,
                  z - Shape::radius);
      }
    }
  }

  /// Begins to copy the next plane of a field to an array, the first row of the first warp to
  /// `at`.
  template <PassMask M, class Lane, class Array>
  static RIDGE_DEVICE void copy_plane(Lane& lane, const Call& call, const Place& p,
                                      const PassSource<T>& source, Array& to, int at) {
    const int row = Shape::row_elements(lane);
    if constexpr (P.moving && M == PassMask::all) {
      copy_around(lane, call, p, source, to, at);
    } else if constexpr (M == PassMask::round) {
      copy_once_around(lane, call, p, source, to, at);
    } else if (M == PassMask::sides && (call.periodic_in(0) || call.periodic_in(1))) {
      if constexpr (M == PassMask::sides) copy_once_around(lane, call, p, source, to, at);
    } else {
      for_each_row<Shape::rows>([&](auto j) {
        if (M == PassMask::none || M == PassMask::low_x || p.shares.fetched(j))
          copy_kept<Shape::vector>(lane, to, at + p.own + j * row, source.from, j * call.row());
      });
    }
  }

  /// Copies a tile that may lie beyond periodic faces.
  template <class Lane, class Array>
  static RIDGE_DEVICE void copy_around(Lane& lane, const Call& call, const Place& p,
                                       const PassSource<T>& source, Array& to, int at) {
    constexpr int radius = Shape::radius;
    constexpr int vector = Shape::vector;
    const auto& faces = call.faces;
    const int row = Shape::row_elements(lane);
    const int nx = static_cast<int>(call.in.extents.x);
    const int ny = static_cast<int>(call.in.extents.y);
    const bool whole = !faces.periodic[0] || (p.x >= radius && p.x + vector <= nx - radius);
    RIDGE_NO_UNROLL
    for (int j = 0; j < Shape::rows; ++j) {
      if (!p.shares.fetched(j)) continue;
      const int y = p.y + j;
      const int beyond = faces.periodic[1] ? faces.wrapped(y, ny) - y : 0;
      const Span<const T> from = moved(source.from, (j + beyond) * call.in.row);
      const int to_row = at + p.own + j * row;
      if (whole) {
        copy_kept<vector>(lane, to, to_row, from, 0);
        continue;
      }
      RIDGE_NO_UNROLL
      for (int i = 0; i < vector; ++i) {
        const int beside = faces.wrapped(p.x + i, nx) - p.x;
        if constexpr (sizeof(T) < 4) { // nothing as small is copied asynchronously
          to[to_row + i] = lane.load(moved(from, beside), 0);
        } else {
          lane.template copy_async<1>(to, to_row + i, moved(from, beside), 0);
        }
      }
    }
  }

  /// As copy_around, of a tile that is smaller than the field.
  template <class Lane, class Array>
  static RIDGE_DEVICE void copy_once_around(Lane& lane, const Call& call, const Place& p,
                                            const PassSource<T>& source, Array& to, int at) {
    constexpr int radius = Shape::radius;
    constexpr int vector = Shape::vector;
    const int row = Shape::row_elements(lane);
    const int ny = static_cast<int>(call.in.extents.y);
    const int points = static_cast<int>(call.in.extents.x) - 2 * radius;
    const int other_end = p.x < radius ? points : -points;
    const PassShares& shares = p.shares;
    for_each_row<Shape::rows>([&](auto j) {
      if (!shares.fetched(j)) return;
      const int y = p.y + j;
      int from_row = j;
      if (call.periodic_in(1) && y < radius) from_row += ny - 2 * radius;
      if (call.periodic_in(1) && y >= ny - radius) from_row -= ny - 2 * radius;
      const Span<const T> from = moved(source.from, Index{from_row} * call.row());
      const int to_row = at + p.own + j * row;
      if (!shares.apart()) {
        copy_kept<vector>(lane, to, to_row, moved(from, shares.around(0) ? other_end : 0), 0);
        return;
      }
      unrolled<vector>([&](auto i) {
        const int place = i + (shares.around(i) ? other_end : 0);
        if constexpr (sizeof(T) < 4) { // nothing as small is copied asynchronously
          to[to_row + i] = lane.load(moved(from, place), 0);
        } else {
          lane.template copy_async<1>(to, to_row + i, moved(from, place), 0);
        }
      });
    });
  }

  static RIDGE_DEVICE void advance(const Call& call, PassSource<T>& source) {
    constexpr int radius = Shape::radius;
    source.from = moved(source.from, call.plane());
    if constexpr (P.moving) {
      const int nz = static_cast<int>(call.in.extents.z);
      if (++source.plane == nz - radius && call.faces.periodic[2]) {
        source.plane = radius;
        source.from = moved(source.from, (2 * radius - nz) * call.in.plane);
      }
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
