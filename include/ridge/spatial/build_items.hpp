// What one body or node does in each step of building an octree; for kernel sources.
#pragma once

#include <ridge/spatial/build.hpp>
#include <ridge/spatial/items.hpp>

#include <cmath>

/// A lane goes through few parts, and waits for memory: loads of four are under way together.
#if defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#define RIDGE_FOUR_TOGETHER _Pragma("unroll 4")
#else
#define RIDGE_FOUR_TOGETHER
#endif

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

/// The least and the greatest coordinates so far. What is nowhere changes neither.
template <class S>
struct Bounds {
  S low[3], high[3];
  std::uint32_t odd;

  static RIDGE_FN Bounds none(Index count) {
    constexpr S most = sizeof(S) == 4 ? S(3.4028234e38) : S(1.7976931348623157e308);
    return {{most, most, most}, {-most, -most, -most}, static_cast<std::uint32_t>(count)};
  }
  RIDGE_FN void widen(int c, S low_value, S high_value) {
    if (low_value < low[c]) low[c] = low_value;
    if (high_value > high[c]) high[c] = high_value;
  }
};

/// Bounds of one part of the bodies: every `parts`-th.
template <class S, class T>
struct BoundBodies {
  static constexpr const char* name = "octree: bounds of bodies";
  Build<S, T> b;
  Index parts;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    auto bounds = Bounds<S>::none(b.count);
    for (Index i = part; i < b.count; i += parts) {
      for (int c = 0; c < 3; ++c) {
        const S x = access.load(b.bodies[c], i);
        if (x - x == 0) {
          bounds.widen(c, x, x);
        } else if (i < static_cast<Index>(bounds.odd)) {
          bounds.odd = static_cast<std::uint32_t>(i);
        }
      }
    }
    for (int c = 0; c < 3; ++c) {
      access.store(b.partial, 8 * part + c, bounds.low[c]);
      access.store(b.partial, 8 * part + 4 + c, bounds.high[c]);
    }
    access.store(b.odd, part, bounds.odd);
  }
};

/// Bounds of one part of `count` parts that begin at `from`; `last`: the cube, too.
template <class S, class T>
struct BoundParts {
  static constexpr const char* name = "octree: bounds of parts";
  Build<S, T> b;
  Index from, count, to, parts;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    auto bounds = Bounds<S>::none(b.count);
    for (Index i = part; i < count; i += parts) {
      for (int c = 0; c < 3; ++c)
        bounds.widen(c, access.load_written(b.partial, 8 * (from + i) + c),
                     access.load_written(b.partial, 8 * (from + i) + 4 + c));
      const std::uint32_t odd = access.load_written(b.odd, from + i);
      if (odd < bounds.odd) bounds.odd = odd;
    }
    for (int c = 0; c < 3; ++c) {
      access.store(b.partial, 8 * (to + part) + c, bounds.low[c]);
      access.store(b.partial, 8 * (to + part) + 4 + c, bounds.high[c]);
    }
    if (parts > 1) {
      access.store(b.odd, to + part, bounds.odd);
      return;
    }
    S side = 0;
    for (int c = 0; c < 3; ++c) {
      const S extent = bounds.high[c] - bounds.low[c];
      if (extent > side) side = extent;
    }
    access.store(b.odd, last_bound + 1, 0u);
    const bool is_right = side >= b.least_side && side <= b.most_side;
    const bool all_are_somewhere = static_cast<Index>(bounds.odd) == b.count;
    access.store(b.odd, to + part, bounds.odd + (all_are_somewhere && !is_right ? 1u : 0u));
    const S cells = static_cast<S>(Index{1} << b.levels);
    const S scale = cells / side;
    for (int c = 0; c < 3; ++c)
      access.store(b.cube, c, (bounds.low[c] + bounds.high[c]) / 2 - side / 2);
    // All at one place, or in a cube too small to divide: one cell.
    access.store(b.cube, 3, side > 0 && scale - scale == 0 ? scale : S(0));
    for (int c = 0; c < 3; ++c)
      access.store(b.cube, 4 + c,
                   b.has_origin ? b.origin[c] : origin_between(bounds.low[c], bounds.high[c]));
    access.store(b.cube, 7, S(0)); // masses have none
  }
};

