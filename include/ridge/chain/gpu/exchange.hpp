// Groups whose operations read of each other along x: lanes of a warp exchange what they computed.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/flow.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/own_memory.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

template <class Lane, class C, class T, int First, int Last>
struct ExchangeMemory : OwnMemory<Lane, C, T, First, Last> {
  using F = Flow<C, First, Last>;

  using OwnMemory<Lane, C, T, First, Last>::lane;
  using OwnMemory<Lane, C, T, First, Last>::n;

  T (&kept)[arrays_of<C>]; ///< what the lane's item is in each array
  Coordinate<C> warp_x;    ///< the item of the warp's first lane

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (F::passes(K - First, I)) {
      constexpr Edge edge = dimension_of<C>(0).edge;
      constexpr int extra = C::arrays[I].extra.x;
      int source = lane.lane() + o.x;
      if constexpr (Edges && edge == Edge::clamp) {
        using X = Coordinate<C>;
        source = static_cast<int>(
            resolve<edge>(static_cast<X>(x) + o.x, static_cast<X>(n.x) + extra, false) - warp_x);
      } else if (o.x == 0) {
        return V(kept[I]);
      }
      return V(lane.shuffle(kept[I], source & (Lane::warp_width - 1)));
    } else {
      return this->template load_from_memory<V, I, Profile, Edges>(x, y, z, o);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (F::kept(I)) kept[I] = value[0];
    this->template store_to_memory<I>(x, y, z, value);
  }
};

/// The operations First to Last over rows of items: a warp takes as many as it has lanes that no
/// neighbour overlaps.
template <class C, class T, int First, int Last>
struct Exchange {
  using F = Flow<C, First, Last>;
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  /// Without it LLVM makes more of this than registers of gfx90a hold.
  static constexpr bool constant_width = true;
  static constexpr const char* name = C::name;
  /// 64 registers where a multiprocessor has 64 Ki: warps that hide what they wait for. 80 for more
  /// than two operations.
  static constexpr int min_blocks = F::operations > 2 ? 3 : 4;
  static constexpr int rank = static_cast<int>(C::dimensions.size());
  using X = Coordinate<C>;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  Index3 tile; ///< items of a block

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    constexpr int low = F::overlap_low();
    constexpr int each = Lane::warp_width - low - F::overlap_high();
    constexpr int reach_low = F::reach_low_x();
    constexpr int reach_high = F::reach_high_x();
    const Dim3 b = lane.block();
    const Dim3 shape = lane.block_extent();
    // Warps follow each other along x; where a row of the block is no whole warps, along y.
    const bool whole = rank == 1 || shape.x % Lane::warp_width == 0;
    const int threads = shape.x * shape.y * shape.z;
    const int across = rank == 1 ? threads / Lane::warp_width
                       : whole   ? shape.x / Lane::warp_width
                                 : 1;
    const int down = rank == 1 ? 1 : whole ? shape.y * shape.z : threads / Lane::warp_width;
    const Dim3 t = lane.thread();
    const int warp_across = rank == 1 ? lane.rank() / Lane::warp_width
                            : whole   ? t.x / Lane::warp_width
                                      : 0;
    const int warp_down = rank == 1 ? 0
                          : whole   ? t.y + shape.y * t.z
                                    : lane.rank() / Lane::warp_width;

    const X begin = static_cast<X>(b.x * tile.x);
    const X end = static_cast<X>(end_of(b.x, tile.x, n.x));
    Box rows;
    if constexpr (rank > 1) {
      own_items(n.y, d.begin.y, d.end.y, b.y * tile.y, end_of(b.y, tile.y, n.y), rows.begin[1],
                rows.end[1]);
    }
    if constexpr (rank > 2) {
      own_items(n.z, d.begin.z, d.end.z, b.z * tile.z, end_of(b.z, tile.z, n.z), rows.begin[2],
                rows.end[2]);
    }
    const int z_end = static_cast<int>(rows.end[2]);
    const int y_end = static_cast<int>(rows.end[1]);
    for (int z = static_cast<int>(rows.begin[2]); z < z_end; ++z) {
      for (int y = static_cast<int>(rows.begin[1]) + warp_down; y < y_end; y += down) {
        for (X x = begin + warp_across * each; x < end; x += across * each) {
          const X to = x + each < end ? x + each : end;
          const X first = x - low;
          if (first + reach_low >= 0 &&
              first + Lane::warp_width + reach_high <= static_cast<X>(n.x)) {
            run<false>(lane, first, x, to, y, z);
          } else {
            run<true>(lane, first, x, to, y, z);
          }
        }
      }
    }
  }

private:
  static RIDGE_DEVICE Index end_of(int block, Index tile, Index extent) {
    const Index end = (block + 1) * tile;
    return end < extent ? end : extent;
  }

  /// The items [from, to) of a row, by lanes of which the first is at item `warp_x`.
  template <bool Edges, class Lane>
  RIDGE_DEVICE void run(Lane& lane, X warp_x, X from, X to, Index y, Index z) const {
    T kept[arrays_of<C>] = {};
    ExchangeMemory<Lane, C, T, First, Last> memory{{lane, windows, n}, kept, warp_x};
    run_operation<Edges, First>(memory, warp_x + lane.lane(), from, to, y, z);
  }

  template <bool Edges, int K, class M>
  RIDGE_DEVICE void run_operation(M& memory, X raw, X from, X to, Index y, Index z) const {
    constexpr Domain d = domain_of<Operation<C, K>>();
    X x = raw;
    if constexpr (Edges) {
      const X last = static_cast<X>(n.x) + d.end.x - 1;
      if constexpr (dimension_of<C>(0).edge == Edge::periodic) {
        if (x < d.begin.x || x > last) {
          x %= static_cast<X>(n.x);
          if (x < 0) x += static_cast<X>(n.x);
        }
      } else {
        x = x < d.begin.x ? X{d.begin.x} : x > last ? last : x;
      }
      Index own_from = 0;
      Index own_to = 0;
      own_items(n.x, d.begin.x, d.end.x, from, to, own_from, own_to);
      memory.own = raw >= own_from && raw < own_to;
    } else {
      memory.own = raw >= from && raw < to;
    }
    run_item<Pack<T, 1>, K, K, Edges>(chain, memory, x, y, z);
    if constexpr (K < Last) run_operation<Edges, K + 1>(memory, raw, from, to, y, z);
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
