// What a lane of a marching block loads of each plane: its own packs, and its share of those around
// the tile.
#pragma once

#include <ridge/stencil/gpu/march_rows.hpp>
#include <ridge/stencil/gpu/shared_pack.hpp>
#include <ridge/stencil/gpu/window_tile.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// The value, which is waited for here. Without this the compiler for AMD GPUs waits later, for
/// stores that come between as well.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> arrived(Pack<T, N> value) {
#if defined(__AMDGCN__)
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+v"(value.lane[i]));
#endif
  return value;
}

template <class K, class T, MarchVariant M>
class WindowLoads {
public:
  using Tile = WindowTile<K, T, M>;
  using Own = typename Tile::Own;
  using Value = typename Tile::Value;
  using Place = typename Tile::Place;

  /// Of a unit; x and y are the lane's first point.
  RIDGE_DEVICE WindowLoads(const Call<K, T>& call, const MarchUnit& unit, int rank, Index x,
                           Index y)
      : planes_(Tile::planes_of(unit)) {
    const Index z = unit.z_begin - Tile::lead;
    last_plane_ = static_cast<int>(call.out.extents.z - 1 - z);
    const Index3 n = call.out.extents;
    const int count = within(n.x - x, vector);
    rows_ = within(n.y - y, M.tile);
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      from_[i] = call.in[i].at(x, y, z + Tile::template own<i>.high);
      last_[i] = last_of(call.in[i], count);
      unrolled<around>([&](auto pass) { look_around<i>(call, unit, pass, rank, z); });
    });
  }

  /// Asks for what plane `k` of the unit is the first to need, unless it has no such plane.
  template <class Lane>
  RIDGE_DEVICE void ask(Lane& lane, const Call<K, T>& call, int k) {
    if (k >= planes_) return;
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      constexpr PlaneRange own = Tile::template own<i>;
      const View<const T>& field = call.in[i];
      if (k > Tile::lead - own.count()) {
        const int rows = anew(rows_);
        unrolled<M.tile>([&](auto row) {
          if (row < rows) load(lane, field, from_[i] + row * field.row, last_[i], fresh_[i][row]);
        });
        if (is_last(k + own.high)) {
          unrolled<M.tile>([&](auto row) {
            if (row < rows_) load_end(lane, field, from_[i] + row * field.row, fresh_[i][row]);
          });
        }
      }
      from_[i] += field.plane;
      if constexpr (Tile::template reads<i>.beside) {
        constexpr PlaneRange beside = Tile::shared.beside_from;
        if (k > Tile::lead - beside.count()) {
          unrolled<around>([&](auto pass) {
            load(lane, field, halo_from_[i][pass], halo_last_[i][pass], halo_[i][pass]);
          });
          if (is_last(k + beside.high)) {
            unrolled<around>(
                [&](auto pass) { load_end(lane, field, halo_from_[i][pass], halo_[i][pass]); });
          }
        }
        unrolled<around>([&](auto pass) { halo_from_[i][pass] += field.plane; });
      }
    });
  }

  /// Takes what has arrived: into the lane's column, and for all into shared memory.
  template <class Lane, class Planes>
  RIDGE_DEVICE void take(Lane& lane, Planes& planes, Own& column, const Place& place) const {
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      constexpr PlaneRange own = Tile::template own<i>;
      unrolled<M.tile>([&](auto row) {
        unrolled<own.count() - 1>(
            [&](auto k) { column.plane[i][k][row] = column.plane[i][k + 1][row]; });
        column.plane[i][own.count() - 1][row] = arrived(fresh_[i][row]);
      });
      if constexpr (Tile::template reads<i>.beside) {
        constexpr int newest = Tile::shared.beside_from.high;
        const int stage = place.stage(newest) + Tile::shared_before(i) * Tile::plane_elements;
        unrolled<M.tile>([&](auto row) {
          store_shared_pack(lane, planes, stage + place.at(row),
                            column.plane[i][newest - own.low][row]);
        });
        unrolled<around>([&](auto pass) {
          const int to = anew(halo_to_[pass]);
          if (to >= 0) store_shared_pack(lane, planes, stage + to, halo_[i][pass]);
        });
      }
    });
  }

