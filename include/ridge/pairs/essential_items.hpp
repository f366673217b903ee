// The work of one node or run of bodies where trees of ranks are brought together; for kernel
// sources.
#pragma once

#include <ridge/pairs/essential.hpp>
#include <ridge/pairs/essential_box_items.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME {

template <class P>
struct BoxRuns {
  static constexpr const char* name = "tree: boxes of runs";
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index run) const {
    const auto& w = e.walk;
    auto box = Box<typename P::Stored>::none();
    Index end = (run + 1) * e.bodies_of_run;
    if (end > w.tree.count) end = w.tree.count;
    for (Index i = run * e.bodies_of_run; i < end; ++i) {
      const auto body = spatial::load_four(access, w.tree.sorted, 4 * i);
      typename P::Stored need = 1;
      if (w.alpha > 0)
        need = static_cast<typename P::Stored>(
            access.load(w.needs, access.load(w.tree.sorted_order, i)));
      box.widen(body.at, body.at, need);
    }
    box.store(access, e.runs, run);
  }
};

template <class P>
struct BeginUses {
  static constexpr const char* name = "tree: before nodes are marked";
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    access.store(e.numbers, v, 0u);
    access.store(e.places, v, 0u);
    if (v < e.walk.tree.nodes)
      access.store(e.uses, v, static_cast<std::uint32_t>(v == 0 ? NodeUse::opened : NodeUse::none));
  }
};

/// True if a node is far from each target of another rank. A group of targets may still be near it
/// together: then it has the moments of what each of its targets is far from.
template <class P, class Access>
RIDGE_FN bool is_far_from_all(const Essentials<P>& e, Access& access, Index v) {
  using S = typename P::Stored;
  using T = typename P::Computed;
  const auto& w = e.walk;
  const auto centre = spatial::load_four(access, w.tree.centres, 4 * v);
  const T radius = access.load(w.tree.moments, 8 * v + 6);
  const T reach = access.load(w.tree.moments, 8 * v + 7);
  const T theta = static_cast<T>(w.theta);
  const T cap = w.alpha > 0 ? 16 / (theta * theta) : std::numeric_limits<T>::infinity();
  const auto is_far_from = [&](const Box<S>& box) {
    T distance = 0;
    for (int c = 0; c < 3; ++c) {
      const S below = box.low[c] - centre.at[c];
      const S above = centre.at[c] - box.high[c];
      const S off = below > above ? below : above;
      if (off > 0) distance += static_cast<T>(off) * static_cast<T>(off);
    }
    const T wanted = reach * static_cast<T>(box.need);
    const T most = radius * cap;
    const T limit = wanted < most ? wanted : most;
    return distance > radius && distance > limit;
  };
  const auto boxes = static_cast<Index>(access.load(e.boxes, 0));
  for (Index first = 0; first < boxes; first += boxes_together) {
    if (is_far_from(Box<S>::load(access, e.wide_boxes, first / boxes_together))) continue;
    Index end = first + boxes_together;
    if (end > boxes) end = boxes;
    for (Index b = first; b < end; ++b) {
      if (!is_far_from(Box<S>::load(access, e.boxes, 1 + b))) return false;
    }
  }
  return true;
}

/// Asks of any node, so that no level waits for the one above.
template <class P>
struct LookAtNode {
  static constexpr const char* name = "tree: nodes that are far from others";
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    access.store(e.far, v, is_far_from_all(e, access, v) ? 1u : 0u);
  }
};

/// A node whose parent is opened.
template <class P>
struct MarkNode {
  static constexpr const char* name = "tree: nodes that others need";
  Essentials<P> e;
  Index first;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index v = first + n;
    if (access.load_written(e.uses, v) == 0) return;
    access.store(e.numbers, v, 1u);
    const auto& tree = e.walk.tree;
    const std::uint32_t link = access.load(tree.links, 2 * v);
    const std::uint32_t parts = access.load(tree.links, 2 * v + 1);
    NodeUse use = NodeUse::opened;
    if (e.far.size > 0 ? access.load(e.far, v) != 0 : is_far_from_all(e, access, v)) {
      use = NodeUse::far;
    } else if ((parts & spatial::leaf_bit) != 0) {
      use = NodeUse::bodies;
      access.store(e.places, v, parts & ~spatial::leaf_bit);
    } else {
      for (std::uint32_t k = 0; k < parts; ++k)
        access.store(e.uses, link + k, static_cast<std::uint32_t>(NodeUse::opened));
    }
    access.store(e.uses, v, static_cast<std::uint32_t>(use));
  }
};

