// Walks of one order and tile, for the sources that are compiled once per device kind.
#pragma once

#include <ridge/pairs/tree_walk.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/pairs/cpu/tree_walk.hpp>
#else
#include <ridge/pairs/gpu/tree_walk.hpp>
#endif

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

template <int Order, int Tile, class P>
Index walk_with(Queue& queue, const TreeWalk<P>& w) {
#if defined(RIDGE_TARGET_CPU)
  (void)queue;
  return cpu_pairs::walk_by_threads<P, Order, Tile>(w);
#else
  return gpu::walk_by_warps<P, Order, Tile>(queue, w);
#endif
}

/// For orders 4 and 5, which are compiled apart.
template <class P>
Index walk_higher(Queue& queue, const TreeWalk<P>& w);

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
