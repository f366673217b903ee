// Where a lane of a marching block writes.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// A value within 0 to `most`.
RIDGE_DEVICE int within(Index value, int most) {
  return value < 0 ? 0 : value > most ? most : static_cast<int>(value);
}

template <class K, class T, MarchVariant M>
class MarchRows {
public:
  using Block = MarchBlock<K, T, M>;
  using Results = typename Block::Results;
  using Value = typename Block::Value;
  static constexpr Offset r = Block::r;
  static constexpr int vector = Block::vector;

  /// The lane's first point in x and y.
  RIDGE_DEVICE MarchRows(const View<T>& out, Index x, Index y, const MarchUnit& unit)
      : at_(out.at(x, y, unit.z_begin)), rows_(within(out.extents.y - r.y - y, M.tile)),
        first_(within(unit.x_first - x, vector)), last_(within(out.extents.x - r.x - x, vector)) {}

protected:
  [[nodiscard]] RIDGE_DEVICE bool is_whole() const { return first_ == 0 && last_ == vector; }
  [[nodiscard]] RIDGE_DEVICE bool writes(int i) const { return i >= first_ && i < last_; }

  /// Whether the sector of `Together` elements in which x lies has points that are written: from
  /// `first` on, in rows of n that begin at sectors.
  template <int Together>
  [[nodiscard]] static RIDGE_DEVICE bool in_written_sector(Index n, Index first, Index x) {
    const Index sector = x & ~Index{Together - 1};
    return sector + Together > first && sector < n - r.x;
  }

  /// The results, and beside them what the other points of the pack hold.
  [[nodiscard]] RIDGE_DEVICE Value joined(const Value& results, const Value& kept) const {
    return Value::make([&](int i) { return writes(i) ? results[i] : kept[i]; });
  }

  /// Writes the plane at `at_`; all of each pack where it is `complete`.
  template <class Lane>
  RIDGE_DEVICE void write(Lane& lane, const View<T>& out, const Results& results,
                          bool complete) const {
    unrolled<M.tile>([&](auto point) {
      if (point >= rows_) return;
      const Index at = at_ + point * out.row;
      if (vector > 1 && (is_whole() || complete)) {
        put<M.store>(lane, out.elements(), at, results[point]);
      } else {
        RIDGE_UNROLL
        for (int i = 0; i < vector; ++i) {
          if (writes(i)) put<M.store>(lane, out.elements(), at + i, Pack<T, 1>(results[point][i]));
        }
      }
    });
  }

  Index at_;         ///< of the first point in the next plane
  int rows_;         ///< of the lane's that are written
  int first_, last_; ///< points of a pack that are written: from `first_` to before `last_`
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
