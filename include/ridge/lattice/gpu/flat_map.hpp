// Maps as bodies of GPU kernels: 16-byte words, several under way.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/schedule_fields.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

template <class M, class T, int Items, Store How>
struct FlatMap {
  static constexpr int max_threads = Items > 4 ? 256 : 1024;
  static constexpr const char* name = "lattice map";
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  using Word = Pack<T, elements>;
  Span<const T> x, y;
  Span<T> z;
  M map;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index threads = lane.block_extent().x;
    const Index words = z.size / elements;
    const Index first = lane.block().x * threads * Items + lane.thread().x;
    if (first + (Items - 1) * threads < words) {
      Word from[Items], with[Items];
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        load(lane, first + i * threads, from[i], with[i]);
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        put(lane, first + i * threads, value(from[i], with[i]));
      return;
    }
    for (Index word = first; word < words; word += threads) {
      Word from, with;
      load(lane, word, from, with);
      put(lane, word, value(from, with));
    }
  }

private:
  template <class Lane>
  RIDGE_DEVICE void put(const Lane& lane, Index word, const Word& result) const {
    if constexpr (How == Store::nontemporal) {
      lane.store_nontemporal(z, word * elements, result);
    } else {
      lane.store(z, word * elements, result);
    }
  }
  template <class Lane>
  RIDGE_DEVICE void load(const Lane& lane, Index word, Word& from, Word& with) const {
    from = lane.template load_pack<elements>(x, word * elements);
    if constexpr (M::inputs == 2) with = lane.template load_pack<elements>(y, word * elements);
  }
  RIDGE_DEVICE Word value(const Word& from, const Word& with) const {
    if constexpr (M::inputs == 2) {
      return map(from, with);
    } else {
      return map(from);
    }
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
