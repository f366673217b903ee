// Maps on GPUs: 16-byte words, several under way.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/gpu/block.hpp>
#include <ridge/lattice/gpu/flat_map.hpp>

#include <climits>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

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
