// Compiled once per device kind: which boxes say where a rank's bodies are.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/essential_box_items.hpp>

#include <cmath>

namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME {

namespace {

template <class S>
struct WidenNode {
  static constexpr const char* name = "tree: boxes of boxes";
  BoxTree<S> t;
  Index first;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index k = first + n;
    const Span<const S> from = t.boxes;
    auto box = Box<S>::load(access, from, 2 * k);
    box.widen(Box<S>::load(access, from, 2 * k + 1));
    box.store(access, t.boxes, k);
  }
};

/// Equal widths keep the order of nodes, so that a node comes before those below it.
template <class S>
struct FindWidths {
  static constexpr const char* name = "tree: widths of boxes";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    access.store(t.firsts, n, 0u); // of leaves
    if (n == 0) {
      access.store(t.firsts, t.leaves, 0u);
      return;
    }
    const auto box = Box<S>::load(access, Span<const S>(t.boxes), n);
    double squared = 0; // rounded as on the host
    for (int c = 0; c < 3; ++c) {
      const double extent = static_cast<double>(box.high[c]) - static_cast<double>(box.low[c]);
      squared = ::fma(extent, extent, squared);
    }
    if (box.is_empty()) squared = 0;
    access.store(t.keys, n - 1, ~__builtin_bit_cast(std::uint64_t, squared));
    access.store(t.nodes, n - 1, static_cast<std::uint32_t>(n));
    access.store(t.opened, n, 0u);
  }
};

template <class S>
struct CountMore {
  static constexpr const char* name = "tree: boxes more";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index k = access.load(t.sorted, n);
    const auto has_bodies = [&](Index child) {
      return !Box<S>::load(access, Span<const S>(t.boxes), child).is_empty();
    };
    access.store(t.counts, n, has_bodies(2 * k) && has_bodies(2 * k + 1) ? 1u : 0u);
  }
};

template <class S>
struct OpenNode {
  static constexpr const char* name = "tree: boxes that are divided";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    if (1 + static_cast<Index>(access.load(t.counts, n)) >= t.most) return;
    const Index k = access.load(t.sorted, n);
    if (!Box<S>::load(access, Span<const S>(t.boxes), k).is_empty()) access.store(t.opened, k, 1u);
  }
};

template <class S>
struct ChooseNode {
  static constexpr const char* name = "tree: boxes that are chosen";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index k = n + 1;
    if (k > 1 && access.load(t.opened, k / 2) == 0) return;
    if (k < t.leaves && access.load(t.opened, k) != 0) return;
    if (Box<S>::load(access, Span<const S>(t.boxes), k).is_empty()) return;
    Index first = k;
    while (first < t.leaves)
      first *= 2;
    access.store(t.firsts, first - t.leaves, 1u);
    access.store(t.sources, first - t.leaves, static_cast<std::uint32_t>(k));
  }
};

template <class S>
struct WriteBox {
  static constexpr const char* name = "tree: boxes for other ranks";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    if (n == 0) {
      const auto count = static_cast<S>(access.load(t.firsts, t.leaves));
      spatial::store_four(access, t.chosen, 0, spatial::Four<S>{{count, 0, 0, 0}});
      spatial::store_four(access, t.chosen, 4, spatial::Four<S>{{0, 0, 0, 0}});
    }
    const std::uint32_t place = access.load(t.firsts, n);
    if (access.load(t.firsts, n + 1) == place) return;
    Box<S>::load(access, Span<const S>(t.boxes), access.load(t.sources, n))
        .store(access, t.chosen, 1 + static_cast<Index>(place));
  }
};

template <class S>
struct WidenBoxes {
  static constexpr const char* name = "tree: boxes of other ranks' boxes";
  BoxTree<S> t;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index block = n / most_wide_boxes;
    const Index first = n % most_wide_boxes * boxes_together;
    Index end = static_cast<Index>(access.load(t.blocks, block_values * block));
    if (end > first + boxes_together) end = first + boxes_together;
    auto wide = Box<S>::none();
    for (Index b = first; b < end; ++b)
      wide.widen(Box<S>::load(access, t.blocks, (1 + most_boxes) * block + 1 + b));
    wide.store(access, t.wide, n);
  }
};

template <class S>
void find_boxes(Queue& queue, BoxStep step, const BoxTree<S>& t, Index begin, Index end) {
  switch (step) {
  case BoxStep::widen:
    spatial::for_each_item(queue, end - begin, WidenNode<S>{t, begin});
    break;
  case BoxStep::keys:
    spatial::for_each_item(queue, t.leaves, FindWidths<S>{t});
    break;
  case BoxStep::count:
    spatial::for_each_item(queue, t.leaves - 1, CountMore<S>{t});
    break;
  case BoxStep::open:
    spatial::for_each_item(queue, t.leaves - 1, OpenNode<S>{t});
    break;
  case BoxStep::choose:
    spatial::for_each_item(queue, 2 * t.leaves - 1, ChooseNode<S>{t});
    break;
  case BoxStep::write:
    spatial::for_each_item(queue, t.leaves, WriteBox<S>{t});
    break;
  case BoxStep::wide:
    spatial::for_each_item(queue, end * most_wide_boxes, WidenBoxes<S>{t});
    break;
  }
}

const Offer floats(kind_of<Here>, typeid(BoxTree<float>), &find_boxes<float>);
const Offer doubles(kind_of<Here>, typeid(BoxTree<double>), &find_boxes<double>);

} // namespace

} // namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME
