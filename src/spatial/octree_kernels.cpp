// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/build_items.hpp>
#include <ridge/spatial/higher_items.hpp>
#include <ridge/spatial/merge.hpp>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

namespace {

/// A key goes behind the smaller ones of its share and of the others, and behind equal ones of
/// shares before its own. Keys that follow each other look on from where the one before has ended.
struct MergeKeys {
  static constexpr const char* name = "octree: shares of keys in one order";
  SortedShares s;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index item) const {
    const Index first = item * merged_together;
    const Index rest = s.keys.size - first;
    const int count = rest < merged_together ? static_cast<int>(rest) : merged_together;
    std::uint64_t keys[merged_together];
    Index places[merged_together];
    RIDGE_UNROLL
    for (int k = 0; k < merged_together; ++k) {
      keys[k] = k < count ? access.load(s.keys, first + k) : 0;
      places[k] = first + k;
    }
    for (int part = 0; part < s.parts; ++part) {
      const Index begin = share_begin(s.keys.size, part, s.parts);
      const Index end = share_begin(s.keys.size, part + 1, s.parts);
      if (begin <= first && first < end) continue;
      const bool is_before = end <= first;
      Index at = begin;
      RIDGE_UNROLL
      for (int k = 0; k < merged_together; ++k) {
        if (k >= count) continue;
        at = behind(access, keys[k], is_before, at, end, k == 0);
        places[k] += is_before ? at - end : at - begin;
      }
    }
    RIDGE_UNROLL
    for (int k = 0; k < merged_together; ++k) {
      if (k >= count) continue;
      access.store(s.merged_keys, places[k], keys[k]);
      access.store(s.merged_values, places[k], access.load(s.values, first + k));
    }
  }

private:
  /// Where the keys of [from, end) begin that come behind `key`: it is anywhere, or soon.
  template <class Access>
  RIDGE_FN Index behind(Access& access, std::uint64_t key, bool equal_before, Index from, Index end,
                        bool anywhere) const {
    const auto is_before = [&](Index i) {
      const std::uint64_t other = access.load(s.keys, i);
      return other < key || (equal_before && other == key);
    };
    Index to = end;
    for (Index step = 1; !anywhere && from < end; step *= 2) {
      const Index next = from + step < end ? from + step : end;
      if (!is_before(next - 1)) {
        to = next - 1;
        break;
      }
      from = next;
    }
    while (from < to) {
      const Index middle = from + (to - from) / 2;
      if (is_before(middle)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
};

void merge_shares(Queue& queue, const SortedShares& shares) {
  for_each_item(queue, ceil_div(shares.keys.size, merged_together), MergeKeys{shares});
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
