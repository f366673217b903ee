// Values that count in some items alone, as those of adjoints do.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/pack.hpp>

namespace ridge::chain::inline RIDGE_TARGET_NAME {

/// True where item i of n is not before `Low` and not among the last `High`; bounds below 0 count
/// from the other end: -1 as `Low` is the last item alone, as `High` the first.
template <int Low, int High>
RIDGE_FN bool is_between(Index i, Index n) {
  return i >= (Low < 0 ? n + Low : Low) && i < (High < 0 ? -High : n - High);
}

/// True where an item's places along y and z are within these bounds.
template <int LowY, int HighY, int LowZ, int HighZ, class At>
RIDGE_FN bool is_row_inside(const At& at) {
  bool inside = true;
  if constexpr (LowY != 0 || HighY != 0) inside = is_between<LowY, HighY>(at.y(), at.extent_y());
  if constexpr (LowZ != 0 || HighZ != 0)
    inside = inside && is_between<LowZ, HighZ>(at.z(), at.extent_z());
  return inside;
}

/// The value of `inside` at items that are not interior.
template <int LowX, int HighX, int LowY, int HighY, int LowZ, int HighZ, class At>
RIDGE_FN auto inside_of(const At& at, const typename At::Value& value) {
  using V = typename At::Value;
  constexpr int lanes = lanes_of<V>;
  const bool row = is_row_inside<LowY, HighY, LowZ, HighZ>(at);
  V counts(row ? 1 : 0);
  if constexpr (LowX != 0 || HighX != 0) {
    const Index first = at.x();
    const Index n = at.extent_x();
    if (!is_between<LowX, HighX>(first, n) || !is_between<LowX, HighX>(first + lanes - 1, n)) {
      RIDGE_UNROLL
      for (int lane = 0; lane < lanes; ++lane) {
        const Index i = lanes == 1 ? first : (first + lane) % n; // rows may follow each other
        counts.set(lane, row && is_between<LowX, HighX>(i, n) ? 1 : 0);
      }
    }
  }
  return select(counts > V(0.5), rounded(value), V(0));
}

/// The value of the items within these bounds along x, y and z, and 0 of the others. No branch
/// decides about the value, and it is rounded: an item has the same bits in whichever pack it is.
/// Interior items are within all bounds that do not count from the other end, and within none that
/// do.
template <int LowX, int HighX, int LowY, int HighY, int LowZ, int HighZ, class At>
RIDGE_FN auto inside(const At& at, const typename At::Value& value) {
  using V = typename At::Value;
  if constexpr (At::interior) {
    if constexpr (LowX < 0 || HighX < 0 || LowY < 0 || HighY < 0 || LowZ < 0 || HighZ < 0) {
      return V(0);
    } else {
      return rounded(value);
    }
  } else {
    return inside_of<LowX, HighX, LowY, HighY, LowZ, HighZ>(at, value);
  }
}

} // namespace ridge::chain::inline RIDGE_TARGET_NAME
