// What a lane of a block that marches with windows of registers writes, in whole sectors where rows
// begin at sectors: lanes at the ends of rows load, a plane ahead, what the points beside theirs
// hold, and write it back (march_target.hpp says why).
#pragma once

#include <ridge/stencil/gpu/march_rows.hpp>

#include <cstdint>
#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, MarchVariant M>
class WindowTarget : MarchRows<K, T, M> {
public:
  using Base = MarchRows<K, T, M>;
  using typename Base::Results, typename Base::Value;

  RIDGE_DEVICE WindowTarget(const View<T>& out, Index x, Index y, const MarchUnit& unit)
      : Base(out, x, y, unit), joins_(joins(out, x) ? 1 : 0) {}

  /// Asks for what the next plane's other points hold.
  template <class Lane>
  RIDGE_DEVICE void ask(Lane& lane, const View<T>& out) {
    if (joins_ == 0) return;
    unrolled<M.tile>([&](auto point) {
      if (point >= rows_) return;
      RIDGE_UNROLL
      for (int i = 0; i < vector; ++i) {
        if (!this->writes(i))
          kept_[point].set(i, lane.load_written(out.elements(), at_ + point * out.row + i));
      }
    });
  }

  /// Writes the next plane, and beside the results what was asked for.
  template <class Lane>
  RIDGE_DEVICE void store(Lane& lane, const View<T>& out, Results& results) {
    rows_ = anew(rows_);
    first_ = anew(first_);
    last_ = anew(last_);
    joins_ = anew(joins_);
    if (joins_ != 0) {
      unrolled<M.tile>(
          [&](auto point) { results[point] = this->joined(results[point], kept_[point]); });
    }
    this->write(lane, out, results, joins_ != 0);
    at_ += out.plane;
  }

private:
  using Base::at_, Base::first_, Base::last_, Base::rows_, Base::vector;

  /// An AMD GPU's cache keeps which bytes of a line were written, and fetches none of the others.
  static constexpr bool fills_sectors = !std::is_same_v<Here, target::Hip> && vector > 1;

  /// Whether the pack at x, which lies within its row, is written whole though some of its points
  /// are no results.
  [[nodiscard]] RIDGE_DEVICE bool joins(const View<T>& out, Index x) const {
    // What lies between rows is there, but behind the field's very last one.
    const Index row_end = Base::r.y + Base::r.z > 0 ? out.row : out.extents.x;
    constexpr int together = sector_bytes / static_cast<int>(sizeof(T));
    if (!fills_sectors || this->is_whole() || x + vector > row_end) return false;
    const auto begins = reinterpret_cast<std::uintptr_t>(out.data) |
                        static_cast<std::uintptr_t>((out.row | out.plane) * Index{sizeof(T)});
    return begins % sector_bytes == 0 &&
           Base::template in_written_sector<together>(out.extents.x, x);
  }

  Value kept_[M.tile]; ///< those values that are no results
  int joins_;          ///< not 0 where they are written, too
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
