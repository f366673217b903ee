// Launches of one operation, or of several joined in registers, over all items.
#pragma once

#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/memory.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Whether a run reads nothing but the item itself along x: then lanes take several items at once.
template <class C, int First, int Last>
constexpr bool takes_packs() {
  if constexpr (First > Last) {
    return true;
  } else {
    if (domain_of<Operation<C, First>>().begin.x != 0) return false;
    for (const Access& a : Operation<C, First>::accesses) {
      if (a.profile || a.reach.low.x != 0 || a.reach.high.x != 0) return false;
    }
    return takes_packs<C, First + 1, Last>();
  }
}

/// The run First to Last over all its items, Items a lane.
template <class C, class T, int First, int Last, int Items>
struct Points {
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const Dim3 grid = lane.grid_extent();
    if constexpr (instances_of<C>() == Instances::apart) {
      const Index planes = n.z + d.end.z - d.begin.z;
      for (Index i = Index{b.z} * shape.z + t.z; i < planes * windows.instances();
           i += Index{grid.z} * shape.z) {
        const Index number = windows.instances() > 1 ? i / planes : 0;
        const auto there = windows.moved(windows, number);
        const Memory<Lane, C, T, First, Last, false> memory{lane, there, n, 0, 0, true, number};
        run_plane(lane, memory, d.begin.z + i - number * planes);
      }
    } else {
      const Memory<Lane, C, T, First, Last, false> memory{lane, windows, n, 0, 0, true};
      for (Index z = d.begin.z + Index{b.z} * shape.z + t.z; z < n.z + d.end.z;
           z += Index{grid.z} * shape.z)
        run_plane(lane, memory, z);
    }
  }

private:
  template <class Lane, class M>
  RIDGE_DEVICE void run_plane(Lane& lane, const M& memory, Index z) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const Dim3 grid = lane.grid_extent();
    const Index begin = d.begin.x + (Index{b.x} * shape.x + t.x) * Items;
    const Index end = n.x + d.end.x;
    for (Index y = d.begin.y + Index{b.y} * shape.y + t.y; y < n.y + d.end.y;
         y += Index{grid.y} * shape.y) {
      Index x = begin;
      if constexpr (Items > 1) {
        if (x + Items <= end) {
          run_item<Pack<T, Items>, First, Last, false>(chain, memory, x, y, z);
          continue;
        }
      }
      for (; x < end && x < begin + Items; ++x)
        run_item<Pack<T, 1>, First, Last, true>(chain, memory, x, y, z);
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
