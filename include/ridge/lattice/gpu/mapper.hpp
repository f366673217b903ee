// Maps on GPUs: 16-byte words, several under way.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/gpu/block.hpp>

#include <climits>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

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

template <int Items, Store How, class M, class T>
Bound bind_map(Queue& queue, const MapCall<M, T>& call, const GpuSchedule& s) {
  using Body = FlatMap<M, T, Items, How>;
  const int threads = block_threads(s, call.geometry, Body::max_threads);
  const Index words = call.z.size / Body::elements;
  const Index blocks = ceil_div(words, Index{threads} * Items);
  if (blocks > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) +
                     " makes too many blocks for a field of this size");
  }
  return Bound(Ready<Body>(queue, {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0},
                           Body{call.x, call.y, call.z, call.map}));
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class M, class T, class Target>
Bound Mapper<M, T, Target>::bind(Queue& queue, const MapCall<M, T>& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate mappers for ridge::Here");
  Bound bound;
  choose_from<MapList>(map_variant(s), [&](auto i) {
    constexpr MapVariant chosen = MapList::values[i];
    bound = gpu::bind_map<chosen.items, chosen.store>(queue, call, s);
  });
  return bound;
}

} // namespace ridge::lattice
