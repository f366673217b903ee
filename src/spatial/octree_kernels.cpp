// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/build_items.hpp>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

namespace {

template <class S, class T>
void find_bounds(Queue& queue, const Build<S, T>& b) {
  const auto [of_bodies, of_parts, one] = bound_parts;
  const Index parts = b.count < of_bodies ? b.count : of_bodies;
  const Index fewer = parts < of_parts ? parts : of_parts;
  for_each_item(queue, parts, BoundBodies<S, T>{b, parts});
  for_each_item(queue, fewer, BoundParts<S, T>{b, 0, parts, of_bodies, fewer});
  for_each_item(queue, 1, BoundParts<S, T>{b, of_bodies, fewer, of_bodies + of_parts, 1});
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
  case BuildStep::moments:
    for_each_item(queue, end - begin, FindMoments<S, T>{b, begin});
    break;
  }
}

const Offer floats(kind_of<Here>, typeid(Build<float, float>), &build_step<float, float>);
const Offer doubles(kind_of<Here>, typeid(Build<double, double>), &build_step<double, double>);
const Offer mixed(kind_of<Here>, typeid(Build<double, float>), &build_step<double, float>);

} // namespace

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
