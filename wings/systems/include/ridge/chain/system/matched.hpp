// Layers that are matched to what they absorb: the share of a step that comes from derivatives
// along the axis of a face has a memory there.
#pragma once

#include <ridge/chain/system/beyond.hpp>

#include <cmath>

namespace ridge::chain {

/// Where the points of a layer lie: `data` is the first, `size` elements follow from there.
template <class T>
struct LayerPoints {
  T* data = nullptr;
  Index row = 0, plane = 0, size = 0;

  [[nodiscard]] RIDGE_FN Index at(const Index3& p) const { return p.x + p.y * row + p.z * plane; }
};

/// An array in the layer before one face. Forward, memory <- left memory + taken change, and is
/// added to the array; `change` is 0 behind that. Backward, memory <- left memory + taken array.
template <class T>
struct MatchedArray {
  LayerPoints<T> array, change, memory; ///< no change: backward
  Index3 points;
  int axis = 0;
  const T* left = nullptr; ///< along the axis, as `taken`
  const T* taken = nullptr;

  /// The memory behind a step, at point i along the axis. One rounding wherever it is
  /// compiled: ranks have the same bits.
  [[nodiscard]] RIDGE_FN T now(Index i, T memory_before, T from) const {
    if constexpr (sizeof(T) == 4) {
      return ::fmaf(taken[i], from, left[i] * memory_before);
    } else {
      return ::fma(taken[i], from, left[i] * memory_before);
    }
  }
  [[nodiscard]] RIDGE_FN Index count() const { return points.x * points.y * points.z; }
  [[nodiscard]] RIDGE_FN Index along(const Index3& p) const {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  }
};

} // namespace ridge::chain
