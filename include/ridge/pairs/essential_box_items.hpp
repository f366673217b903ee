// One box of bodies, as kernels see it; for kernel sources.
#pragma once

#include <ridge/pairs/essential_boxes.hpp>
#include <ridge/spatial/items.hpp>

#include <limits>

namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME {

/// A box and the largest need in it, as 8 numbers.
template <class S>
struct Box {
  S low[3], high[3], need;

  static RIDGE_FN Box none() {
    constexpr S most = std::numeric_limits<S>::max();
    return {{most, most, most}, {-most, -most, -most}, 0};
  }
  RIDGE_FN bool is_empty() const { return low[0] > high[0]; }
  RIDGE_FN void widen(const S* lower, const S* upper, S other_need) {
    for (int c = 0; c < 3; ++c) {
      if (lower[c] < low[c]) low[c] = lower[c];
      if (upper[c] > high[c]) high[c] = upper[c];
    }
    if (other_need > need) need = other_need;
  }
  RIDGE_FN void widen(const Box& other) { widen(other.low, other.high, other.need); }
  template <class Access, class Of>
  static RIDGE_FN Box load(Access& access, const Span<Of>& from, Index i) {
    const auto a = spatial::load_four(access, from, box_values * i);
    const auto b = spatial::load_four(access, from, box_values * i + 4);
    return {{a.at[0], a.at[1], a.at[2]}, {b.at[0], b.at[1], b.at[2]}, b.at[3]};
  }
  template <class Access>
  RIDGE_FN void store(Access& access, const Span<S>& to, Index i) const {
    spatial::store_four(access, to, box_values * i, spatial::Four<S>{{low[0], low[1], low[2], 0}});
    spatial::store_four(access, to, box_values * i + 4,
                        spatial::Four<S>{{high[0], high[1], high[2], need}});
  }
};

} // namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME
