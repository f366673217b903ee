// Along one axis: which layers of points blocks read, and which they read again.
#pragma once

#include <ridge/model/stencil_access.hpp>

#include <vector>

namespace ridge::model {

/// Component `axis` (0 to 2) of a point.
[[nodiscard]] constexpr Index along(const Index3& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/// The distinct distances of a footprint along an axis, ascending.
[[nodiscard]] std::vector<Index> distances_along(const std::vector<Index3>& footprint, int axis);

/// Layers that `count` adjacent layers of results need.
[[nodiscard]] Index layers_read(Index count, const std::vector<Index>& distances);

/// Layers that `gap` blocks in a row, of `block` layers each, read together.
[[nodiscard]] Index layers_between(Index gap, Index block, const std::vector<Index>& distances);

/// A kind of repeated use of a layer: by a block `gap` blocks later along the axis.
struct Reuse {
  Index gap = 1;
  double steps = 1; ///< distances between the two uses in the order of a block's loads
  double share = 1; ///< of all repeated uses
};

/// The repeated uses of layers when blocks of `block` layers follow each other.
[[nodiscard]] std::vector<Reuse> reuses_along(Index block, const std::vector<Index>& distances);

/// Layers read once more than once, of `count` layers of results in blocks of `block`, as a share
/// of the layers read.
[[nodiscard]] double repeats_along(Index count, Index block, const std::vector<Index>& distances);

} // namespace ridge::model