template <class S, class T>
struct FindKeys {
  static constexpr const char* name = "octree: keys";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    std::uint32_t cell[3];
    Four<S> body;
    const S most = static_cast<S>((Index{1} << b.levels) - 1);
    const S scale = access.load(b.cube, 3);
    for (int c = 0; c < 3; ++c) {
      body.at[c] = access.load(b.bodies[c], i);
      const S at = (body.at[c] - access.load(b.cube, c)) * scale;
      const S within = at > 0 ? at : S(0); // NaN, too
      cell[c] = static_cast<std::uint32_t>(within < most ? within : most);
      body.at[c] = (body.at[c] - access.load(b.cube, 4 + c)) * b.unit;
    }
    access.store(b.keys, i, hilbert_key(cell[0], cell[1], cell[2], b.levels));
    access.store(b.order, i, static_cast<std::uint32_t>(i));
    // Together, so that the next step reads each at one place.
    body.at[3] = access.load(b.bodies[3], i) * b.mass_unit;
    store_four(access, b.packed, 4 * i, body);
  }
};

template <class S, class T>
struct GatherBodies {
  static constexpr const char* name = "octree: bodies in order";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const Index from = access.load(b.sorted_order, i);
    store_four(access, b.sorted, 4 * i, load_four(access, b.packed, 4 * from));
  }
};

/// Keys that begin alike are few, and follow each other: how many of these are less than a body's
/// own, or equal and before it, says where it belongs. All of a run that is too long stay.
template <class S, class T>
struct SettleBodies {
  static constexpr const char* name = "octree: bodies in order of whole keys";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const std::uint64_t key = access.load(b.sorted_keys, i);
    const auto is_alike = [&](std::uint64_t other) {
      return other >> b.bits_left == key >> b.bits_left;
    };
    Index place = i;
    Index alike = 0;
    for (Index j = i - 1; j >= 0 && i - j <= longest_run + 1; --j, ++alike) {
      const std::uint64_t before = access.load(b.sorted_keys, j);
      if (!is_alike(before)) break;
      place -= before > key ? 1 : 0;
    }
    for (Index j = i + 1; j < b.count && j - i <= longest_run + 1; ++j, ++alike) {
      const std::uint64_t behind = access.load(b.sorted_keys, j);
      if (!is_alike(behind)) break;
      place += behind < key ? 1 : 0;
    }
    if (alike > longest_run) {
      access.store(b.odd, last_bound + 1, 1u);
      place = i;
    }
    const std::uint32_t from = access.load(b.sorted_order, i);
    access.store(b.keys, place, key);
    access.store(b.order, place, from);
    store_four(access, b.sorted, 4 * place, load_four(access, b.packed, 4 * Index{from}));
  }
};

/// How many nodes begin with body i: at successive levels, the first one where it leaves the body
/// before. A node is there when its parent has more bodies than a leaf may have. The parents of all
/// but the first begin with the same body; of that one this body looks back.
template <class S, class T, class Access>
RIDGE_FN int starts_of(const Build<S, T>& b, Access& access, Index i) {
  const std::uint64_t key = access.load(b.sorted_keys, i);
  const auto common = [&](Index j) {
    return common_levels(key, access.load(b.sorted_keys, j), b.levels);
  };
  const int ahead = i + b.leaf < b.count ? common(i + b.leaf) : -1;
  const int deepest = ahead + 1 < b.levels ? ahead + 1 : b.levels;
  if (i == 0) return 1 + deepest;
  const int shared = common(i - 1);
  if (shared == b.levels) return 0; // at one place with the body before
  bool parent_is_full = ahead >= shared;
  if (!parent_is_full) {
    const int bits = 3 * (b.levels - shared); // that differ within the parent
    const auto is_inside = [&](Index j) {
      return access.load(b.sorted_keys, j) >> bits == key >> bits;
    };
    // The first body of the parent, if that is within reach.
    Index outside = i - b.leaf - 1;
    Index inside = i;
    if (outside < -1) outside = -1;
    while (inside - outside > 1) {
      const Index middle = (inside + outside) / 2;
      if (is_inside(middle)) {
        inside = middle;
      } else {
        outside = middle;
      }
    }
    parent_is_full =
        i - inside >= b.leaf || (inside + b.leaf < b.count && is_inside(inside + b.leaf));
  }
  if (!parent_is_full) return 0;
  return deepest > shared ? deepest - shared : 1;
}

