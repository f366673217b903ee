// Reductions of expressions on GPUs: from a call to its launches.
#pragma once

#include <ridge/lattice/gpu/flat_launch.hpp>
#include <ridge/lattice/gpu/site_loop.hpp>
#include <ridge/lattice/gpu/site_sum.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

template <SiteVariant V, class S>
Bound bind_site_reduce(Queue& queue, const SiteReduceCall<S>& call, const GpuSchedule& s) {
  using Body = SiteReduce<S, V>;
  const Geometry& g = call.geometry;
  const int threads = block_threads(s, g, Body::max_threads);
  LaunchShape shape{
      {1, 1, 1}, {threads, 1, 1}, threads * static_cast<int>(sizeof(typename Body::A))};
  const Index most = ceil_div(g.groups * Body::steps, Index{s.groups} * Body::items);
  const Index wanted = s.spread > 0 ? Index{s.spread} * queue.device().facts().units
                                    : resident_blocks<Body>(queue, shape);
  Index blocks = std::clamp<Index>(wanted, 1, most);
  if (Body::apart) blocks = std::max(blocks, ceil_div(S::keys, s.groups));
  shape.grid.x = static_cast<int>(blocks);
  Index rows = blocks * s.groups;
  if (Body::apart) rows = rows / S::keys * S::keys;

  Partials partials;
  partials.rows = Body::apart ? rows / S::keys : blocks;
  partials.keys = S::keys;
  partials.words = Body::apart ? g.nsimd : 1;
  partials.elements = S::parts;
  partials.w = scratch_doubles(
      queue, partials.rows * S::keys * partials.words * S::parts * Body::A::words, Bytes{});
  Results results;
  results.to = call.result;
  results.parts = results.parts_of_element = S::parts;
  return Bound(
      [pass = Ready<Body>(queue, shape, Body{call.summand, g, call.subset, rows, partials.w}),
       finish = ready_finish<typename Body::A, S::partial>(queue, partials, results)]() mutable {
        pass();
        finish();
      });
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME

namespace ridge::lattice {

template <class S, class Target>
Bound SiteReducer<S, Target>::bind(Queue& queue, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  using List = SiteList<SiteReduceAhead<S>>;
  Bound bound;
  choose_from<List>(site_variant(s), [&](auto i) {
    constexpr SiteVariant chosen = List::values[i];
    bound = gpu::bind_site_reduce<chosen>(queue, call, s);
  });
  return bound;
}

} // namespace ridge::lattice
