// Walks of one order and tile, for the sources that are compiled once per device kind.
#pragma once

#include <ridge/pairs/tree_walk.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/pairs/cpu/tree_walk.hpp>
#else
#include <ridge/pairs/gpu/tree_walk.hpp>
#endif

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)
template <int Order, int Tile, class P>
Index walk_with(Queue& /*queue*/, const TreeWalk<P>& w) {
  return cpu_pairs::walk_by_threads<P, Order, Tile>(w);
}
#else
/// No group is taken yet.
template <class P>
struct BeginWalk {
  static constexpr const char* name = "tree: before the walk";
  TreeWalk<P> w;
  template <class Access>
  RIDGE_FN void operator()(Access& access, Index /*i*/) const {
    for (int k = 0; k < 3; ++k)
      access.store(w.next, k, 0u);
  }
};

template <int Order, int Tile, class P>
Index walk_with(Queue& queue, const TreeWalk<P>& w) {
  using Walk = gpu::WalkGroups<P, Order, Tile, 1>;
  const int width = queue.device().facts().warp_width;
  const Index all = ceil_div(w.tree.count, Index{Tile} * width);
  const auto groups = static_cast<int>((w.end_group < all ? w.end_group : all) - w.first_group);
  if (groups <= 0) return Index{Tile} * width;
  LaunchShape shape{
      {1, 1, 1}, {gpu::walk_warps * width, 1, 1}, gpu::walk_warps * Walk::warp_bytes(width)};
  const int needed = static_cast<int>(ceil_div(groups, gpu::walk_warps));
  const int at_once = resident_blocks<Walk>(queue, shape);
  shape.grid.x = needed < at_once ? needed : at_once;
  spatial::for_each_item(queue, 1, BeginWalk<P>{w});
  launch_body(queue, shape, Walk{w, groups});
  if (w.schedule.cut > 0) {
    using Parts = gpu::WalkGroups<P, Order, 1, gpu::walk_ways>;
    shape.grid.x = resident_blocks<Parts>(queue, shape);
    launch_body(queue, shape, Parts{w, groups, Tile * width});
  }
  return Index{Tile} * width;
}
#endif

/// For orders 4 and 5, which are compiled apart.
template <class P>
Index walk_higher(Queue& queue, const TreeWalk<P>& w);

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
