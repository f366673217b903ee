// Which packs of each plane a lane of a marching block with windows loads: its own, and its share
// of those around the tile.
#pragma once

#include <ridge/stencil/gpu/march_rows.hpp>
#include <ridge/stencil/gpu/window_tile.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, class Tile>
class WindowReach {
public:
  /// The reach of a unit; x and y are the lane's first point.
  RIDGE_DEVICE WindowReach(const Call<K, T>& call, const MarchUnit& unit, int rank, Index x,
                           Index y)
      : planes_(Tile::planes_of(unit)) {
    const Index z = unit.z_begin - Tile::lead;
    last_plane_ = static_cast<int>(call.out.extents.z - 1 - z);
    const Index3 n = call.out.extents;
    const int count = within(n.x - x, vector);
    rows_ = within(n.y - y, tile_rows);
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      from_[i] = call.in[i].at(x, y, z + Tile::template own<i>.high);
      last_[i] = last_of(call.in[i], count);
      unrolled<around>([&](auto pass) { look_around<i>(call, unit, pass, rank, z); });
    });
  }

protected:
  static constexpr int vector = Tile::vector;
  static constexpr int side = Tile::side;
  static constexpr int tile_rows = Tile::tile_rows;

  // The packs around the tile: whole rows above and below it, then the ends of all rows; a lane has
  // some of them.
  static constexpr int above = 2 * Tile::r.y * Tile::threads_x;
  static constexpr int end_rows = Tile::shared.corners ? Tile::rows : Tile::tile_y;
  static constexpr int all = above + 2 * side * end_rows;
  static constexpr int around =
      Tile::shared.beside ? (all + Tile::consumers - 1) / Tile::consumers : 0;
  static constexpr int some = around > 0 ? around : 1;

  /// Whether the unit has plane `k`.
  [[nodiscard]] RIDGE_DEVICE bool has_plane(int k) const { return k < planes_; }
  /// Where the pack of number `pass` around the tile goes within a plane in shared memory; -1:
  /// nowhere.
  [[nodiscard]] RIDGE_DEVICE int around_to(int pass) const { return halo_to_[pass]; }

  /// Visits what plane `k` of the unit is the first to need, plane after plane: calls own(input,
  /// row, pack) and beside(input, pass, pack) of all packs that lie in the field whole, and
  /// own_end and beside_end of the field's very last one, which may be part of a pack.
  template <class Own, class OwnEnd, class Beside, class BesideEnd>
  RIDGE_DEVICE void visit(const Call<K, T>& call, int k, Own&& own, OwnEnd&& own_end,
                          Beside&& beside, BesideEnd&& beside_end) {
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      constexpr PlaneRange planes = Tile::template own<i>;
      const View<const T>& field = call.in[i];
      if (k > Tile::lead - planes.count()) {
        const int rows = anew(rows_);
        unrolled<tile_rows>([&](auto row) {
          const Index at = from_[i] + row * field.row;
          if (row < rows && at <= last_[i]) own(input, row, at);
        });
        if (is_last(k + planes.high)) {
          unrolled<tile_rows>([&](auto row) {
            if (row < rows_) own_end(input, row, from_[i] + row * field.row);
          });
        }
      }
      from_[i] += field.plane;
      if constexpr (Tile::template reads<i>.beside) {
        if (k >= Tile::lead - Tile::newest + Tile::shared.beside_from.low) {
          unrolled<around>([&](auto pass) {
            if (halo_from_[i][pass] <= halo_last_[i][pass])
              beside(input, pass, halo_from_[i][pass]);
          });
          if (is_last(k + Tile::newest)) {
            unrolled<around>([&](auto pass) { beside_end(input, pass, halo_from_[i][pass]); });
          }
        }
        unrolled<around>([&](auto pass) { halo_from_[i][pass] += field.plane; });
      }
    });
  }

  /// Calls f(i, at) of the elements from `at` that are left of the field, fewer than a pack.
  template <class F>
  static RIDGE_DEVICE void each_left(const View<const T>& field, Index at, F&& f) {
    const Index end = field.span();
    RIDGE_UNROLL
    for (int i = 0; i < vector; ++i) {
      if (at + vector > end && at + i < end) f(i, at + i);
    }
  }

private:
  static constexpr bool reads_end = vector > 1 && reads_last_row<K>();
  static constexpr Index none = -(Index{1} << 62); ///< before all packs, also those left of a field

  /// Where the last pack that is loaded whole may begin: nothing behind the field is read.
  static RIDGE_DEVICE Index last_of(const View<const T>& field, int count) {
    return count > 0 ? field.span() - vector : none;
  }
  // The field's very last pack may be part of one. Few kernels read it.
  [[nodiscard]] RIDGE_DEVICE bool is_last(int k) const { return reads_end && k == last_plane_; }

  template <int Input>
  RIDGE_DEVICE void look_around(const Call<K, T>& call, const MarchUnit& unit, int pass, int rank,
                                Index z) {
    const int me = pass * Tile::consumers + rank;
    int row = 0; // of the plane in shared memory
    int pack = 0;
    if (me < above) {
      const int j = me / Tile::threads_x;
      row = j < Tile::r.y ? j : j + Tile::tile_y;
      pack = side + me % Tile::threads_x;
    } else if constexpr (side > 0) {
      const int j = (me - above) / (2 * side);
      const int end = (me - above) % (2 * side);
      row = Tile::shared.corners ? j : j + Tile::r.y;
      pack = end < side ? end : end + Tile::threads_x;
    }
    const Index3 n = call.out.extents;
    const Index x = unit.x_begin + (pack - side) * vector;
    const Index y = unit.y_begin - Tile::r.y + row;
    halo_to_[pass] = me < all ? row * Tile::pitch + Tile::own_first + (pack - side) * vector : -1;
    const bool there = me < all && x >= 0 && y < n.y;
    halo_last_[Input][pass] = last_of(call.in[Input], there ? within(n.x - x, vector) : 0);
    halo_from_[Input][pass] = call.in[Input].at(x, y, z + Tile::newest);
  }

  Index from_[Tile::inputs]; ///< of the lane's first pack in the plane to visit next
  Index last_[Tile::inputs]; ///< where such a pack may begin at most
  Index halo_from_[Tile::inputs][some];
  Index halo_last_[Tile::inputs][some];
  int halo_to_[some]; ///< in shared memory; -1: none
  int rows_;          ///< of the lane's, those within the field
  int planes_;        ///< of the unit
  int last_plane_;    ///< the field's last, counted as those of the unit
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
