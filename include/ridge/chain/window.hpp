// Where arrays are. The plan gives each a home: the user's memory, memory for all of the range,
// memory of a tile, or registers (ridge/chain/plan.hpp). Operations find it through a window, onto
// all of the array or the part of it that a tile holds; kernels of GPUs take windows in few bytes
// (ridge/chain/gpu/windows.hpp).
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>

namespace ridge::chain {

/// Item (x, y, z) is at data[x + (y & mask_y) * row + (z & mask_z) * plane]: masks make
/// rings of windows onto a part. Profiles ignore x.
template <class T>
struct Window {
  T* data = nullptr;
  Index row = 0, plane = 0;
  Index mask_y = -1, mask_z = -1;
  Index size = 0;      ///< elements, for checks
  Index instance = 0;  ///< elements from one instance to the next
  Index offset = 0;    ///< GPU: of a part's item at a tile's begin, from the begin of shared memory
  Index3 points;       ///< of the array along each dimension, for edges
  bool part_x = false; ///< holds less than the dimension: a periodic edge is not its affair
  bool part_y = false, part_z = false;
  bool local = false;  ///< a tile's own: also items beyond the tile are written
  bool stream = false; ///< cpu: written past the caches

  [[nodiscard]] RIDGE_FN Index at(Index x, Index y, Index z) const {
    return x + (y & mask_y) * row + (z & mask_z) * plane;
  }
};

/// All arrays of a chain.
template <class C, class T>
struct Windows {
  Window<T> of[arrays_of<C>];
  Index instances = 1; ///< that are taken one by one
  Instance first;      ///< where item 0 is
};

/// Whether neighbours beyond the ends of a dimension are other points than they are in memory.
template <Edge E>
inline constexpr bool resolves = E == Edge::periodic || E == Edge::clamp;

/// The point that index `i` of a dimension of `n` points means.
template <Edge E, class I>
RIDGE_FN I resolve(I i, I n, bool part) {
  if constexpr (E == Edge::periodic) {
    if (part) return i;
    return i < 0 ? i + n : i >= n ? i - n : i;
  } else if constexpr (E == Edge::clamp) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  } else {
    return i;
  }
}

/// The point that a neighbour means: beyond the ends of the range, what the edges of C say.
template <class C, class T, bool Profile, bool EdgesInX>
RIDGE_FN Index3 resolve(const Window<T>& w, Index x, Index y, Index z, Offset o) {
  Index3 at{0, resolve<dimension_of<C>(1).edge>(y + o.y, w.points.y, w.part_y),
            resolve<dimension_of<C>(2).edge>(z + o.z, w.points.z, w.part_z)};
  if constexpr (!Profile) {
    at.x = EdgesInX ? resolve<dimension_of<C>(0).edge>(x + o.x, w.points.x, w.part_x) : x + o.x;
  }
  return at;
}

/// Whether a neighbour is within the reach that operation K declares.
template <class C, int K, int I>
RIDGE_FN bool within_reach(Offset o) {
  constexpr Reach r = reach_of<Operation<C, K>>(I);
  return o.x >= r.low.x && o.x <= r.high.x && o.y >= r.low.y && o.y <= r.high.y && o.z >= r.low.z &&
         o.z <= r.high.z;
}

} // namespace ridge::chain
