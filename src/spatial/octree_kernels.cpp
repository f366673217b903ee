// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/build_items.hpp>
#include <ridge/spatial/higher_items.hpp>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

namespace {

template <class S, class T>
void find_bounds(Queue& queue, const Build<S, T>& b) {
  Index from = 0;
  Index count = b.count < bound_parts[0] ? b.count : bound_parts[0];
  for_each_item(queue, count, BoundBodies<S, T>{b, count});
  Index to = bound_parts[0];
  for (std::size_t stage = 1; stage < bound_parts.size(); ++stage) {
    const Index parts = bound_parts[stage];
    if (parts < count || parts == 1) {
      for_each_item(queue, parts, BoundParts<S, T>{b, from, count, to, parts});
      from = to;
      count = parts;
    }
    to += parts;
  }
}

template <class S, class T>
void find_higher(Queue& queue, const Build<S, T>& b, Index begin, Index end, bool of_leaves) {
  if (b.moments_order == 3) {
    for_each_item(queue, end - begin, FindHigher<S, T, 3>{b, begin, of_leaves});
  } else {
    for_each_item(queue, end - begin, FindHigher<S, T, 5>{b, begin, of_leaves});
  }
}

template <class S, class T>
void build_step(Queue& queue, BuildStep step, const Build<S, T>& b, Index begin, Index end) {
  switch (step) {
  case BuildStep::bounds:
    find_bounds(queue, b);
    break;
  case BuildStep::keys:
    for_each_item(queue, b.count, FindKeys<S, T>{b});
    break;
  case BuildStep::gather:
    for_each_item(queue, b.count, GatherBodies<S, T>{b});
    break;
  case BuildStep::settle:
    for_each_item(queue, b.count, SettleBodies<S, T>{b});
    break;
  case BuildStep::count:
    for_each_item(queue, b.count, CountStarts<S, T>{b});
    break;
  case BuildStep::emit:
    for_each_item(queue, b.count > b.level_begin.size ? b.count : b.level_begin.size,
                  EmitNodes<S, T>{b});
    break;
  case BuildStep::link:
    for_each_item(queue, b.nodes, LinkNodes<S, T>{b});
    break;
  case BuildStep::leaves:
    for_each_item(queue, b.nodes, FindMoments<S, T, true>{b, 0});
    break;
  case BuildStep::moments:
    for_each_item(queue, end - begin, FindMoments<S, T, false>{b, begin});
    break;
  case BuildStep::leaf_higher:
    find_higher(queue, b, 0, b.nodes, true);
    break;
  case BuildStep::higher:
    find_higher(queue, b, begin, end, false);
    break;
  case BuildStep::traceless:
    for_each_item(queue, b.nodes, TakeTraces<S, T>{b});
    break;
  }
}

const Offer floats(kind_of<Here>, typeid(Build<float, float>), &build_step<float, float>);
const Offer doubles(kind_of<Here>, typeid(Build<double, double>), &build_step<double, double>);
const Offer mixed(kind_of<Here>, typeid(Build<double, float>), &build_step<double, float>);

} // namespace

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
