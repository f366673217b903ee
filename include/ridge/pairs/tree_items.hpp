// What one node or body does beside the walk; for kernel sources.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME {

/// A node's moments end with the squares of its radius and of its reach.
template <class P>
struct SetReach {
  static constexpr const char* name = "tree: reach of nodes";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    using T = typename P::Computed;
    constexpr T infinite = std::numeric_limits<T>::infinity();
    const std::uint32_t link = access.load(w.tree.links, 2 * v + 1);
    // So few bodies are met one by one sooner than their moments.
    if ((link & spatial::leaf_bit) != 0 && (link & ~spatial::leaf_bit) <= 2) {
      access.store(w.tree.moments, 8 * v + 6, infinite);
      return;
    }
    const T squared = access.load_written(w.tree.moments, 8 * v + 6);
    T reach;
    if (w.alpha > 0) { // in the bodies' units, as needs are: no bit depends on the tree's
      const T p = static_cast<T>(w.order);
      const T unit = static_cast<T>(w.tree.unit);
      const T mass = static_cast<T>(access.load(w.tree.centres, 4 * v + 3) / w.tree.mass_unit);
      reach = ridge::pow(mass, 2 / (p + 3)) * ridge::pow(squared / unit / unit, (p + 1) / (p + 3));
      reach = reach * unit * unit;
    } else {
      reach = squared / static_cast<T>(w.theta * w.theta);
    }
    constexpr double least = least_far_distance * least_far_distance;
    if (sizeof(T) == 4 && squared < T(least) && w.softening_squared < least)
      access.store(w.tree.moments, 8 * v + 6, T(least));
    access.store(w.tree.moments, 8 * v + 7, reach);
  }
};

/// From the sums of body i.
template <class P>
struct SetNeed {
  static constexpr const char* name = "tree: needs of bodies";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    using T = typename P::Computed;
    T a[3];
    T largest = 0;
    for (int c = 0; c < 3; ++c) {
      a[c] = ridge::abs(static_cast<T>(access.load(w.sums[c], i)));
      if (a[c] > largest) largest = a[c];
    }
    T need = std::numeric_limits<T>::infinity();
    if (largest > 0) {
      T squared = 0;
      for (const T component : a)
        squared += component / largest * (component / largest);
      const T length = largest * ridge::sqrt(squared);
      need = ridge::pow(static_cast<T>(w.alpha) * length, T(-2) / static_cast<T>(w.order + 3));
    }
    access.store(w.needs, i, need);
  }
};

/// Where the sums of the body at a place along the curve are packed.
template <class P>
struct FindPacked {
  static constexpr const char* name = "tree: places of packed sums";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index place = w.first_place + n;
    access.store(w.packed_of, access.load(w.tree.sorted_order, place),
                 static_cast<std::uint32_t>(w.packed_place(place)));
  }
};
/// Bodies that follow each other have sums anywhere: reading them from there takes a quarter of
/// the memory traffic that writing to four places does.
template <class P>
struct UnpackSums {
  static constexpr const char* name = "tree: sums of all ranks";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index body) const {
    const Index at = 4 * Index{access.load_written(w.packed_of, body)};
    const auto four = spatial::load_four(access, w.packed, at);
    for (int c = 0; c < 4; ++c)
      access.store(w.sums[c], body, four.at[c]);
  }
};

/// One part of the groups.
template <class P>
struct AddCosts {
  static constexpr const char* name = "tree: costs of groups";
  TreeWalk<P> w;
  Index parts;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    double sum = 0;
    for (Index g = part; g < w.groups; g += parts) {
      sum += static_cast<double>(cost_of_body) * access.load(w.met, 2 * g) +
             static_cast<double>(cost_of_node(w.order)) * access.load(w.met, 2 * g + 1);
    }
    access.store(w.costs, part, sum);
  }
};
/// One part of the `count` parts that begin at `from`.
template <class P>
struct AddParts {
  static constexpr const char* name = "tree: costs of parts";
  TreeWalk<P> w;
  Index from, count, parts;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index part) const {
    double sum = 0;
    for (Index i = part; i < count; i += parts)
      sum += access.load_written(w.costs, from + i);
    access.store(w.costs, from + count + part, sum);
  }
};
/// By what a target of the group cost before: a few classes, so that neighbours stay neighbours.
template <class P>
struct FindTurns {
  static constexpr const char* name = "tree: turns of groups";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const Index group = w.first_group + i;
    const Index left = w.tree.count - group * w.group;
    const Index targets = left < w.group ? left : w.group;
    const double cost =
        static_cast<double>(cost_of_body) * access.load(w.met, 2 * group) +
        static_cast<double>(cost_of_node(w.order)) * access.load(w.met, 2 * group + 1);
    const double mean = static_cast<double>(targets) * access.load(w.limit, 1);
    constexpr int dearest = turn_classes - 1;
    const double rank = turn_classes / 2 * cost / mean;
    access.store(w.turn_keys, i,
                 static_cast<std::uint64_t>(rank < dearest ? dearest - static_cast<int>(rank) : 0));
    access.store(w.turn_groups, i, static_cast<std::uint32_t>(group));
  }
};
template <class P>
struct SetLimit {
  static constexpr const char* name = "tree: what a target may cost";
  TreeWalk<P> w;
  Index from, count; ///< parts

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index /*i*/) const {
    double sum = 0;
    for (Index part = 0; part < count; ++part)
      sum += access.load(w.costs, from + part);
    const double mean = sum / static_cast<double>(w.tree.count);
    const double most = w.schedule.cut * mean;
    access.store(w.limit, 1, mean < 4e9 ? static_cast<std::uint32_t>(mean) + 1 : no_limit);
    access.store(w.limit, 0,
                 w.schedule.cut > 0 && most < 4e9 ? static_cast<std::uint32_t>(most) : no_limit);
  }
};

/// One part of the sources of one target of the sample.
template <class P>
struct SumExactly {
  static constexpr const char* name = "tree: exact sums of a sample";
  TreeWalk<P> w;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index item) const {
    const Index target = access.load(w.sample, item / exact_parts);
    const auto at = spatial::load_four(access, w.sample_at, 4 * (item / exact_parts));
    double sum[4] = {};
    for (Index j = item % exact_parts; j < w.tree.count; j += exact_parts) {
      const auto body = spatial::load_four(access, w.tree.sorted, 4 * j);
      double d[3];
      double squared = w.softening_squared;
      for (int c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(body.at[c]) - static_cast<double>(at.at[c]);
        squared += d[c] * d[c];
      }
      const double near = j == target ? 0 : 1 / ::sqrt(squared);
      const double weight = static_cast<double>(body.at[3]) * near;
      for (int c = 0; c < 3; ++c)
        sum[c] += d[c] * weight * near * near;
      sum[3] -= weight;
    }
    for (int c = 0; c < 3; ++c)
      sum[c] *= static_cast<double>(w.unit_of_length);
    for (int c = 0; c < 4; ++c)
      access.store(w.exact, 4 * item + c, sum[c] * static_cast<double>(w.unit_of_potential));
  }
};

} // namespace ridge::pairs::tree::inline RIDGE_TARGET_NAME
