// Loops over stored sites as bodies of GPU kernels: a block has the sites of a tile of four
// dimensions, and all their values of the fifth; its threads go through these first.
#pragma once

#include <ridge/lattice/stored/gpu/site.hpp>
#include <ridge/lattice/stored/tile_order.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

template <class K, int Bounds, int Resident, int Inner, bool Once, bool Stream>
struct StoredLoop {
  static constexpr int max_threads = Bounds;
  static constexpr int min_blocks = Resident;
  static constexpr const char* name = "lattice stored site loop";
  K kernel;
  SiteGrid grid;
  SiteWindow window; ///< the sites that are computed
  TileOrder order;
  Span<double> sums; ///< one a block, or none

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    unsigned thread = static_cast<unsigned>(lane.thread().x);
    const int s = static_cast<int>(thread % Inner);
    thread /= Inner;
    int c[grid_dimensions];
    order.block(static_cast<unsigned>(lane.block().x), c);
    bool inside = true;
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions; ++d) {
      c[d] = window.begin[d] + (c[d] << order.shift[d]) +
             static_cast<int>(thread & ((1U << order.shift[d]) - 1));
      thread >>= order.shift[d];
      inside = inside && c[d] < window.end[d];
    }
    double mine = 0;
    if (inside) {
      mine = static_cast<double>(
          kernel(StoredSite<Lane, Inner, Once, Stream>(lane, grid, c, s), sums.data != nullptr));
    }
    if (sums.data == nullptr) return;
    add_block(lane, mine);
    if (lane.thread().x == 0) {
      auto all = lane.template shared<double>(0, 1);
      const double total = all[0];
      lane.store(sums, lane.block().x, total);
    }
  }

  /// Adds up what the threads of a block have, always in the same order, in its shared memory.
  template <class Lane>
  static RIDGE_DEVICE void add_block(const Lane& lane, double mine) {
    const int t = lane.thread().x;
    const int n = lane.block_extent().x;
    auto all = lane.template shared<double>(0, n);
    all[t] = mine;
    lane.barrier();
    int half = 1;
    while (half < n)
      half *= 2;
    for (half /= 2; half > 0; half /= 2) {
      if (t < half && t + half < n) {
        const double a = all[t], b = all[t + half];
        all[t] = a + b;
      }
      lane.barrier();
    }
  }
};

/// The sum of the blocks' sums, by one block.
struct FinishSums {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "lattice stored sum";
  Span<const double> sums;
  Span<double> result;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    double mine = 0;
    for (Index i = lane.thread().x; i < sums.size; i += max_threads)
      mine += lane.load_written(sums, i);
    StoredLoop<int, 256, 1, 1, false, false>::add_block(lane, mine);
    if (lane.thread().x == 0) {
      auto all = lane.template shared<double>(0, 1);
      const double total = all[0];
      lane.store(result, 0, total);
    }
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