template <class S, class T>
struct CountStarts {
  static constexpr const char* name = "octree: nodes of each body";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    access.store(b.starts, i, static_cast<std::uint32_t>(starts_of(b, access, i)));
  }
};

template <class S, class T>
struct EmitNodes {
  static constexpr const char* name = "octree: nodes";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    if (i < b.level_begin.size) access.store(b.level_begin, i, static_cast<std::uint32_t>(b.nodes));
    if (i >= b.count) return;
    const Index begin = access.load(b.starts, i);
    const Index end = access.load(b.starts, i + 1);
    if (begin == end) return;
    int level = 0;
    if (i > 0)
      level = 1 + common_levels(access.load(b.sorted_keys, i), access.load(b.sorted_keys, i - 1),
                                b.levels);
    for (Index at = begin; at < end; ++at, ++level)
      access.store(b.node_keys, at,
                   static_cast<std::uint64_t>(level) << 32 | static_cast<std::uint64_t>(i));
  }
};

template <class S, class T>
struct LinkNodes {
  static constexpr const char* name = "octree: children";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    const std::uint64_t node = access.load(b.found_nodes, v);
    const int level = static_cast<int>(node >> 32);
    const auto begin = static_cast<Index>(node & 0xffffffffu);
    if (v == 0 || static_cast<int>(access.load(b.found_nodes, v - 1) >> 32) != level)
      access.store(b.level_begin, level, static_cast<std::uint32_t>(v));
    const Index end = end_of(access, begin, level);
    if (end - begin <= b.leaf || level == b.levels) {
      access.store(b.links, 2 * v, static_cast<std::uint32_t>(begin));
      access.store(b.links, 2 * v + 1, static_cast<std::uint32_t>(end - begin) | leaf_bit);
      return;
    }
    const std::uint64_t next = static_cast<std::uint64_t>(level + 1) << 32;
    const std::uint64_t first_key = next | static_cast<std::uint64_t>(begin);
    Index before = v;
    Index first = b.nodes;
    while (first - before > 1) {
      const Index middle = (first + before) / 2;
      if (access.load(b.found_nodes, middle) < first_key) {
        before = middle;
      } else {
        first = middle;
      }
    }
    Index last = first;
    while (last < b.nodes &&
           access.load(b.found_nodes, last) < (next | static_cast<std::uint64_t>(end)))
      ++last;
    access.store(b.links, 2 * v, static_cast<std::uint32_t>(first));
    access.store(b.links, 2 * v + 1, static_cast<std::uint32_t>(last - first));
  }

private:
  /// Behind the last body of the cell of `level` that body `begin` is in.
  template <class Access>
  RIDGE_FN Index end_of(Access& access, Index begin, int level) const {
    const int bits = 3 * (b.levels - level); // that differ within the cell
    const std::uint64_t cell = access.load(b.sorted_keys, begin) >> bits;
    const auto is_inside = [&](Index j) { return access.load(b.sorted_keys, j) >> bits == cell; };
    Index inside = begin;
    Index step = 1;
    while (inside + step < b.count && is_inside(inside + step)) {
      inside += step;
      step *= 2;
    }
    Index outside = inside + step < b.count ? inside + step : b.count;
    while (outside - inside > 1) {
      const Index middle = (inside + outside) / 2;
      if (is_inside(middle)) {
        inside = middle;
      } else {
        outside = middle;
      }
    }
    return outside;
  }
};

/// Moments of one node of bodies or of children, about its centre of mass.
template <class S, class T, bool Leaves>
struct FindMoments {
  static constexpr const char* name = "octree: moments";
  Build<S, T> b;
  Index first;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index v = first + n;
    const Index begin = access.load(b.links, 2 * v);
    const std::uint32_t link = access.load(b.links, 2 * v + 1);
    if (Leaves != ((link & leaf_bit) != 0)) return;
    const auto parts = static_cast<Index>(link & ~leaf_bit);
    const Span<const S> from = Leaves ? Span<const S>(b.sorted) : Span<const S>(b.centres);

