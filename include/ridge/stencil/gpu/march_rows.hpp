// Where a lane of a marching block writes.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>

#include <cstdint>

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
        first_(within(unit.x_first - x, vector)), last_(within(out.extents.x - r.x - x, vector)) {
    if constexpr (M.rows == Rows::joined) {
      first_ = within(unit.x_first - x + vector, 2 * vector) - vector;
      last_ = within(out.extents.x - r.x - x + vector, 2 * vector) - vector;
      misfit_ =
          static_cast<int>(reinterpret_cast<std::uintptr_t>(out.data) / sizeof(T)) & (vector - 1);
    }
  }

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
      if constexpr (M.rows == Rows::joined) {
        write_joined(lane, out, at_ + point * out.row, results[point], point < rows_);
        return;
      }
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

  Index at_; ///< of the first point in the next plane
  int rows_; ///< of the lane's that are written
  /// Points of a pack that are written: from `first_` to before `last_`. Of joined rows also of the
  /// pack before, at negative numbers.
  int first_, last_;

private:
  int misfit_ = 0; ///< of joined rows: elements from 16 bytes to the field

  /// Results of a row that begins anywhere, from `at` on. A lane writes the 16 bytes in which they
  /// begin, with what the lane before has of these. Lanes at the ends of a warp write what is left
  /// of theirs by elements.
  template <class Lane>
  RIDGE_DEVICE void write_joined(Lane& lane, const View<T>& out, Index at, const Value& results,
                                 bool writes) const {
    const int me = lane.lane();
    const int tx = lane.rank() % M.threads_x;
    const bool begins = me == 0 || tx == 0;
    const bool ends = me == lane.width() - 1 || tx == M.threads_x - 1;
    const int back = static_cast<int>(at + misfit_) & (vector - 1);
    Value before{};
    RIDGE_UNROLL
    for (int i = 1; i < vector; ++i) {
      const T value = results[i];
      before.set(i, lane.shuffle(value, me > 0 ? me - 1 : 0));
    }
    if (!writes) return;
    const Value mine = back_from(before, results, back);
    if (!begins && first_ <= -back && last_ >= vector - back) {
      put<M.store>(lane, out.elements(), at - back, mine);
    } else {
      RIDGE_UNROLL
      for (int i = 0; i < vector; ++i) {
        const int from = i - back;
        if (from >= (begins ? 0 : first_) && from >= first_ && from < last_)
          put<M.store>(lane, out.elements(), at + from, Pack<T, 1>(mine[i]));
      }
    }
    if (ends) {
      RIDGE_UNROLL
      for (int i = 1; i < vector; ++i) {
        if (i >= vector - back && i >= first_ && i < last_)
          put<M.store>(lane, out.elements(), at + i, Pack<T, 1>(results[i]));
      }
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