private:
  static constexpr Offset r = Tile::r;
  static constexpr int vector = Tile::vector;
  static constexpr int side = Tile::side;
  static constexpr bool reads_end = vector > 1 && reads_last_row<K>();

  /// Where the last pack that is loaded whole may begin: nothing behind the field is read.
  static RIDGE_DEVICE Index last_of(const View<const T>& field, int count) {
    return count > 0 ? field.span() - vector : none;
  }
  template <class Lane>
  static RIDGE_DEVICE void load(Lane& lane, const View<const T>& field, Index at, Index last,
                                Value& value) {
    if (at <= last) value = lane.template load_pack<vector>(field.elements(), at);
  }

  // The field's very last pack may be part of one. Few kernels read it.
  [[nodiscard]] RIDGE_DEVICE bool is_last(int k) const { return reads_end && k == last_plane_; }
  template <class Lane>
  static RIDGE_DEVICE void load_end(Lane& lane, const View<const T>& field, Index at,
                                    Value& value) {
    const Index end = field.span();
    RIDGE_UNROLL
    for (int i = 0; i < vector; ++i) {
      if (at + vector > end && at + i < end) value.set(i, lane.load(field.elements(), at + i));
    }
  }

  // The packs around the tile: whole rows above and below it, then the ends of all rows; a lane has
  // some of them.
  static constexpr int above = 2 * r.y * Tile::threads_x;
  static constexpr int end_rows = Tile::shared.corners ? Tile::rows : Tile::tile_y;
  static constexpr int all = above + 2 * side * end_rows;
  static constexpr int around =
      Tile::shared.beside ? (all + Tile::consumers - 1) / Tile::consumers : 0;

  template <int Input>
  RIDGE_DEVICE void look_around(const Call<K, T>& call, const MarchUnit& unit, int pass, int rank,
                                Index z) {
    const int me = pass * Tile::consumers + rank;
    int row = 0; // of the plane in shared memory
    int pack = 0;
    if (me < above) {
      const int j = me / Tile::threads_x;
      row = j < r.y ? j : j + Tile::tile_y;
      pack = side + me % Tile::threads_x;
    } else if constexpr (side > 0) {
      const int j = (me - above) / (2 * side);
      const int end = (me - above) % (2 * side);
      row = Tile::shared.corners ? j : j + r.y;
      pack = end < side ? end : end + Tile::threads_x;
    }
    const Index3 n = call.out.extents;
    const Index x = unit.x_begin + (pack - side) * vector;
    const Index y = unit.y_begin - r.y + row;
    halo_to_[pass] = me < all ? row * Tile::pitch + pack * vector : -1;
    const bool there = me < all && x >= 0 && y < n.y;
    halo_last_[Input][pass] = last_of(call.in[Input], there ? within(n.x - x, vector) : 0);
    halo_from_[Input][pass] = call.in[Input].at(x, y, z + Tile::shared.beside_from.high);
  }

  static constexpr Index none = -(Index{1} << 62); ///< before all packs, also those left of a field
  static constexpr int some = around > 0 ? around : 1;
  Value fresh_[Tile::inputs][M.tile]; ///< the newest plane of the lane's column
  Value halo_[Tile::inputs][some];    ///< around the newest plane in shared memory
  Index from_[Tile::inputs];          ///< of the lane's first pack in the plane to ask for next
  Index last_[Tile::inputs];          ///< where such a pack may begin at most
  Index halo_from_[Tile::inputs][some];
  Index halo_last_[Tile::inputs][some];
  int halo_to_[some]; ///< in shared memory; -1: none
  int rows_;          ///< of the lane's, those within the field
  int planes_;        ///< of the unit
  int last_plane_;    ///< the field's last, counted as those of the unit
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
