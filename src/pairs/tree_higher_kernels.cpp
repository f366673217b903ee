// Compiled once per device kind: walks with moments beyond order 3, of one tile.
#include "tree_walks.hpp"

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

template <class P>
Index walk_higher(Queue& queue, const TreeWalk<P>& w) {
  return w.order == 4 ? walk_with<4, 2>(queue, w) : walk_with<5, 2>(queue, w);
}

template Index walk_higher(Queue& queue, const TreeWalk<Fp32>& w);
template Index walk_higher(Queue& queue, const TreeWalk<Fp64>& w);
template Index walk_higher(Queue& queue, const TreeWalk<Mixed>& w);

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
