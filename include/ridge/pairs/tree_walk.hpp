// One walk over a tree by all bodies, as executors take it.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/interactions/multipole.hpp>
#include <ridge/pairs/precision.hpp>
#include <ridge/pairs/tree_schedule.hpp>
#include <ridge/spatial/build.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ridge::pairs {

/// What a node must be farther away than, as the square of a distance: its own `reach`, which is
/// kept with its moments, times the group's `need`, though no more than `cap` times the square of
/// its radius, and no less than that.
template <class P>
struct TreeWalk {
  using Stored = typename P::Stored;
  using Computed = typename P::Computed;

  spatial::Build<Stored, Computed> tree;
  int order = 2;                ///< of the moments that bodies meet, 1 to 5
  double softening_squared = 0; ///< times the tree's unit squared
  /// From the tree's units to those of the bodies: a potential's factor, and with `unit_of_length`
  /// an acceleration's.
  typename P::Summed unit_of_potential = 1, unit_of_length = 1;
  double theta = 0.5;
  /// Part of a body's acceleration that a far node may be wrong by, once accelerations are known;
  /// else 0: a node is far by its radius over theta.
  double alpha = 0;
  /// Mixed precision, a body: see FindGaps. And what these are found from: targets of a group, and
  /// whether keys are those of where bodies are now.
  Span<Stored> gaps;
  Index group = 0;
  bool keys_are_right = true;
  /// Mixed precision: where a group ends sooner, its few targets may be just outside of a node that
  /// has their neighbour. There a node is as many times the square of its radius away, too.
  Computed least_of_parts = 1;
  Span<Computed> needs; ///< a body: alpha times the acceleration before, to -2 / (order + 3)
  std::array<Span<typename P::Summed>, 4> sums; ///< in the bodies' own order
  /// 2 a group: how many times a target of it met a body, and a node.
  Span<std::uint32_t> met;
  /// What targets cost, of all groups in `cost_parts[0]` parts, of those parts in fewer, and so on.
  Span<double> costs;
  /// What a target may cost before its group is cut, and what it cost on average; of the sums
  /// before. On GPUs.
  Span<std::uint32_t> limit;
  Index groups = 0; ///< whose costs `limit` takes
  /// Groups that are walked for.
  Index first_group = 0, end_group = std::numeric_limits<Index>::max();
  /// Sums of several parts: 4 a place along the curve, and the places that a step is for. Where it
  /// is not empty, a walk's sums go there.
  Span<typename P::Summed> packed;
  Index first_place = 0, end_place = 0, packed_at = 0; ///< in `packed`, the first of them
  Span<std::uint32_t> packed_of;                       ///< a body: where its sums are there
  /// GPUs: `sums` of other parts, where a walk's sums go, too.
  static constexpr int most_others = 7;
  std::array<std::array<Span<typename P::Summed>, 4>, most_others> others;
  int count_others = 0;

  /// Where sums at a place along the curve are in `packed`.
  [[nodiscard]] RIDGE_FN Index packed_place(Index place) const {
    return packed_at + place - first_place;
  }
  /// GPUs: the groups to be walked for, the costliest first, so that none is left to a few warps in
  /// the end; where it is empty, as they come. And what a step finds this from, to be sorted.
  Span<const std::uint32_t> turns;
  Span<std::uint64_t> turn_keys;
  Span<std::uint32_t> turn_groups;
  /// On GPUs: the next group to be walked for, how many were cut, the next part of those to be
  /// walked for; and which were cut.
  Span<std::uint32_t> next, cut;
  TreeSchedule schedule;

  /// Places along the curve of the targets whose exact sums are asked for, or `no_place` for bodies
  /// of other ranks; where they are, 4 numbers a target; and in `exact` 4 sums of each part of each
  /// target's sources.
  Span<const std::uint32_t> sample;
  Span<const Stored> sample_at;
  Span<double> exact;
};

/// Groups have two warps' or packs' targets from this order on, whatever the schedule's tile: fewer
/// kernels.
inline constexpr int only_tile_from = 4;

