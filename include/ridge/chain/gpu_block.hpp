// Groups whose operations read of each other far along the last dimension: a lane of a block has
// one item, and what others read of it is in shared memory.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/gpu_places.hpp>
#include <ridge/chain/gpu_schedule.hpp>
#include <ridge/chain/passing.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/device/launch.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

template <class Lane, class C, class T, int First, int Last>
struct BlockMemory {
  using F = Flow<C, First, Last>;

  Lane& lane;
  const Places<C, T, First, Last, false>& places;
  const Index3& n;
  T (&kept)[arrays_of<C>]; ///< what the lane's item is in each array
  int width;               ///< lanes of the block that have the same row
  int column;              ///< which of these the lane is
  int first;               ///< the row of the block's first lanes
  int rows;                ///< of the block
  int at;                  ///< the row that the lane computes, from `first`
  bool own;                ///< whether the lane writes what the operation computes

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
#if defined(RIDGE_TARGET_SIMT)
    if (!within_reach<C, K, I>(o)) lane.undeclared_access(o.x, o.y, o.z);
#endif
    if constexpr (F::passes(K - First, I)) {
      // A lane beyond a clamped end has moved: its own item is another lane's too.
      constexpr bool moves = dimension_of<C>(F::march).edge == Edge::clamp;
      const int distance = o.along(F::march);
      if constexpr (F::shared_places.of[I] >= 0) {
        if (moves || distance != 0) {
          const T value = shared<I>(row_at<I>(distance) * width + column);
          return V(value);
        }
      }
      return V(kept[I]);
    } else {
      const Place<T>& p = places.template of<I>();
      return V(lane.load(Span<const T>(Span<T>(p.data, p.elements())),
                         place_in<C, I, Profile, Edges>(p, n, x, y, z, o)));
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (F::kept(I)) {
      kept[I] = value[0];
      const T number = value[0];
      if constexpr (F::shared_places.of[I] >= 0) shared<I>(lane.rank()) = number;
    }
    if constexpr (outlives<C>(First, Last, I)) {
      if (!own) return;
      const Place<T>& p = places.template of<I>();
      lane.store(Span<T>(p.data, p.elements()), place_in<C, I, false, false>(p, n, x, y, z, {}),
                 value[0]);
    }
  }

private:
  /// The row at that distance, from `first`. Beyond the ends of the block, where nobody needs the
  /// result, any will do.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE int row_at(int distance) const {
    int lowest = 0;
    int highest = rows - 1;
    if constexpr (dimension_of<C>(F::march).edge == Edge::clamp) {
      constexpr int extra = C::arrays[I].extra.along(F::march);
      const int last = static_cast<int>(F::march == 1 ? n.y : n.z) + extra - 1 - first;
      lowest = -first > lowest ? -first : lowest;
      highest = last < highest ? last : highest;
    }
    const int row = at + distance;
    return row < lowest ? lowest : row > highest ? highest : row;
  }
  /// What an array is for the item of a lane.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE decltype(auto) shared(int of_lane) const {
    constexpr int place = F::shared_places.of[I];
    static_assert(place >= 0);
    return lane.template shared<T>(place * most_block_threads * static_cast<int>(sizeof(T)),
                                   most_block_threads)[of_lane];
  }
};

/// The operations First to Last over the rows of a block's tile, as many at once as the block has
/// lanes that no neighbour overlaps.
template <class C, class T, int First, int Last>
struct BlockExchange {
  using F = Flow<C, First, Last>;
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = C::name;
  /// 80 registers where a multiprocessor has 64 Ki.
  static constexpr int min_blocks = 3;
  static constexpr int march = F::march;

  C chain;
  Places<C, T, First, Last, false> places;
  Index3 n;
  Index3 tile; ///< items of a block

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const int rows = march == 1 ? shape.y : shape.z;
    const int each = rows - F::overlap(march);
    const int across = march == 1 ? shape.x : shape.x * shape.y;
    const int row_in_block = march == 1 ? t.y : t.z;
    Box own;
    own_items(n.x, d.begin.x, d.end.x, b.x * tile.x, end_of(b.x, tile.x, n.x), own.begin[0],
              own.end[0]);
    if constexpr (march == 2) {
      own_items(n.y, d.begin.y, d.end.y, b.y * tile.y, end_of(b.y, tile.y, n.y), own.begin[1],
                own.end[1]);
    }
    const int x_end = static_cast<int>(own.end[0]);
    const int y_end = static_cast<int>(own.end[1]);
    const int begin = static_cast<int>(march == 1 ? b.y * tile.y : b.z * tile.z);
    const int end =
        static_cast<int>(march == 1 ? end_of(b.y, tile.y, n.y) : end_of(b.z, tile.z, n.z));
    const int step_y = march == 1 ? 1 : shape.y;
    T kept[arrays_of<C>] = {};
    BlockMemory<Lane, C, T, First, Last> memory{
        lane, places, n, kept, across, lane.rank() - row_in_block * across, 0, rows, 0, false};
    // All lanes of a block take part in each step: those beyond the tile compute its last items.
    bool again = false;
    for (int from = begin; from < end; from += each) {
      const int to = from + each < end ? from + each : end;
      memory.first = from - F::overlap_low(march);
      const int raw = memory.first + row_in_block;
      for (int y0 = static_cast<int>(own.begin[1]); y0 < y_end; y0 += step_y) {
        const int y = march == 1 ? 0 : y0 + t.y;
        for (int x0 = static_cast<int>(own.begin[0]); x0 < x_end; x0 += shape.x) {
          if (again) lane.barrier();
          again = true;
          const int x = x0 + t.x;
          const bool inside = x < x_end && y < y_end;
          run_operation<First>(memory, x < x_end ? x : x_end - 1, y < y_end ? y : y_end - 1, raw,
                               from, to, inside);
        }
      }
    }
  }

private:
  static RIDGE_DEVICE Index end_of(int block, Index tile, Index extent) {
    const Index end = (block + 1) * tile;
    return end < extent ? end : extent;
  }

  template <int K, class M>
  RIDGE_DEVICE void run_operation(M& memory, int x, int y, int raw, int from, int to,
                                  bool inside) const {
    constexpr Domain d = domain_of<Operation<C, K>>();
    constexpr int domain_begin = d.begin.along(march);
    const int extent = static_cast<int>(march == 1 ? n.y : n.z);
    const int last = extent + d.end.along(march) - 1;
    int row = raw;
    if constexpr (dimension_of<C>(march).edge == Edge::periodic) {
      if (row < domain_begin || row > last) {
        row %= extent;
        if (row < 0) row += extent;
      }
    } else {
      row = row < domain_begin ? domain_begin : row > last ? last : row;
    }
    constexpr bool clamps = dimension_of<C>(march).edge == Edge::clamp;
    memory.at = (clamps ? row : raw) - memory.first;
    Index own_from = 0;
    Index own_to = 0;
    own_items(extent, domain_begin, d.end.along(march), from, to, own_from, own_to);
    memory.own = inside && raw >= own_from && raw < own_to;
    run_item<Pack<T, 1>, K, K, true>(chain, memory, x, march == 1 ? row : y, march == 1 ? 0 : row);
    if constexpr (K < Last) {
      memory.lane.barrier();
      run_operation<K + 1>(memory, x, y, raw, from, to, inside);
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
