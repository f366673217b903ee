// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/tree_gaps.hpp>
#include <ridge/pairs/tree_items.hpp>

#include "tree_walks.hpp"

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

namespace {

template <int Order, class P>
Index walk_of(Queue& queue, const TreeWalk<P>& w) {
  switch (w.schedule.tile) {
  case 1:
    return walk_with<Order, 1>(queue, w);
#if defined(RIDGE_TARGET_CPU)
  case 4:
    return walk_with<Order, 4>(queue, w);
#endif
  default:
    return walk_with<Order, 2>(queue, w);
  }
}

/// Sums of sums, in parts that are few for a lane.
template <class P>
void set_limit(Queue& queue, const TreeWalk<P>& w) {
#if defined(RIDGE_TARGET_CPU)
  (void)queue, (void)w; // whose groups are not cut
#else
  Index from = 0;
  Index count = w.groups < cost_parts[0] ? w.groups : cost_parts[0];
  spatial::for_each_item(queue, count, tree::AddCosts<P>{w, count});
  for (std::size_t stage = 1; stage < cost_parts.size(); ++stage) {
    const Index parts = cost_parts[stage];
    if (parts >= count) continue;
    spatial::for_each_item(queue, parts, tree::AddParts<P>{w, from, count, parts});
    from += count;
    count = parts;
  }
  spatial::for_each_item(queue, 1, tree::SetLimit<P>{w, from, count});
#endif
}

template <class P>
Index walk_tree(Queue& queue, TreeStep step, const TreeWalk<P>& w) {
  switch (step) {
  case TreeStep::criterion:
    spatial::for_each_item(queue, w.tree.nodes, SetReach<P>{w});
    break;
  case TreeStep::gaps:
    if constexpr (std::is_same_v<P, Mixed>)
      spatial::for_each_item(queue, w.tree.count, FindGaps<P>{w});
    break;
  case TreeStep::turns:
    spatial::for_each_item(queue, w.end_group - w.first_group, FindTurns<P>{w});
    break;
  case TreeStep::remember:
    spatial::for_each_item(queue, w.tree.count, SetNeed<P>{w});
    break;
  case TreeStep::places:
    spatial::for_each_item(queue, w.end_place - w.first_place, FindPacked<P>{w});
    break;
  case TreeStep::unpack:
    spatial::for_each_item(queue, w.tree.count, UnpackSums<P>{w});
    break;
  case TreeStep::costs:
    set_limit(queue, w);
    break;
  case TreeStep::exact:
    spatial::for_each_item(queue, w.sample.size * exact_parts, SumExactly<P>{w});
    break;
  case TreeStep::walk:
    return w.order == 1   ? walk_of<1>(queue, w)
           : w.order == 2 ? walk_of<2>(queue, w)
           : w.order == 3 ? walk_of<3>(queue, w)
                          : walk_higher(queue, w);
  }
  return 0;
}

const Offer fp32(kind_of<Here>, typeid(TreeWalk<Fp32>), &walk_tree<Fp32>);
const Offer fp64(kind_of<Here>, typeid(TreeWalk<Fp64>), &walk_tree<Fp64>);
const Offer mixed(kind_of<Here>, typeid(TreeWalk<Mixed>), &walk_tree<Mixed>);

} // namespace

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
