// Groups whose operations read of each other far along a dimension: a lane of a block has one item,
// and what others read of it is in shared memory.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/flow.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/own_memory.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/device/lane.hpp>

#include <type_traits>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Indices along the dimension that values are passed along.
template <class C, class F>
using Row = std::conditional_t<F::along == 0, Coordinate<C>, int>;

template <class Lane, class C, class T, int First, int Last>
struct BlockMemory : OwnMemory<Lane, C, T, First, Last> {
  using F = Flow<C, First, Last>;
  using X = Row<C, F>;

  using OwnMemory<Lane, C, T, First, Last>::lane;
  using OwnMemory<Lane, C, T, First, Last>::n;

  T (&kept)[arrays_of<C>]; ///< what the lane's item is in each array
  int stride;              ///< lanes from a row to the next
  int column;              ///< the block's first lane of those that pass values to this one
  X first;                 ///< that lane's row
  int rows;                ///< of the block
  int at;                  ///< the row that the lane computes, from `first`

  [[nodiscard]] RIDGE_DEVICE X extent() const {
    return static_cast<X>(F::along == 0 ? n.x : F::along == 1 ? n.y : n.z);
  }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (F::passes(K - First, I)) {
      // A lane beyond a clamped end has moved: its own item is another lane's too. Of a lane at a
      // seam some arrays have no item.
      constexpr bool moves = dimension_of<C>(F::along).edge == Edge::clamp || between<I>() > 0;
      const int distance = o.along(F::along);
      if constexpr (F::shared_arrays.of[I] >= 0) {
        if (moves || distance != 0) {
          const Index row = F::along == 0 ? x : F::along == 1 ? y : z;
          const T value =
              shared<I>(column + row_at<I>(lanes_to<I>(static_cast<X>(row), distance)) * stride);
          return V(value);
        }
      }
      return V(kept[I]);
    } else {
      return this->template load_from_memory<V, I, Profile, Edges>(x, y, z, o);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (F::kept(I)) {
      kept[I] = value[0];
      const T number = value[0];
      if constexpr (F::shared_arrays.of[I] >= 0) shared<I>(lane.rank()) = number;
    }
    this->template store_to_memory<I>(x, y, z, value);
  }

private:
  /// Rows at a seam that only other arrays have.
  template <int I>
  static constexpr int between() {
    if (!F::has_seam(F::along)) return 0;
    return F::beyond(F::along) - C::arrays[I].extra.along(F::along);
  }

  /// How many rows of the block a neighbour of `row` is away.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE int lanes_to(X row, int distance) const {
    constexpr int gap = between<I>();
    if constexpr (gap > 0) {
      constexpr int extra = C::arrays[I].extra.along(F::along);
      if (distance < 0 && row + distance < 0) return distance - gap;
      if (distance >= 0 && row + distance >= extent() + extra) return distance + gap;
    }
    return distance;
  }
  /// The row at that distance, from `first`. Beyond the ends of the block, where nobody needs the
  /// result, any will do.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE int row_at(int distance) const {
    int lowest = 0;
    int highest = rows - 1;
    if constexpr (dimension_of<C>(F::along).edge == Edge::clamp) {
      constexpr int extra = C::arrays[I].extra.along(F::along);
      const X last = extent() + extra - 1 - first;
      lowest = first < 0 ? static_cast<int>(-first) : 0;
      highest = last < highest ? static_cast<int>(last) : highest;
    }
    const int row = at + distance;
    return row < lowest ? lowest : row > highest ? highest : row;
  }
  /// The use of an array for the item of a lane.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE decltype(auto) shared(int of_lane) const {
    constexpr int number = F::shared_arrays.of[I];
    static_assert(number >= 0);
    return lane.template shared<T>(number * most_block_threads * static_cast<int>(sizeof(T)),
                                   most_block_threads)[of_lane];
  }
};

