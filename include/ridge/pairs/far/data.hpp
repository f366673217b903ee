// What a far field by proxy points is, as executors read it.
//
// A node of an octree over the bodies has (degree + 1)^3 proxies: Chebyshev points of the box of
// its bodies. What bodies have beside their positions is shared out among them by Lagrange's
// polynomials, so that seen from afar the proxies act as the bodies do, under any interaction that
// is smooth there. L. Wang, R. Krasny and S. Tlupova, Commun. Comput. Phys. 28, 1415 (2020).
#pragma once

#include <ridge/spatial/build.hpp>

namespace ridge::pairs {

inline constexpr int most_degree = 8;
/// Components of bodies beside their positions.
inline constexpr int most_weights = 8;

template <class T>
struct FarData {
  spatial::Build<T, T> tree;
  double theta = 0;
  int points = 0; ///< degree + 1
  int weights =
      0;        ///< of a proxy; 1, how many bodies it stands for, where bodies have positions only
  int leaf = 0; ///< most bodies of a leaf
  T place[most_degree + 1] = {}; ///< cos(pi k / degree)
  T scale[most_degree + 1] = {}; ///< the product of 1 / (place[k] - place[j]) over the other j
  std::array<Span<const T>, most_weights> given; ///< of bodies; none: 1 each
  Span<T> proxies;                               ///< `weights` a proxy, (degree + 1)^3 a node
  Span<std::uint32_t> ranges;                    ///< 2 a node: its first body, and how many

  [[nodiscard]] RIDGE_FN int proxies_of_node() const { return points * points * points; }
};

/// The steps that find proxies.
enum class FarStep {
  leaves, ///< bodies and proxies of the nodes without children
  inner,  ///< of the other nodes of one level, once those of the next are known
};

/// What each kind's module offers under FarData<T>: one step in queue order; `inner` of the nodes
/// [begin, end).
template <class T>
using FindProxies = void(Queue& queue, FarStep step, const FarData<T>& data, Index begin,
                         Index end);

} // namespace ridge::pairs