/// What a body meets a node by.
template <int Order>
using FarOf = std::conditional_t<Order == 1, Gravity<>, Multipole<Order == 1 ? 2 : Order>>;

/// Calls `of` with a std::integral_constant of an order.
template <class Of>
decltype(auto) with_order(int order, const Of& of) {
  switch (order) {
  case 1:
    return of(std::integral_constant<int, 1>{});
  case 2:
    return of(std::integral_constant<int, 2>{});
  case 3:
    return of(std::integral_constant<int, 3>{});
  case 4:
    return of(std::integral_constant<int, 4>{});
  default:
    return of(std::integral_constant<int, 5>{});
  }
}

/// Which number of a Multipole's source the k-th of spatial::Build::higher is, or -1.
RIDGE_FN constexpr int place_of_higher(int k) {
  return k < 10 ? 10 + k : k < 12 ? -1 : 8 + k;
}

/// Mixed precision: a target may be as many times farther from its group's first body as from its
/// neighbours, squared. Beyond it a group ends, so that offsets keep their digits.
inline constexpr double most_offset_squared = 1024.0 * 1024.0;

/// Squares of distances from a body to its neighbours; one at the same place is none, and has no
/// rounding. A force within the softening falls with the distance, so an error of the distance
/// counts by that; a force of a thousandth of the softening is too small to matter.
template <class S>
struct Gap {
  S squared = std::numeric_limits<S>::infinity();

  RIDGE_FN static S least_of(S softening_squared) {
    return softening_squared / S(most_offset_squared);
  }
  RIDGE_FN void take(S distance_squared, S softening_squared) {
    const S least = least_of(softening_squared);
    const S counted = distance_squared < least ? least : distance_squared;
    if (distance_squared > 0 && counted < squared) squared = counted;
  }
  [[nodiscard]] RIDGE_FN bool holds(S offset_squared) const {
    return !(offset_squared > S(most_offset_squared) * squared);
  }
};

/// Distances, in the tree's units, that powers in fp32 are right for: order 3 takes the seventh.
inline constexpr double least_far_distance = 0x1p-17;

/// The square of the distance between two bodies.
template <class S>
RIDGE_FN S apart_squared(const S* a, const S* b) {
  S sum = 0;
  for (int c = 0; c < 3; ++c)
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/// The place of a body that is not here.
inline constexpr std::uint32_t no_place = 0xffffffffu;
/// Parts of the sources of a target whose sums are exact.
inline constexpr Index exact_parts = 64;

/// Parts that costs are added up in.
inline constexpr std::array<Index, 3> cost_parts{16384, 512, 16};
/// What a target costs for each body and node that it meets: issue slots of a GPU, two targets a
/// lane.
inline constexpr std::uint32_t cost_of_body = 15;
[[nodiscard]] constexpr std::uint32_t slots_of_node(int order) {
  return order == 1 ? cost_of_body : order == 2 ? 37 : order == 3 ? 80 : order == 4 ? 169 : 270;
}
/// What groups are cut by: of orders 1 and 3 as of 2, with which that was measured.
RIDGE_FN constexpr std::uint32_t cost_of_node(int order) {
  return order <= 3 ? 37 : order == 4 ? 169 : 270;
}
/// Classes of groups by what a target cost: as many below the mean as above it.
inline constexpr int turn_bits = 4, turn_classes = 1 << turn_bits;
/// No target costs as much.
inline constexpr std::uint32_t no_limit = 0xffffffffu;

enum class TreeStep {
  criterion, ///< the reach of each node
  gaps,      ///< of the bodies
  turns,     ///< how soon each group is walked for, by what it cost before
  walk,
  costs,    ///< the limit for the next sums
  remember, ///< the needs of the bodies, from their sums
  places,   ///< where packed sums of the bodies at some places along the curve are
  unpack,   ///< packed sums, in the bodies' own order
  exact     ///< sums over all pairs in double precision, of some targets
};

/// What each kind's module offers under TreeWalk<P>: a step in queue order. Returns how many
/// targets a group has.
template <class P>
using WalkTree = Index(Queue& queue, TreeStep step, const TreeWalk<P>& walk);

} // namespace ridge::pairs