/// The operations First to Last over the rows of a block's tile, as many at once as the block has
/// lanes that no neighbour overlaps.
template <class C, class T, int First, int Last>
struct BlockExchange {
  using F = Flow<C, First, Last>;
  using X = Row<C, F>;
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = C::name;
  /// 80 registers where a multiprocessor has 64 Ki.
  static constexpr int min_blocks = 3;
  static constexpr int rank = static_cast<int>(C::dimensions.size());
  static constexpr int along = F::along;
  /// The two other dimensions; those from `rank` on have one item.
  static constexpr int inner = along == 0 ? 1 : 0;
  static constexpr int outer = along == 2 ? 1 : 2;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  Index3 tile; ///< items of a block

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    // Said to be constant: compilers may compute them here.
    constexpr int overlap = F::overlap(along);
    constexpr int overlap_low = F::overlap_low(along);
    const int rows = of_dimension<along>(lane.block_extent());
    const int each = rows - overlap;
    const int stride = along == 0   ? 1
                       : along == 1 ? lane.block_extent().x
                                    : lane.block_extent().x * lane.block_extent().y;
    const int row_in_block = of_dimension<along>(lane.thread());
    const Range<X> range = tile_along<along, X>(lane);
    const Range<int> p = items_along<inner>(lane);
    const Range<int> q = items_along<outer>(lane);
    T kept[arrays_of<C>] = {};
    BlockMemory<Lane, C, T, First, Last> memory{
        {lane, windows, n}, kept, stride, lane.rank() - row_in_block * stride, 0, rows, 0};
    // All lanes of a block take part in each step: those beyond the tile compute its last items.
    bool again = false;
    for (X from = range.begin; from < range.end; from += each) {
      const X to = from + each < range.end ? from + each : range.end;
      memory.first = from - overlap_low;
      const X raw = memory.first + row_in_block;
      for (int q0 = q.begin; q0 < q.end; q0 += q.step) {
        for (int p0 = p.begin; p0 < p.end; p0 += p.step) {
          if (again) lane.barrier();
          again = true;
          const int mine_p = p0 + p.mine;
          const int mine_q = q0 + q.mine;
          run_operation<First>(memory, mine_p < p.end ? mine_p : p.end - 1,
                               mine_q < q.end ? mine_q : q.end - 1, raw, {from, to},
                               mine_p < p.end && mine_q < q.end);
        }
      }
    }
  }

private:
  template <class I>
  struct Range {
    I begin, end;
    int step = 1, mine = 0; ///< of a lane: at begin + mine, and `step` behind each
  };

  template <int Dimension, class V>
  static RIDGE_DEVICE auto of_dimension(const V& v) {
    return Dimension == 0 ? v.x : Dimension == 1 ? v.y : v.z;
  }

  template <int Dimension, class I, class Lane>
  RIDGE_DEVICE Range<I> tile_along(Lane& lane) const {
    const I size = static_cast<I>(of_dimension<Dimension>(tile));
    const I extent = static_cast<I>(of_dimension<Dimension>(n));
    const I begin = of_dimension<Dimension>(lane.block()) * size;
    return {begin, begin + size < extent ? begin + size : extent};
  }
  template <int Dimension, class Lane>
  RIDGE_DEVICE Range<int> items_along(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    if constexpr (Dimension < rank) {
      const Range<int> whole = tile_along<Dimension, int>(lane);
      Range<int> mine{0, 0, of_dimension<Dimension>(lane.block_extent()),
                      of_dimension<Dimension>(lane.thread())};
      own_items(static_cast<int>(of_dimension<Dimension>(n)), d.begin.along(Dimension),
                d.end.along(Dimension), whole.begin, whole.end, mine.begin, mine.end);
      return mine;
    } else {
      return {0, 1, 1, of_dimension<Dimension>(lane.thread())};
    }
  }

  /// The item of operation K that lane `raw` computes.
  template <int K>
  RIDGE_DEVICE X row_of(X raw, X extent) const {
    constexpr Domain d = domain_of<Operation<C, K>>();
    constexpr int domain_begin = d.begin.along(along);
    const X last = extent + d.end.along(along) - 1;
    X row = raw;
    if constexpr (F::has_seam(along)) {
      // Lanes go on behind the last item of any operation; those without it have none there.
      constexpr int beyond = F::beyond(along);
      const X period = extent + beyond;
      row = row < 0 ? row + period : row >= period ? row - period : row;
    } else if constexpr (dimension_of<C>(along).edge == Edge::periodic) {
      if (row < domain_begin || row > last) {
        row %= extent;
        return row < 0 ? row + extent : row;
      }
    }
    return row < domain_begin ? domain_begin : row > last ? last : row;
  }

  template <int K, class M>
  RIDGE_DEVICE void run_operation(M& memory, int p, int q, X raw, const Range<X>& whole,
                                  bool inside) const {
    constexpr Domain d = domain_of<Operation<C, K>>();
    const X extent = memory.extent();
    const X row = row_of<K>(raw, extent);
    constexpr bool clamps = dimension_of<C>(along).edge == Edge::clamp;
    memory.at = static_cast<int>((clamps ? row : raw) - memory.first);
    X own_from = 0;
    X own_to = 0;
    own_items(extent, d.begin.along(along), d.end.along(along), whole.begin, whole.end, own_from,
              own_to);
    memory.own = inside && raw >= own_from && raw < own_to;
    const Index x = along == 0 ? row : p;
    const Index z = along == 2 ? row : q;
    const Index y = along == 1 ? row : inner == 1 ? p : q;
    run_item<Pack<T, 1>, K, K, true>(chain, memory, x, y, z);
    if constexpr (K < Last) {
      memory.lane.barrier();
      run_operation<K + 1>(memory, p, q, raw, whole, inside);
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
