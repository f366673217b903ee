// Writes of a lane of a marching block: its points of one plane after the other, in whole
// sectors.
//
// Memory takes sectors of 32 bytes. One that was only partly written must be read before it can
// leave the L2, while others wait to: at 512^3 that costs 5 % in fp64 and 8 % in fp32, though only
// the first and the last sector of a row are written in part (docs/design/stencils_on_gpus.md). So
// lanes at the ends of rows read, a few planes ahead, what the points beside theirs hold, and write
// it back.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/march_rows.hpp>
#include <ridge/stencil/gpu/plan.hpp>

#include <cstdint>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// `Tile` says whether it fills sectors, and how large it is.
template <class K, class T, MarchVariant M, class Tile>
class MarchEnds : protected MarchRows<K, T, M> {
public:
  using Base = MarchRows<K, T, M>;
  using typename Base::Results;

  /// Elements of a memory sector.
  static constexpr int together = sector_bytes / static_cast<int>(sizeof(T));
  static constexpr int ahead = march_planes_ahead;
  static_assert((ahead & (ahead - 1)) == 0);
  /// Elements of shared memory for what was asked for: both ends of a tile's rows, plane by plane.
  static constexpr int plane_elements = Tile::fills_sectors ? Tile::tile_y * 2 * together : 0;
  static constexpr int elements = ahead * plane_elements;
  static constexpr int bytes = elements * static_cast<int>(sizeof(T));

  /// The lane's first point in x and y; `row` is its row within the tile.
  RIDGE_DEVICE MarchEnds(const View<T>& out, Index x, Index y, int row, const MarchUnit& unit)
      : Base(out, x, y, unit), edge_(edge_of(out, x, row, unit.x_first)),
        planes_(static_cast<int>(unit.z_end - unit.z_begin)) {}

  /// The next that is written, of the unit's.
  [[nodiscard]] RIDGE_DEVICE int plane() const { return plane_; }

  /// Asks for the ends of rows in the plane that comes `later` after the next; `ahead` planes can
  /// be on their way or there.
  template <class Lane, class Edges>
  RIDGE_DEVICE void ask(Lane& lane, const View<T>& out, Edges& edges, int later) const {
    if constexpr (Tile::fills_sectors) {
      const int plane = plane_ + later;
      const Index at = at_ + later * out.plane;
      if (edge_ < 0 || plane >= planes_) return;
      unrolled<M.tile>([&](auto point) {
        const int row = point < rows_ ? int{point} : 0; // something, for rows that are not written
        lane.template copy_async<vector>(edges, place(plane) + point * 2 * together,
                                         Span<const T>(out.elements()), at + row * out.row);
      });
    }
  }

  /// Writes the next plane; what was asked for of it is there.
  template <class Lane, class Edges>
  RIDGE_DEVICE void put(Lane& lane, const View<T>& out, Edges& edges, Results& results) {
    if (edge_ >= 0) {
      unrolled<M.tile>([&](auto point) {
        const auto kept =
            lane.template load_shared_pack<vector>(edges, place(plane_) + point * 2 * together);
        results[point] = this->joined(results[point], kept);
      });
    }
    this->write(lane, out, results, edge_ >= 0);
  }
  RIDGE_DEVICE void advance(const View<T>& out) {
    ++plane_;
    at_ += out.plane;
  }

protected:
  int edge_; ///< where the lane's pack lies in the ends of the tile's rows; -1: nowhere

private:
  using Base::at_, Base::rows_, Base::r, Base::vector;

  /// Where the pack at x lies in the ends of the tile's rows, the first and the last sector of each
  /// that are written in part; -1 where it does not, and in rows that do not fill a tile, whose
  /// lanes would wait longer than the memory.
  [[nodiscard]] RIDGE_DEVICE int edge_of(const View<T>& out, Index x, int row, Index first) const {
    const Index n = out.extents.x;
    const Index sector = x & ~Index{together - 1};
    const bool partly = Base::template in_written_sector<together>(n, first, x);
    const Index begin = first - r.x; // of the field
    if (!Tile::fills_sectors || n - begin < Tile::tile_x || rows_ == 0) return -1;
    if (this->is_whole() || !partly || x < begin || x + vector > n) return -1;
    if (M.rows != Rows::lines && !begin_at_sectors(out)) return -1;
    return row * 2 * together + (sector <= first ? 0 : together) +
           static_cast<int>(x - sector);
  }
  [[nodiscard]] static RIDGE_DEVICE bool begin_at_sectors(const View<T>& out) {
    const auto begins = reinterpret_cast<std::uintptr_t>(out.data) |
                        static_cast<std::uintptr_t>((out.row | out.plane) * Index{sizeof(T)});
    return begins % sector_bytes == 0;
  }

  [[nodiscard]] RIDGE_DEVICE int place(int plane) const {
    return (plane & (ahead - 1)) * plane_elements + edge_;
  }

  int plane_ = 0; ///< the next, of the unit's `planes_`
  int planes_;
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
