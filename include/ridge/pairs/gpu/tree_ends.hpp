// Groups of a tree's targets on a GPU: which nodes are far from them, and where they end, so that
// offsets from the first keep their digits.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/device/warp.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// A group of targets, the same in all lanes: a box around offsets from the first target.
template <class T>
struct TargetGroup {
  T low[3], high[3];
  T need = 1, cap;

  /// Whether all targets are far enough from a node; `radius` and `reach` are squares, `least` the
  /// multiple of `radius` that is too near.
  template <class S>
  RIDGE_DEVICE bool is_far(const S* origin, const spatial::Four<S>& centre, T radius, T reach,
                           T least) const {
    T distance = 0;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      const T x = static_cast<T>(centre.at[c] - origin[c]);
      const T below = low[c] - x;
      const T above = x - high[c];
      T off = below > above ? below : above;
      off = off > 0 ? off : T(0);
      distance += off * off;
    }
    const T wanted = reach * need;
    const T most = radius * cap;
    const T limit = wanted < most ? wanted : most;
    return distance > radius * least && distance > limit;
  }
};

/// As on the cpu, of the targets from `first` on of the group from `begin` to `end`. A lane has
/// `Tile` of them, `stride` apart, and may share them.
template <int Tile, class P, class Lane>
RIDGE_DEVICE Index tight_end(const Lane& lane, const TreeWalk<P>& w, Index begin, Index end,
                             Index first, int stride) {
  using S = typename P::Stored;
  const auto origin = spatial::load_four(lane, w.tree.sorted, 4 * first);
  const Index mine = begin + lane.lane() % stride;
  Gap<S> least;
  S farthest = 0;
  RIDGE_UNROLL
  for (int k = 0; k < Tile; ++k) {
    const Index i = mine + k * stride;
    if (i >= end) continue;
    const auto body = spatial::load_four(lane, w.tree.sorted, 4 * i);
    const S offset = apart_squared(body.at, origin.at);
    if (i > first && offset > farthest) farthest = offset;
    const S gap = lane.load(w.gaps, i);
    if (gap < least.squared) least.squared = gap;
  }
  least.squared = warp_min(lane, least.squared);
  if (ballot(lane, !least.holds(farthest)) == 0) return end;
  S inverse = 0;
  for (int k = 0; k < Tile; ++k) {
    const Index i = mine + k * stride;
    if (i >= end) continue;
    inverse += 1 / ridge::sqrt(lane.load(w.gaps, i));
  }
  for (int mask = stride / 2; mask > 0; mask /= 2)
    inverse += lane.shuffle_xor(inverse, mask);
  const S mean = static_cast<S>(end - begin) / inverse;
  for (int k = 0; k < Tile; ++k) {
    const Index i = mine + k * stride;
    bool ends = false;
    if (i > first && i < end) {
      const auto body = spatial::load_four(lane, w.tree.sorted, 4 * i);
      const S gap = lane.load(w.gaps, i);
      const Gap<S> own{gap < mean * mean ? gap : mean * mean};
      ends = !own.holds(apart_squared(body.at, origin.at));
    }
    const LaneMask some = ballot(lane, ends);
    if (some != 0) return begin + k * stride + first_lane(some) % stride;
  }
  return end;
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
