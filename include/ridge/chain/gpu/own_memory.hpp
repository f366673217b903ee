// The arrays in memory, as lanes reach them that pass values on to each other.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/chain/region.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Arrays that a launch of the operations First to Last neither passes on nor keeps.
template <class Lane, class C, class T, int First, int Last>
struct OwnMemory {
  Lane& lane;
  const NarrowWindows<C, T, First, Last, false>& windows;
  const Index3& n;
  bool own = false; ///< whether the lane writes what the operation computes

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_DEVICE InstanceOf<C> instance() const { return windows.at(0); }

  template <class V, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load_from_memory(Index x, Index y, Index z, Offset o) const {
    const Spot<T> spot = spot_in<C, I, Profile, Edges>(windows.template of<I>(), n, x, y, z, o);
    return V(lane.load(Span<const T>(spot.elements), spot.at));
  }
  /// Where the array is read by others than these operations.
  template <int I, class V>
  RIDGE_DEVICE void store_to_memory(Index x, Index y, Index z, const V& value) const {
    if constexpr (outlives<C>(First, Last, I)) {
      if (!own) return;
      const Spot<T> spot = spot_in<C, I, false, false>(windows.template of<I>(), n, x, y, z, {});
      lane.store(spot.elements, spot.at, value[0]);
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
