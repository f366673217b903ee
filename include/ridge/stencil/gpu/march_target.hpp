// What a lane of a marching block writes: its points of one plane after the other, in whole
// sectors.
//
// Memory takes sectors of 32 bytes. One that was only partly written must be read before it can
// leave the L2, while others wait to: at 512^3 that costs 5 % in fp64 and 8 % in fp32, though only
// the first and the last sector of a row are written in part (docs/decisions/0007). So lanes at the
// ends of rows read, a few planes ahead, what the points beside theirs hold, and write it back.
#pragma once

#include <ridge/stencil/gpu/march_rows.hpp>
#include <ridge/stencil/gpu/march_tile.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, MarchVariant M>
class MarchTarget : MarchRows<K, T, M> {
public:
  using Tile = MarchTile<K, T, M>;
  using Base = MarchRows<K, T, M>;
  using typename Base::Results;

  /// Elements of a memory sector.
  static constexpr int together = sector_bytes / static_cast<int>(sizeof(T));
  static constexpr int ahead = march_planes_ahead;
  static_assert((ahead & (ahead - 1)) == 0);
  /// Where rows do not begin at sectors their ends share them with other rows, and kernels that
  /// read beside the columns below wait for shared memory instead.
  static constexpr bool fills_sectors = !Tile::shifted && Tile::carries;
  /// Of shared memory, for what was asked for: both ends of a tile's rows, plane by plane.
  static constexpr int plane_elements = fills_sectors ? Tile::tile_y * 2 * together : 0;
  static constexpr int elements = ahead * plane_elements;
  static constexpr int bytes = elements * static_cast<int>(sizeof(T));

  /// The lane's first point in x and y; `row` is its row within the tile.
  RIDGE_DEVICE MarchTarget(const View<T>& out, Index x, Index y, int row, const MarchUnit& unit)
      : Base(out, x, y, unit), planes_(static_cast<int>(unit.z_end - unit.z_begin)),
        edge_(edge_of(out.extents.x, x, row)) {}

  /// Asks for the ends of rows in the first planes.
  template <class Lane, class Edges>
  RIDGE_DEVICE void begin(Lane& lane, const View<T>& out, Edges& edges) const {
    if (edge_ < 0) return;
    for (int plane = 0; plane < ahead; ++plane)
      ask(lane, out, edges, plane, at_ + plane * out.plane);
  }

  /// Writes the next plane.
  template <class Lane, class Edges>
  RIDGE_DEVICE void store(Lane& lane, const View<T>& out, Edges& edges, Results& results) {
    if (edge_ >= 0) join(lane, edges, results);
    this->write(lane, out, results, edge_ >= 0);
    if (edge_ >= 0) ask(lane, out, edges, plane_ + ahead, at_ + ahead * out.plane);
    ++plane_;
    at_ += out.plane;
  }

private:
  using Base::at_, Base::rows_, Base::r, Base::vector;

  /// Where the pack at x lies in the ends of the tile's rows, the first and the last sector of each
  /// that are written in part; -1 where it does not, and in rows that do not fill a tile, whose
  /// lanes would wait longer than the memory.
  [[nodiscard]] RIDGE_DEVICE int edge_of(Index n, Index x, int row) const {
    constexpr Index first_sector = r.x & ~(together - 1);
    const Index sector = x & ~Index{together - 1};
    const bool partly = Base::template in_written_sector<together>(n, x);
    if (!fills_sectors || n < Tile::tile_x || rows_ == 0) return -1;
    if (this->is_whole() || !partly || x + vector > n) return -1;
    return row * 2 * together + (sector == first_sector ? 0 : together) +
           static_cast<int>(x - sector);
  }

  [[nodiscard]] RIDGE_DEVICE int place(int plane) const {
    return (plane & (ahead - 1)) * plane_elements + edge_;
  }

  // Both without branches: the lanes at the ends of rows are those that the others wait for.

  template <class Lane, class Edges>
  RIDGE_DEVICE void ask(Lane& lane, const View<T>& out, Edges& edges, int plane, Index at) const {
    if (plane < planes_) {
      unrolled<M.tile>([&](auto point) {
        const int row = point < rows_ ? int{point} : 0; // something, for rows that are not written
        lane.template copy_async<vector>(edges, place(plane) + point * 2 * together,
                                         Span<const T>(out.elements()), at + row * out.row);
      });
    }
    lane.copy_commit(); // also of nothing, to keep count
  }

  /// Puts what the plane's other points hold beside the results.
  template <class Lane, class Edges>
  RIDGE_DEVICE void join(Lane& lane, Edges& edges, Results& results) const {
    lane.template copy_wait<ahead - 1>();
    unrolled<M.tile>([&](auto point) {
      const auto kept =
          lane.template load_shared_pack<vector>(edges, place(plane_) + point * 2 * together);
      results[point] = this->joined(results[point], kept);
    });
  }

  int plane_ = 0; ///< the next, of the unit's `planes_`
  int planes_;
  int edge_;
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
