// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/build_items.hpp>
#include <ridge/spatial/higher_items.hpp>
#include <ridge/spatial/merge.hpp>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

namespace {

/// A key goes behind the smaller ones of its share and of the others, and behind equal ones of
/// shares before its own.
struct MergeKey {
  static constexpr const char* name = "octree: shares of keys in one order";
  SortedShares s;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const std::uint64_t key = access.load(s.keys, i);
    Index place = i;
    for (int part = 0; part < s.parts; ++part) {
      const auto begin = static_cast<int>(share_begin(s.keys.size, part, s.parts));
      const auto end = static_cast<int>(share_begin(s.keys.size, part + 1, s.parts));
      if (begin <= i && i < end) continue;
      const bool is_before = end <= i;
      int from = begin;
      for (int to = end; from < to;) {
        const int middle = from + (to - from) / 2;
        const std::uint64_t other = access.load(s.keys, middle);
        if (other < key || (is_before && other == key)) {
          from = middle + 1;
        } else {
          to = middle;
        }
      }
      place += is_before ? from - end : from - begin;
    }
    access.store(s.merged_keys, place, key);
    access.store(s.merged_values, place, access.load(s.values, i));
  }
};

void merge_shares(Queue& queue, const SortedShares& shares) {
  for_each_item(queue, shares.keys.size, MergeKey{shares});
}

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
const Offer merges(kind_of<Here>, typeid(SortedShares), &merge_shares);
const Offer mixed(kind_of<Here>, typeid(Build<double, float>), &build_step<double, float>);

} // namespace

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
