// The steps that build an octree, and what they work on.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>
#include <ridge/spatial/hilbert.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace ridge::spatial {

enum class BuildStep {
  bounds,      ///< the cube that holds all bodies, and the first body that is nowhere
  keys,        ///< of the bodies, in their order
  gather,      ///< the bodies in the order of the keys
  settle,      ///< the same, where keys are sorted by their leading bits alone
  count,       ///< of the nodes whose first body each is
  emit,        ///< level and first body of each node
  link,        ///< children and bodies of each node, once nodes are sorted by level
  leaves,      ///< moments of the nodes that have no children
  moments,     ///< of the other nodes of one level, once those of the next are known
  leaf_higher, ///< sums of three and more coordinates of the nodes that have no children
  higher,      ///< of the other nodes of one level
  traceless,   ///< the moments of all nodes, of these sums
};

/// Numbers of `higher` for moments up to an order.
RIDGE_FN constexpr Index higher_numbers(int order) {
  return order <= 2 ? 0 : order == 3 ? 12 : order == 4 ? 28 : 48;
}
inline constexpr int most_order = 5; ///< of moments
/// Bodies whose keys begin alike, that one of them is compared with to find its place.
inline constexpr Index longest_run = 128;

/// In `links` the second number of a leaf has this bit.
inline constexpr std::uint32_t leaf_bit = 0x80000000u;
/// Parts that bounds are found in: of the bodies, and of those parts, and so on. A lane that visits
/// few numbers one after the other takes as long as thousands that do so.
inline constexpr std::array<Index, 5> bound_parts{131072, 4096, 256, 16, 1};
/// The last part's place.
inline constexpr Index last_bound =
    bound_parts[0] + bound_parts[1] + bound_parts[2] + bound_parts[3];

/// An origin along an axis for coordinates from `low` to `high`: in their middle where these are
/// farther from 0 than from each other, else 0. So all differences from it are exact (Sterbenz),
/// and have the digits that coordinates far from 0 lack.
template <class S>
RIDGE_FN S origin_between(S low, S high) {
  const bool is_far = low > 0 ? high <= 2 * low : high < 0 && low >= 2 * high;
  return is_far ? low + (high - low) / 2 : S(0);
}

template <class S, class T>
struct Build {
  std::array<Span<const S>, 4> bodies; ///< x, y, z, m
  int leaf = 64, levels = most_levels;
  Index count = 0, nodes = 0;
  /// Factors of positions and masses of `sorted` and of nodes: powers of two, so that these have
  /// the same digits. And the sides of a cube of all bodies, in their own unit, for which `unit` is
  /// right.
  S unit = 1, mass_unit = 1;
  S least_side = 0, most_side = std::numeric_limits<S>::infinity();

  Span<S> partial; ///< 8 a part: the least and the greatest x, y, z
  /// A part: the first body that is nowhere, or `count`; the last is of all, and count + 1 where
  /// the unit is not right.
  /// Behind it whether more than `longest_run` keys begin alike.
  Span<std::uint32_t> odd;
  /// Its least corner, and cells of the finest level in a unit length; then the origin that
  /// `sorted` and nodes are relative to (origin_between), and a zero.
  Span<S> cube;
  bool has_origin = false; ///< that `origin` is, such as one that ranks have agreed on
  S origin[3] = {};
  Span<std::uint64_t> keys;
  Span<std::uint32_t> order;

  /// Bits at the end of the keys that they are not sorted by yet.
  int bits_left = 0;
  Span<const std::uint64_t> sorted_keys;
  Span<const std::uint32_t> sorted_order;
  Span<S> packed;             ///< 4 a body: x, y, z, m, in the order of the bodies, from the origin
  Span<S> sorted;             ///< 4 a body: x, y, z, m
  Span<std::uint32_t> starts; ///< a body: nodes that begin with it; then, those before; one more

  Span<std::uint64_t> node_keys;   ///< level, and below it in 32 bits the first body
  Span<std::uint64_t> found_nodes; ///< sorted
  /// 2 a node: of a leaf its first body, and how many with `leaf_bit`; else its first child and how
  /// many.
  Span<std::uint32_t> links;
  Span<std::uint32_t> level_begin; ///< of each level its first node, or how many there are
  Span<S> centres;                 ///< 4 a node: centre of mass, mass
  /// 8 a node: xx, xy, xz, yy, yz of the traceless quadrupole sum m (3 d d - d^2), the trace
  /// sum m d^2, the square of the largest distance of a body from the centre, and one more for the
  /// user of the tree.
  Span<T> moments;
  int moments_order = 2; ///< of the moments that nodes have
  /// `higher_numbers(moments_order)` a node. Of order 3: xxx, xxy, xxz, xyy, xyz, yyy, yyz of
  /// sum m (5 d d d - d^2 (d 1 + ...)), the octupole without trace, sum m d^2 d as x, y, z, and two
  /// zeros. Behind them those of orders 4 and 5, as pairs::Multipole takes them, and zeros up to a
  /// multiple of four.
  Span<T> higher;
  Span<S> low, high; ///< 4 a node: corners of the box of its bodies
};

/// What each kind's module offers under Build<S, T>: one step in queue order; `moments` of the
/// nodes [begin, end).
template <class S, class T>
using BuildTree = void(Queue& queue, BuildStep step, const Build<S, T>& build, Index begin,
                       Index end);

} // namespace ridge::spatial
