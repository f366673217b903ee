// How near its nearest neighbours are to a body, for mixed precision; for kernel sources.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/hilbert.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

/// The square of the distance from a body to its neighbours along the curve, and to others
/// so near that the body's offset from the ends of its group has no digits for it: these are
/// beyond a face of a large cell, where the curve comes by much sooner or later.
template <class P>
struct FindGaps {
  static constexpr const char* name = "tree: gaps between bodies";
  using S = typename P::Stored;
  /// Bodies of a cell that are looked at.
  static constexpr Index most_bodies = 128;
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const auto body = spatial::load_four(access, w.tree.sorted, 4 * i);
    Gap<S> gap;
    take(access, gap, body, i - 1);
    take(access, gap, body, i + 1);
    const Index first = i / w.group * w.group;
    Index last = first + w.group - 1;
    if (last >= w.tree.count) last = w.tree.count - 1;
    const S from_first = apart_squared(body.at, at(access, first).at);
    const S from_last = apart_squared(body.at, at(access, last).at);
    const S reach_squared =
        (from_first > from_last ? from_first : from_last) / S(most_offset_squared);
    // Softening a thousand times as wide, or neighbours as near, need no other.
    if (w.keys_are_right && Gap<S>::least_of(static_cast<S>(w.softening_squared)) < reach_squared &&
        gap.squared > reach_squared)
      look_around(access, gap, body, i, reach_squared);
    access.store(w.gaps, i, gap.squared);
  }

private:
  template <class Access>
  RIDGE_FN spatial::Four<S> at(Access& access, Index i) const {
    return spatial::load_four(access, w.tree.sorted, 4 * i);
  }
  template <class Access>
  RIDGE_FN void take(Access& access, Gap<S>& gap, const spatial::Four<S>& body, Index i) const {
    if (i < 0 || i >= w.tree.count) return;
    gap.take(apart_squared(body.at, at(access, i).at), static_cast<S>(w.softening_squared));
  }
  /// Levels that two places along the curve have in common.
  template <class Access>
  RIDGE_FN int common(Access& access, Index i, Index j) const {
    if (i < 0 || j >= w.tree.count) return 0;
    return spatial::common_levels(access.load(w.tree.sorted_keys, i),
                                  access.load(w.tree.sorted_keys, j), w.tree.levels);
  }

  template <class Access>
  RIDGE_FN void look_around(Access& access, Gap<S>& gap, const spatial::Four<S>& body, Index i,
                            S reach_squared) const {
    const int levels = w.tree.levels;
    const S scale = access.load(w.tree.cube, 3);
    const S per_unit = 1 / w.tree.unit; // exact: a power of two
    const S reach = ridge::sqrt(reach_squared) * per_unit * scale;
    S place[3]; // in cells of the finest level
    for (int c = 0; c < 3; ++c)
      place[c] = (body.at[c] * per_unit +
                  (access.load(w.tree.cube, 4 + c) - access.load(w.tree.cube, c))) *
                 scale;
    // A body that is no neighbour along the curve is no deeper in a cell with this one than three
    // that follow each other.
    int level = common(access, i - 1, i + 1);
    for (int k = 0; k < 2; ++k) {
      const int other = common(access, i - 2 + 2 * k, i + 2 * k);
      if (other > level) level = other;
    }
    if (level < levels) {
      const S side = static_cast<S>(Index{1} << (levels - level - 1));
      const S sides = 1 / side;
      bool is_beside_a_face = false;
      for (const S x : place) {
        const S within = x - ridge::floor(x * sides) * side;
        if (within < reach || side - within < reach) is_beside_a_face = true;
      }
      if (!is_beside_a_face) return;
    }
    // Cells that are not smaller than twice the reach: at most two along each axis.
    int shift = 0;
    while (shift < levels && static_cast<S>(Index{1} << shift) < 2 * reach)
      ++shift;
    const S side = static_cast<S>(Index{1} << shift);
    const S end = static_cast<S>((Index{1} << (levels - shift)) - 1);
    std::uint32_t low[3];
    std::uint32_t high[3];
    for (int c = 0; c < 3; ++c) {
      const S before = ridge::floor((place[c] - reach) / side);
      const S after = ridge::floor((place[c] + reach) / side);
      low[c] = static_cast<std::uint32_t>(before < 0 ? S(0) : before < end ? before : end);
      high[c] = static_cast<std::uint32_t>(after < 0 ? S(0) : after < end ? after : end);
    }
    for (std::uint32_t x = low[0]; x <= high[0]; ++x) {
      for (std::uint32_t y = low[1]; y <= high[1]; ++y) {
        for (std::uint32_t z = low[2]; z <= high[2]; ++z) {
          const std::uint64_t key =
              spatial::hilbert_key(x << shift, y << shift, z << shift, levels) >> (3 * shift);
          look_into(access, gap, body, i, key, 3 * shift, reach_squared);
        }
      }
    }
  }

  /// Bodies whose keys begin with `key`, down to `shift` bits.
  template <class Access>
  RIDGE_FN void look_into(Access& access, Gap<S>& gap, const spatial::Four<S>& body, Index i,
                          std::uint64_t key, int shift, S reach_squared) const {
    Index before = -1;
    Index first = w.tree.count;
    while (first - before > 1) {
      const Index middle = (first + before) / 2;
      if (access.load(w.tree.sorted_keys, middle) >> shift < key) {
        before = middle;
      } else {
        first = middle;
      }
    }
    for (Index j = first; j < w.tree.count; ++j) {
      if (access.load(w.tree.sorted_keys, j) >> shift != key) return;
      if (j - first == most_bodies) {
        // So many are surely near, but that a finest cell has them.
        if (shift > 0) gap.squared = reach_squared;
        return;
      }
      if (j != i) take(access, gap, body, j);
    }
  }
};

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
