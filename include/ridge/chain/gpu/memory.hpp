// How lanes that compute item by item reach their arrays, in memory and in shared memory.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/gpu/windows.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Bytes of one access of a lane that takes several items.
inline constexpr int access_bytes = 16;
/// Items that such a lane takes of each array: two accesses, so that enough are under way.
template <class T>
inline constexpr int items_of_pack = 2 * access_bytes / static_cast<int>(sizeof(T));

/// The arrays as a lane of a launch of the operations GroupFirst to GroupLast reaches them. In
/// launches of tiles, temporaries that only these operations use are in shared memory.
template <class Lane, class C, class T, int GroupFirst, int GroupLast, bool Tiled>
struct Memory {
  Lane& lane;
  const NarrowWindows<C, T, GroupFirst, GroupLast, Tiled>& windows;
  const Index3& n;
  Index tile_x; ///< where the tile begins
  int shared_elements;
  bool everything;  ///< false: only what the tile keeps for itself is written
  Index number = 0; ///< of the instance

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_DEVICE InstanceOf<C> instance() const { return windows.at(number); }

  template <int I>
  static constexpr bool in_shared() {
    return Tiled && local_to<C>(GroupFirst, GroupLast, I);
  }
  /// In shared memory: only rings have masks, and only they may lack the other end of a dimension.
  template <int I, bool Edges>
  [[nodiscard]] RIDGE_DEVICE Index ring_index(Index x, Index y, Index z, Offset o) const {
    constexpr int rank = static_cast<int>(C::dimensions.size());
    constexpr Offset extra = C::arrays[I].extra;
    const NarrowWindow<T>& w = windows.template of<I>();
    const auto narrow = [](Index i) { return static_cast<Coordinate<C>>(i); };
    Coordinate<C> ix = narrow(x) + o.x;
    if constexpr (Edges) {
      ix = resolve<dimension_of<C>(0).edge>(ix, narrow(n.x + extra.x), w.part_x);
    }
    ix -= w.part_x ? narrow(tile_x) : Coordinate<C>{0};
    Index at = ix + w.offset;
    if constexpr (rank > 1) {
      const int iy = resolve<dimension_of<C>(1).edge>(static_cast<int>(y) + o.y,
                                                      static_cast<int>(n.y + extra.y), w.part_y);
      at += static_cast<Index>(iy & w.mask_y) * w.row;
    }
    if constexpr (rank > 2) {
      const int iz = resolve<dimension_of<C>(2).edge>(static_cast<int>(z) + o.z,
                                                      static_cast<int>(n.z + extra.z), w.part_z);
      at += static_cast<Index>(iz & w.mask_z) * w.plane_rows * w.row;
    }
    return at;
  }
  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (in_shared<I>()) {
      const Index at = ring_index<I, Edges>(x, y, z, o);
      const T value = lane.template shared<T>(0, shared_elements)[static_cast<int>(at)];
      return V(value);
    } else {
      const Spot<T> spot = spot_in<C, I, Profile, Edges>(windows.template of<I>(), n, x, y, z, o);
      if constexpr (lanes_of < V >> 1) {
        return load_items<V, I>(spot);
      } else if constexpr (written_in<C>(GroupFirst, GroupLast, I)) {
        return V(lane.load_written(spot.elements, spot.at));
      } else {
        return V(lane.load(Span<const T>(spot.elements), spot.at));
      }
    }
  }
  /// Items in accesses of 16 bytes.
  template <class V, int I>
  [[nodiscard]] RIDGE_DEVICE V load_items(const Spot<T>& spot) const {
    constexpr int each = access_bytes / static_cast<int>(sizeof(T));
    V value;
    RIDGE_UNROLL
    for (int first = 0; first < lanes_of<V>; first += each) {
      Pack<T, each> part;
      if constexpr (written_in<C>(GroupFirst, GroupLast, I)) {
        RIDGE_UNROLL
        for (int i = 0; i < each; ++i)
          part.set(i, lane.load_written(spot.elements, spot.at + first + i));
      } else {
        part = lane.template load_pack<each>(Span<const T>(spot.elements), spot.at + first);
      }
      RIDGE_UNROLL
      for (int i = 0; i < each; ++i)
        value.set(first + i, part[i]);
    }
    return value;
  }
  template <class V>
  RIDGE_DEVICE void store_items(const Spot<T>& spot, const V& value) const {
    constexpr int each = access_bytes / static_cast<int>(sizeof(T));
    RIDGE_UNROLL
    for (int first = 0; first < lanes_of<V>; first += each) {
      Pack<T, each> part;
      RIDGE_UNROLL
      for (int i = 0; i < each; ++i)
        part.set(i, value[first + i]);
      lane.store(spot.elements, spot.at + first, part);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (in_shared<I>()) {
      const T number = value[0];
      lane.template shared<T>(
          0, shared_elements)[static_cast<int>(ring_index<I, false>(x, y, z, {}))] = number;
    } else {
      if (lanes_of<V> == 1 && !everything) return;
      const Spot<T> spot = spot_in<C, I, false, false>(windows.template of<I>(), n, x, y, z, {});
      if constexpr (lanes_of < V >> 1) {
        store_items(spot, value);
      } else {
        lane.store(spot.elements, spot.at, value[0]);
      }
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
