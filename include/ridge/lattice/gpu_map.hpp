// Maps on GPUs: 16-byte words, several under way.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/gpu_block.hpp>
#include <ridge/lattice/mapper.hpp>

#include <climits>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

template <class T, Map What, int Items, Store How>
struct FlatMap {
  static constexpr int max_threads = Items > 4 ? 256 : 1024;
  static constexpr const char* name = "lattice map";
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  using Word = Pack<T, elements>;
  Span<const T> x, y;
  Span<T> z;
  T a;

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
    if constexpr (What == Map::axpy) with = lane.template load_pack<elements>(y, word * elements);
  }
  RIDGE_DEVICE Word value(const Word& from, const Word& with) const {
    if constexpr (What == Map::axpy) {
      return Word(a) * from + with;
    } else {
      return Word(a) * from;
    }
  }
};

template <class T, Map What, int Items, Store How>
void map_flat(Queue& queue, const MapCall<T>& call, const GpuSchedule& s) {
  using Body = FlatMap<T, What, Items, How>;
  const int threads = block_threads(s, call.geometry, Body::max_threads);
  const Index words = call.z.size / Body::elements;
  const Index blocks = ceil_div(words, Index{threads} * Items);
  if (blocks > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) +
                     " makes too many blocks for a field of this size");
  }
  launch_body(queue, {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0},
              Body{call.x, call.y, call.z, call.a});
}

template <class T, Map What>
void map_of(Queue& queue, const MapCall<T>& call, const GpuSchedule& s) {
  choose(s.items == 8 ? 16 : s.items, Choices<1, 4, 16>{}, [&](auto items) {
    constexpr int n = decltype(items)::value;
    choose(s.store, Choices<Store::plain, Store::nontemporal>{},
           [&](auto store) { map_flat<T, What, n, decltype(store)::value>(queue, call, s); });
  });
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class T, class Target>
void Mapper<T, Target>::run(Queue& queue, const MapCall<T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate mappers for ridge::Here");
  if (call.what == Map::axpy) return gpu::map_of<T, Map::axpy>(queue, call, s);
  return gpu::map_of<T, Map::scale>(queue, call, s);
}

} // namespace ridge::lattice
