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
  TileOrder order;

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
      c[d] = (c[d] << order.shift[d]) + static_cast<int>(thread & ((1U << order.shift[d]) - 1));
      thread >>= order.shift[d];
      inside = inside && c[d] < grid.extent[d];
    }
    if (!inside) return;
    kernel(StoredSite<Lane, Inner, Once, Stream>(lane, grid, c, s));
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
