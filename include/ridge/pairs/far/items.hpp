// What one proxy of a node is, from the bodies of a leaf or the proxies of its children; for kernel
// sources.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/far/data.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::far::inline RIDGE_TARGET_NAME {

/// The box of a node, as middle and half of its lengths.
template <class T>
struct NodeBox {
  T middle[3], half[3];
};

template <class T, class Access>
RIDGE_FN NodeBox<T> box_of(Access& access, const FarData<T>& data, Index node) {
  const auto low = spatial::load_four(access, data.tree.low, 4 * node);
  const auto high = spatial::load_four(access, data.tree.high, 4 * node);
  NodeBox<T> box;
  for (int c = 0; c < 3; ++c) {
    box.half[c] = (high.at[c] - low.at[c]) / 2;
    box.middle[c] = low.at[c] + box.half[c];
  }
  return box;
}

/// Lagrange's polynomial `k` along an axis at a coordinate. Where a box is flat, all is with the
/// first.
template <class T>
RIDGE_FN T lagrange(const FarData<T>& data, int k, T at, T middle, T half) {
  const T t = half > 0 ? (at - middle) / half : T(1);
  T product = data.scale[k];
  for (int j = 0; j < data.points; ++j) {
    if (j != k) product *= t - data.place[j];
  }
  return product;
}

/// The bodies of one node.
template <class T>
struct FindRange {
  static constexpr const char* name = "far field: bodies of nodes";
  FarData<T> d;
  Index first;
  bool of_leaves; ///< or of all others

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index v = first + n;
    const Index begin = access.load(d.tree.links, 2 * v);
    const std::uint32_t link = access.load(d.tree.links, 2 * v + 1);
    if (((link & spatial::leaf_bit) != 0) != of_leaves) return;
    const std::uint32_t parts = link & ~spatial::leaf_bit;
    if (of_leaves) {
      access.store(d.ranges, 2 * v, static_cast<std::uint32_t>(begin));
      access.store(d.ranges, 2 * v + 1, parts);
      return;
    }
    const Index last = begin + parts - 1;
    const std::uint32_t from = access.load(d.ranges, 2 * begin);
    access.store(d.ranges, 2 * v, from);
    access.store(d.ranges, 2 * v + 1,
                 access.load(d.ranges, 2 * last) + access.load(d.ranges, 2 * last + 1) - from);
  }
};

/// The weights of one proxy.
template <class T>
struct ShareOut {
  static constexpr const char* name = "far field: proxies";
  FarData<T> d;
  Index first;
  bool of_leaves;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index item) const {
    const int proxies = d.proxies_of_node();
    const Index v = first + item / proxies;
    const int proxy = static_cast<int>(item % proxies);
    const Index begin = access.load(d.tree.links, 2 * v);
    const std::uint32_t link = access.load(d.tree.links, 2 * v + 1);
    if (((link & spatial::leaf_bit) != 0) != of_leaves) return;
    const Index end = begin + (link & ~spatial::leaf_bit);
    const NodeBox<T> box = box_of(access, d, v);
    const int k[3] = {proxy % d.points, proxy / d.points % d.points, proxy / d.points / d.points};
    T weight[most_weights] = {};
    if (of_leaves) {
      for (Index j = begin; j < end; ++j) {
        const auto body = spatial::load_four(access, d.tree.sorted, 4 * j);
        T part = 1;
        for (int c = 0; c < 3; ++c)
          part *= lagrange(d, k[c], body.at[c], box.middle[c], box.half[c]);
        const Index from = access.load(d.tree.sorted_order, j);
        for (int w = 0; w < d.weights; ++w)
          weight[w] += part * (d.given[w].size > 0 ? access.load(d.given[w], from) : T(1));
      }
    } else {
      for (Index child = begin; child < end; ++child)
        take_child(access, child, k, box, weight);
    }
    for (int w = 0; w < d.weights; ++w)
      access.store(d.proxies, (v * proxies + proxy) * d.weights + w, weight[w]);
  }

private:
  template <class Access>
  RIDGE_FN void take_child(Access& access, Index child, const int (&k)[3], const NodeBox<T>& box,
                           T (&weight)[most_weights]) const {
    const NodeBox<T> inside = box_of(access, d, child);
    T along[3][most_degree + 1];
    for (int c = 0; c < 3; ++c) {
      for (int m = 0; m < d.points; ++m) {
        const T at = inside.middle[c] + inside.half[c] * d.place[m];
        along[c][m] = lagrange(d, k[c], at, box.middle[c], box.half[c]);
      }
    }
    Index from = child * d.proxies_of_node() * d.weights;
    for (int z = 0; z < d.points; ++z) {
      for (int y = 0; y < d.points; ++y) {
        const T part = along[2][z] * along[1][y];
        for (int x = 0; x < d.points; ++x) {
          for (int w = 0; w < d.weights; ++w)
            weight[w] += part * along[0][x] * access.load(d.proxies, from++);
        }
      }
    }
  }
};

} // namespace ridge::pairs::far::inline RIDGE_TARGET_NAME