    Bounds<S> box = Bounds<S>::none(0);
    const Four<S> near = load_four(access, from, 4 * begin);
    T mass = 0;
    T first_moment[3] = {};
    RIDGE_FOUR_TOGETHER
    for (Index i = begin; i < begin + parts; ++i) {
      const Four<S> part = load_four(access, from, 4 * i);
      const T m = static_cast<T>(part.at[3]);
      mass += m;
      for (int c = 0; c < 3; ++c)
        first_moment[c] += m * static_cast<T>(part.at[c] - near.at[c]);
      if constexpr (Leaves) {
        for (int c = 0; c < 3; ++c)
          box.widen(c, part.at[c], part.at[c]);
      } else {
        const Four<S> low = load_four(access, b.low, 4 * i);
        const Four<S> high = load_four(access, b.high, 4 * i);
        for (int c = 0; c < 3; ++c)
          box.widen(c, low.at[c], high.at[c]);
      }
    }
    Four<S> centre = near;
    for (int c = 0; c < 3; ++c) {
      if (mass > 0) centre.at[c] += static_cast<S>(first_moment[c] / mass);
    }
    centre.at[3] = static_cast<S>(mass);

    T second[6] = {}; // xx, xy, xz, yy, yz, zz
    T farthest = 0;
    RIDGE_FOUR_TOGETHER
    for (Index i = begin; i < begin + parts; ++i) {
      const Four<S> part = load_four(access, from, 4 * i);
      const T m = static_cast<T>(part.at[3]);
      const T x = static_cast<T>(part.at[0] - centre.at[0]);
      const T y = static_cast<T>(part.at[1] - centre.at[1]);
      const T z = static_cast<T>(part.at[2] - centre.at[2]);
      const T products[6] = {x * x, x * y, x * z, y * y, y * z, z * z};
      T reach = sqrt_of(products[0] + products[3] + products[5]);
      for (int k = 0; k < 6; ++k)
        second[k] += m * products[k];
      if constexpr (!Leaves) {
        const Four<T> some = load_four(access, b.moments, 8 * i);
        const Four<T> more = load_four(access, b.moments, 8 * i + 4);
        const T third = T(1) / 3;
        second[0] += (some.at[0] + more.at[1]) * third;
        second[1] += some.at[1] * third;
        second[2] += some.at[2] * third;
        second[3] += (some.at[3] + more.at[1]) * third;
        second[4] += more.at[0] * third;
        second[5] += (more.at[1] - some.at[0] - some.at[3]) * third;
        reach += sqrt_of(more.at[2]);
      }
      if (reach > farthest) farthest = reach;
    }
    T corner_squared = 0;
    for (int c = 0; c < 3; ++c) {
      const T below = static_cast<T>(centre.at[c] - box.low[c]);
      const T above = static_cast<T>(box.high[c] - centre.at[c]);
      const T farther = below > above ? below : above;
      corner_squared += farther * farther;
    }
    const T farthest_squared = farthest * farthest;
    const T radius_squared = farthest_squared < corner_squared ? farthest_squared : corner_squared;
    // Targets at one place may be the farthest of a node: rounding must not put them outside.
    constexpr T outside = 1 + 32 * (sizeof(T) == 8 ? T(2.3e-16) : T(1.2e-7));
    const T trace = second[0] + second[3] + second[5];
    store_four(access, b.centres, 4 * v, centre);
    store_four(access, b.low, 4 * v, Four<S>{{box.low[0], box.low[1], box.low[2], 0}});
    store_four(access, b.high, 4 * v, Four<S>{{box.high[0], box.high[1], box.high[2], 0}});
    store_four(
        access, b.moments, 8 * v,
        Four<T>{{3 * second[0] - trace, 3 * second[1], 3 * second[2], 3 * second[3] - trace}});
    store_four(access, b.moments, 8 * v + 4,
               Four<T>{{3 * second[4], trace, radius_squared * outside, 0}});
  }

private:
  static RIDGE_FN T sqrt_of(T x) { return static_cast<T>(::sqrt(x)); }
};

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
