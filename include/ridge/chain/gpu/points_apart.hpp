// Launches of one operation, or of several joined in registers, that say which items are interior:
// these find all neighbours at fixed distances, as arrays lie alike in memory, and ask nothing of
// their places. The others are computed as by Points.
#pragma once

#include <ridge/chain/gpu/memory.hpp>
#include <ridge/chain/gpu/points_alike.hpp>
#include <ridge/chain/interior.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// The run First to Last over all its items, one a lane.
template <class C, class T, int First, int Last>
struct PointsApart {
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;

  C chain;
  AlikeWindows<C, T, First, Last> alike;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    constexpr Domain in = interior_of<C, First, Last>();
    using V = Pack<T, 1>;
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const int x = d.begin.x + b.x * shape.x + t.x;
    const int y = d.begin.y + b.y * shape.y + t.y;
    const int z = d.begin.z + b.z * shape.z + t.z;
    const int nx = static_cast<int>(n.x);
    const int ny = static_cast<int>(n.y);
    const int nz = static_cast<int>(n.z);
    if (x >= nx + d.end.x || y >= ny + d.end.y || z >= nz + d.end.z) return;
    if (is_between(x, in.begin.x, nx + in.end.x) && is_between(y, in.begin.y, ny + in.end.y) &&
        is_between(z, in.begin.z, nz + in.end.z)) {
      const AlikeMemory<Lane, C, T, First, Last> memory{lane, alike, n,
                                                        x + y * alike.row + z * alike.plane};
      run_item<V, First, Last, false, true>(chain, memory, x, y, z);
    } else {
      const Memory<Lane, C, T, First, Last, false> memory{lane, windows, n, 0, 0, true};
      run_item<V, First, Last, true>(chain, memory, x, y, z);
    }
  }

private:
  static RIDGE_DEVICE bool is_between(int i, int begin, int end) { return i >= begin && i < end; }
};

/// True of runs whose lanes may tell interior items from others.
template <class C, int First, int Last>
constexpr bool may_be_apart() {
  return has_interior<C, First, Last>() && outer_of<C>() == 0 && !has_profiles<C, First, Last>();
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
