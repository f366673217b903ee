// Lines that are brought into the L2 while several planes at once are computed.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/cpu/windows_shape.hpp>

#include <algorithm>

namespace ridge::stencil::cpu {

/// A pointer or index of which the compiler forgets where it came from. Otherwise it keeps one
/// pointer for each address that a loop reads, many more than there are registers.
template <class T>
RIDGE_FN T opaque(T value) {
  asm("" : "+r"(value));
  return value;
}

/// Rows of a tile, and how far in x and z the tile lies that is computed next over the same rows.
struct DeepSpan {
  Index y_begin, y_end;
  Index next_x, next_z;
};

/// The rows of input I that are asked for while row y of a tile is computed: into the L2, since
/// rows of the field lie in few sets of the L1, where they would push each other out. The leading
/// planes come from memory and are asked for `ahead` rows early, those behind them from a cache and
/// half as early. Behind a tile's last row comes the next tile's first.
template <class K, class T, std::size_t I>
class DeepAhead {
public:
  DeepAhead(const DeepSpan& span, Index y, Index ahead, Index row, Index plane) : plane_(plane) {
    const Index jump = span.next_x + span.next_z * plane;
    const auto offset = [&](Index rows, Index around) {
      const Index over = y + rows - (span.y_end + around);
      return over < 0 ? rows * row : (span.y_begin - around + over - y) * row + jump;
    };
    const Index rows[] = {ahead / 2, ahead / 2 + r.y, ahead};
    // A window takes in 2 r.y rows more than the tile has: they are asked for beside the last rows.
    const Index left = span.y_end - y;
    extra_ = left <= 2 * r.y;
    for (int g = 0; g < groups; ++g) {
      const Index before = std::max<Index>(rows[g], r.y); // when a window takes a row in
      other_[g] = offset(rows[g], 0);
      windows_[g] = offset(before, r.y);
      more_[g] = (span.y_begin + before - left - y) * row + jump;
    }
  }

  /// `point`: of row y, in the tile's first plane.
  RIDGE_FN void prefetch(const T* point) const { each(point, ridge::cpu::PrefetchIntoL2{}); }

  /// Calls `ask` with the place of `point` in each row that is asked for.
  template <class Ask>
  RIDGE_FN void each(const T* point, const Ask& ask) const {
    const T* at = point - r.z * plane_ + offset_of(-r.z);
    RIDGE_UNROLL
    for (int k = -r.z; k < S::depth + r.z; ++k) {
      ask(at);
      at = opaque(at + plane_);
      if (differ(k, k + 1)) at += offset_of(k + 1) - offset_of(k);
    }
    if (!extra_) return;
    RIDGE_UNROLL
    for (int k = held.first; k < held.first + held.count; ++k)
      ask(point + k * plane_ + more_[group_of(k)]);
  }

private:
  using S = DeepShape<K, T>;
  static constexpr Offset r = S::r;
  static constexpr WindowPlanes held = S::template planes<I>;
  static constexpr int groups = 3; ///< planes below the tile, its own, those from memory

  static constexpr int group_of(int k) { return k < 0 ? 0 : k < std::min(S::depth, r.z) ? 1 : 2; }
  static constexpr bool in_window(int k) { return k >= held.first && k < held.first + held.count; }
  static constexpr bool differ(int k, int l) {
    return group_of(k) != group_of(l) || in_window(k) != in_window(l);
  }
  [[nodiscard]] RIDGE_FN Index offset_of(int k) const {
    return in_window(k) ? windows_[group_of(k)] : other_[group_of(k)];
  }

  Index plane_;
  Index other_[groups], windows_[groups], more_[groups]; ///< elements from the point
  bool extra_;
};

} // namespace ridge::stencil::cpu
