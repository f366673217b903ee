// Launches of several operations, tile by tile, with temporaries in shared memory.
#pragma once

#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/memory.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/chain/uses.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// The last operation of the run that begins at K in a group that ends at Last.
template <class C, int K, int Last>
constexpr int run_end() {
  constexpr int end = joined_to(Uses<C>{}, K);
  return end < Last ? end : Last;
}
template <class C, int K, int Last>
constexpr int runs_from() {
  constexpr int end = run_end<C, K, Last>();
  if constexpr (end >= Last) {
    return 1;
  } else {
    return 1 + runs_from<C, end + 1, Last>();
  }
}

/// The operations First to Last over tiles, a tile a block: run after run, with a barrier between.
/// Blocks may compute several tiles one behind the other.
template <class C, class T, int First, int Last>
struct Tiles {
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = C::name;
  static constexpr int runs = runs_from<C, First, Last>();
  /// Two blocks a multiprocessor hide each other's barriers: 128 registers where it has 64 Ki.
  static constexpr int min_blocks = 2;
  /// Tiles of a block follow each other along the last dimension.
  static constexpr int march = static_cast<int>(C::dimensions.size()) - 1;

  C chain;
  NarrowWindows<C, T, First, Last, true> windows;
  Index3 n;
  Index3 tile;
  Offset low[runs], high[runs];
  int steps;
  bool rolls;
  int shared_elements;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Dim3 b = lane.block();
    const Index extent[3] = {n.x, n.y, n.z};
    const Index size[3] = {tile.x, tile.y, tile.z};
    Index begin[3] = {b.x * tile.x, b.y * tile.y, b.z * tile.z};
    begin[march] *= steps;
    const Index chunk_begin = begin[march];
    Index chunk_end = chunk_begin + size[march] * steps;
    if (chunk_end > extent[march]) chunk_end = extent[march];
    Index done[runs];
    for (; begin[march] < chunk_end; begin[march] += size[march]) {
      Box box_of_tile;
      RIDGE_UNROLL
      for (int d = 0; d < 3; ++d) {
        box_of_tile.begin[d] = begin[d];
        box_of_tile.end[d] = begin[d] + size[d] < extent[d] ? begin[d] + size[d] : extent[d];
      }
      run_from<First, 0>(lane, box_of_tile, chunk_begin, chunk_end, done);
    }
  }

private:
  template <int K, int R, class Lane>
  RIDGE_DEVICE void run_from(Lane& lane, const Box& box_of_tile, Index chunk_begin, Index chunk_end,
                             Index (&done)[runs]) const {
    constexpr int end = run_end<C, K, Last>();
    constexpr Domain d = domain_of<Operation<C, K>>();
    // Not asked of C by number here: its arrays of declarations are the host's.
    constexpr bool periodic[3] = {dimension_of<C>(0).edge == Edge::periodic,
                                  dimension_of<C>(1).edge == Edge::periodic,
                                  dimension_of<C>(2).edge == Edge::periodic};
    const Index extent[3] = {n.x, n.y, n.z};
    Box own;
    Box box;
    RIDGE_UNROLL
    for (int i = 0; i < 3; ++i) {
      own_items(extent[i], d.begin.along(i), d.end.along(i), box_of_tile.begin[i],
                box_of_tile.end[i], own.begin[i], own.end[i]);
      box.begin[i] = own.begin[i];
      box.end[i] = own.end[i];
      const int before = low[R].along(i);
      const int behind = high[R].along(i);
      if (before != 0 || behind != 0) {
        grown_items(extent[i], d.begin.along(i), d.end.along(i), periodic[i], before, behind,
                    box.begin[i], box.end[i]);
      }
      if (rolls && i == march) {
        own_items(extent[i], d.begin.along(i), d.end.along(i), chunk_begin, chunk_end, own.begin[i],
                  own.end[i]);
        if (box_of_tile.begin[i] != chunk_begin && box.begin[i] < done[R]) box.begin[i] = done[R];
        done[R] = box.end[i];
      }
    }
    run_box<K, end>(lane, box_of_tile, box, own);
    lane.barrier();
    if constexpr (end < Last)
      run_from<end + 1, R + 1>(lane, box_of_tile, chunk_begin, chunk_end, done);
  }

  template <int K, int End, class Lane>
  RIDGE_DEVICE void run_box(Lane& lane, const Box& box_of_tile, const Box& box,
                            const Box& own) const {
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    Memory<Lane, C, T, First, Last, true> memory{
        lane, windows, n, box_of_tile.begin[0], shared_elements, true};
    for (Index z = box.begin[2] + t.z; z < box.end[2]; z += shape.z) {
      for (Index y = box.begin[1] + t.y; y < box.end[1]; y += shape.y) {
        const bool mine =
            y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
        for (Index x = box.begin[0] + t.x; x < box.end[0]; x += shape.x) {
          memory.everything = mine && x >= own.begin[0] && x < own.end[0];
          run_item<Pack<T, 1>, K, End, true>(chain, memory, x, y, z);
        }
      }
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
