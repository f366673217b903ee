// Launches of one operation, or of several joined in registers, over arrays that lie alike in
// memory, for chains whose dimensions have given ends: one place is that of the item in all of
// them. So a lane computes it once, and has registers for several items of 16 bits.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// True of runs that use arrays with one value for all x.
template <class C, int First, int Last>
constexpr bool has_profiles() {
  for (int a = 0; a < arrays_of<C>; ++a) {
    const bool used = read_in<C>(First, Last, a) || written_in<C>(First, Last, a);
    if (used && C::arrays[static_cast<std::size_t>(a)].profile) return true;
  }
  return false;
}

/// True where lanes of a run may take its arrays as alike: all have points for each x.
template <class C, int First, int Last>
constexpr bool may_be_alike() {
  return has_given_ends<C>() && outer_of<C>() == 0 && !has_profiles<C, First, Last>();
}

/// Items that a lane takes of such arrays: as many as fill 4 bytes.
template <class T>
inline constexpr int items_alike = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;

/// The arrays of the operations First to Last, by their first item.
template <class C, class T, int First, int Last>
struct AlikeWindows {
  static constexpr bool has(int array) {
    return NarrowWindows<C, T, First, Last, false>::has(array);
  }
  T* data[window_count<C, First, Last, false>];
  Index row = 0, plane = 0; ///< elements
#if defined(RIDGE_TARGET_SIMT)
  Index before[window_count<C, First, Last, false>] = {};
  Index size[window_count<C, First, Last, false>] = {};
#endif

  /// The element that far behind the first item of array I.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Spot<T> spot(Index at) const {
    constexpr int number = windows_before<C, First, Last, false>(I);
    static_assert(has(I));
#if defined(RIDGE_TARGET_SIMT)
    return {Span<T>(data[number] - before[number], size[number]), before[number] + at};
#else
    return {Span<T>(data[number], 0), at};
#endif
  }
};

template <class Lane, class C, class T, int First, int Last>
struct AlikeMemory {
  Lane& lane;
  const AlikeWindows<C, T, First, Last>& windows;
  const Index3& n;
  Index item; ///< where it is, from the first

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index /*x*/, Index /*y*/, Index /*z*/, Offset o) const {
    static_assert(!Profile);
    check_reach<C, K, I>(lane, o);
    const Spot<T> spot =
        windows.template spot<I>(item + (o.x + o.y * windows.row + o.z * windows.plane));
    constexpr int items = lanes_of<V>;
    if constexpr (items == 1) {
      return V(one<I>(spot, 0));
    } else {
      if constexpr (!written_in<C>(First, Last, I)) {
        if (o.x % items == 0)
          return lane.template load_pack<items>(Span<const T>(spot.elements), spot.at);
      }
      V value;
      RIDGE_UNROLL
      for (int i = 0; i < items; ++i)
        value.set(i, one<I>(spot, i));
      return value;
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index /*x*/, Index /*y*/, Index /*z*/, const V& value) const {
    const Spot<T> spot = windows.template spot<I>(item);
    if constexpr (lanes_of < V >> 1) {
      lane.store(spot.elements, spot.at, value);
    } else {
      lane.store(spot.elements, spot.at, value[0]);
    }
  }

private:
  template <int I>
  [[nodiscard]] RIDGE_DEVICE T one(const Spot<T>& spot, int behind) const {
    if constexpr (written_in<C>(First, Last, I)) {
      return lane.load_written(spot.elements, spot.at + behind);
    } else {
      return lane.load(Span<const T>(spot.elements), spot.at + behind);
    }
  }
};

/// The run First to Last over all its items, Items a lane.
template <class C, class T, int First, int Last, int Items>
struct PointsAlike {
  static constexpr int max_threads = most_block_threads;
  /// 80 registers a lane, of doubles 128: what is under way counts, not what a lane keeps.
  static constexpr int min_blocks = sizeof(T) > 4 ? 2 : 3;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;

  C chain;
  AlikeWindows<C, T, First, Last> windows;
  Index3 n;

  /// Each lane once: in a loop compilers would keep the addresses of all arrays in registers.
  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    int x = d.begin.x + (b.x * shape.x + t.x) * Items;
    const int y = d.begin.y + b.y * shape.y + t.y;
    const int z = d.begin.z + b.z * shape.z + t.z;
    const int end = static_cast<int>(n.x) + d.end.x;
    if (x >= end || y >= static_cast<int>(n.y) + d.end.y || z >= static_cast<int>(n.z) + d.end.z)
      return;
    AlikeMemory<Lane, C, T, First, Last> memory{lane, windows, n,
                                                x + y * windows.row + z * windows.plane};
    if constexpr (Items > 1) {
      if (x + Items <= end) {
        run_item<Pack<T, Items>, First, Last, false>(chain, memory, x, y, z);
        return;
      }
    }
    const int last = Items < end - x ? x + Items : end;
    for (; x < last; ++x, ++memory.item)
      run_item<Pack<T, 1>, First, Last, true>(chain, memory, x, y, z);
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
