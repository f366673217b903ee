// Site loops on GPUs: the lanes of a group are neighbouring threads.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/gpu/block.hpp>
#include <ridge/lattice/gpu/site_items.hpp>
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/store_expression.hpp>

#include <climits>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

/// A launch of blocks of at most `most` threads. Bytes: as of Site.
template <int most, int Bytes = 0, class K>
Bound bind_loop(Queue& queue, const Geometry& g, const K& kernel, int parts, Subset subset,
                const GpuSchedule& s) {
  const int threads = block_threads(s, g, most);
  const Index blocks = ceil_div(g.groups * parts, Index{s.groups} * s.items);
  if (blocks > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) + " items=" + std::to_string(s.items) +
                     " make too many blocks for this lattice");
  }
  using Body = SiteLoop<K, most, Bytes>;
  return Bound(Ready<Body>(queue, {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0},
                           Body{kernel, g, parts, s.items, subset}));
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class S, class E, class Target>
Bound Assigner<S, E, Target>::bind(Queue& queue, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  using List = SiteList<AssignAhead>;
  Bound bound;
  choose_from<List>(site_variant(s), [&](auto i) {
    constexpr SiteVariant chosen = List::values[i];
    constexpr int bytes = sizeof(NumberOf<S>);
    using Store = StoreExpression<S, E, false>;
    const Store kernel{call.z, call.e};
    if constexpr (chosen.components == Components::threads) {
      bound = gpu::bind_loop<chosen.bounds, bytes>(queue, call.z.geometry, kernel, components_of<S>,
                                                   call.subset, s);
    } else {
      bound = gpu::bind_loop<chosen.bounds, bytes>(queue, call.z.geometry,
                                                   gpu::Whole<Store>{kernel}, 1, call.subset, s);
    }
  });
  return bound;
}

template <class S, class K, class Target>
Bound SiteLooper<S, K, Target>::bind(Queue& queue, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  using List = SiteList<SiteLoopAhead<K>>;
  Bound bound;
  choose_from<List>(site_loop_variant(s, call), [&](auto i) {
    constexpr SiteVariant chosen = List::values[i];
    constexpr int bytes = chosen.apart ? 0 : sizeof(NumberOf<std::remove_const_t<S>>);
    bound = gpu::bind_loop<chosen.bounds, bytes>(
        queue, call.like.geometry, gpu::Whole<K>{call.kernel}, 1, call.subset, s);
  });
  return bound;
}

} // namespace ridge::lattice