template <class P>
struct PackNode {
  static constexpr const char* name = "tree: nodes for another rank";
  using T = typename P::Computed;
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    const auto use = static_cast<NodeUse>(access.load(e.uses, v));
    if (use == NodeUse::none) return;
    const auto& tree = e.walk.tree;
    const Index to = access.load(e.numbers, v);
    const std::uint32_t link = access.load(tree.links, 2 * v);
    std::uint32_t parts = access.load(tree.links, 2 * v + 1);
    spatial::store_four(access, e.centres, 4 * to, spatial::load_four(access, tree.centres, 4 * v));
    spatial::store_four(access, e.moments, 8 * to, spatial::load_four(access, tree.moments, 8 * v));
    auto more = spatial::load_four(access, tree.moments, 8 * v + 4);
    std::uint32_t target = 0;
    if (use == NodeUse::opened) {
      target = access.load(e.numbers, link);
    } else if (use == NodeUse::bodies) {
      target = access.load(e.places, v);
      for (std::uint32_t k = 0; k < (parts & ~spatial::leaf_bit); ++k) {
        spatial::store_four(access, e.bodies, 4 * Index{target + k},
                            spatial::load_four(access, tree.sorted, 4 * Index{link + k}));
      }
    } else { // it has nothing below: never near, whatever distances are rounded to
      parts = spatial::leaf_bit;
      more.at[2] = more.at[3] = T(-1);
    }
    spatial::store_four(access, e.moments, 8 * to + 4, more);
    const Index numbers = spatial::higher_numbers(tree.moments_order);
    for (Index k = 0; k < numbers; ++k)
      access.store(e.higher, numbers * to + k, access.load(tree.higher, numbers * v + k));
    access.store(e.links, 2 * to, target);
    access.store(e.links, 2 * to + 1, parts);
  }
};

template <class P>
struct RebaseLinks {
  static constexpr const char* name = "tree: links of a piece";
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const std::uint32_t link = access.load_written(e.links_from, 2 * n);
    const std::uint32_t parts = access.load_written(e.links_from, 2 * n + 1);
    const bool is_leaf = (parts & spatial::leaf_bit) != 0;
    access.store(e.links, 2 * n, link + (is_leaf ? e.first_body : e.first_node));
    access.store(e.links, 2 * n + 1, parts);
  }
};

template <class P>
struct SetTop {
  static constexpr const char* name = "tree: nodes above those of ranks";
  using S = typename P::Stored;
  using T = typename P::Computed;
  Essentials<P> e;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const std::uint32_t link = access.load(e.tops, 2 * n);
    const std::uint32_t parts = access.load(e.tops, 2 * n + 1);
    if (parts == copied_node) {
      const Index from = link;
      for (int k = 0; k < 4; ++k)
        access.store(e.centres, 4 * n + k, access.load_written(e.centres, 4 * from + k));
      for (int k = 0; k < 8; ++k)
        access.store(e.moments, 8 * n + k, access.load_written(e.moments, 8 * from + k));
      const Index numbers = spatial::higher_numbers(e.walk.tree.moments_order);
      for (Index k = 0; k < numbers; ++k)
        access.store(e.higher, numbers * n + k, access.load_written(e.higher, numbers * from + k));
      for (int k = 0; k < 2; ++k)
        access.store(e.links, 2 * n + k, access.load_written(e.links, 2 * from + k));
      return;
    }
    constexpr T never = std::numeric_limits<T>::infinity(); // far
    spatial::store_four(access, e.centres, 4 * n, spatial::Four<S>{{0, 0, 0, 0}});
    spatial::store_four(access, e.moments, 8 * n, spatial::Four<T>{{0, 0, 0, 0}});
    spatial::store_four(access, e.moments, 8 * n + 4, spatial::Four<T>{{0, 0, never, never}});
    access.store(e.links, 2 * n, link);
    access.store(e.links, 2 * n + 1, parts);
  }
};

} // namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME
