// Groups whose operations read of each other along the last dimension: lanes march along it and
// keep the rows that are needed again in registers.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/flow.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/own_memory.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// The rows of each array that a lane keeps, newest first.
template <class C, class T, int First, int Last>
struct KeptRows {
  T of[arrays_of<C>][Flow<C, First, Last>::most_kept()];
};

template <class Lane, class C, class T, int First, int Last>
struct MarchMemory : OwnMemory<Lane, C, T, First, Last> {
  using F = Flow<C, First, Last>;

  using OwnMemory<Lane, C, T, First, Last>::lane;
  using OwnMemory<Lane, C, T, First, Last>::n;

  KeptRows<C, T, First, Last>& rows;

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (F::reads_kept(K - First, I)) {
      constexpr auto kept = F::rows_of(I);
      constexpr int ahead = F::ahead.high[K - First];
      const int back = kept.top - ahead - o.along(F::march);
      T value = rows.of[I][0];
      RIDGE_UNROLL
      for (int i = 1; i < kept.count; ++i)
        value = back == i ? rows.of[I][i] : value;
      return V(value);
    } else {
      return this->template load_from_memory<V, I, Profile, Edges>(x, y, z, o);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (F::kept(I)) rows.of[I][0] = value[0];
    this->template store_to_memory<I>(x, y, z, value);
  }
};

/// The operations First to Last: each lane takes columns of a block's tile, and marches through as
/// many rows.
template <class C, class T, int First, int Last>
struct March {
  using F = Flow<C, First, Last>;
  using Rows = KeptRows<C, T, First, Last>;
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = C::name;
  /// 80 registers for two operations where a multiprocessor has 64 Ki, 255 for more.
  static constexpr int min_blocks = F::operations > 2 ? 1 : 3;
  static constexpr int march = F::march;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  Index3 tile; ///< items of a block

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const Index extent[3] = {n.x, n.y, n.z};
    const Index size[3] = {tile.x, tile.y, tile.z};
    const int block[3] = {b.x, b.y, b.z};
    const int thread[3] = {t.x, t.y, t.z};
    const int threads[3] = {shape.x, shape.y, shape.z};
    Box own;
    RIDGE_UNROLL
    for (int i = 0; i < march; ++i) {
      const Index begin = block[i] * size[i];
      const Index end = begin + size[i] < extent[i] ? begin + size[i] : extent[i];
      own_items(extent[i], d.begin.along(i), d.end.along(i), begin, end, own.begin[i], own.end[i]);
    }
    // Threads along the march share the tile's rows.
    const int rows = static_cast<int>(extent[march]);
    int begin = static_cast<int>(block[march] * size[march]);
    int end = begin + static_cast<int>(size[march]);
    if (end > rows) end = rows;
    const int share = (end - begin + threads[march] - 1) / threads[march];
    begin += thread[march] * share;
    if (begin + share < end) end = begin + share;
    if (begin >= end) return;
    const int x_end = static_cast<int>(own.end[0]);
    const int y_end = static_cast<int>(own.end[1]);
    const int first_x = static_cast<int>(own.begin[0]) + t.x;
    if constexpr (march == 1) {
      for (int x = first_x; x < x_end; x += shape.x)
        column(lane, x, 0, begin, end);
    } else {
      for (int y = static_cast<int>(own.begin[1]) + t.y; y < y_end; y += shape.y) {
        for (int x = first_x; x < x_end; x += shape.x)
          column(lane, x, y, begin, end);
      }
    }
  }

private:
  static constexpr Edge edge = dimension_of<C>(march).edge;
  /// Whether a lane keeps rows of an array that it reads from memory.
  static constexpr bool fetched(int array) {
    return F::writer_of(array) < 0 && F::rows_of(array).count > 0;
  }
  /// How many rows behind the end of the range a lane ends.
  static constexpr int run_out() {
    int most = 0;
    for (int k = 0; k < F::operations; ++k)
      most = std::max(most, F::domain(k).end.along(march) - F::ahead.high[k]);
    return most;
  }

  RIDGE_DEVICE int extent() const { return static_cast<int>(march == 1 ? n.y : n.z); }

  /// A row of an array, or where there is none, one that nobody will ask for.
  template <int I, class Lane>
  RIDGE_DEVICE T fetch(Lane& lane, int x, int y, int row) const {
    constexpr Offset extra = C::arrays[I].extra;
    constexpr int more = extra.along(march);
    const int points = extent() + more;
    if constexpr (edge == Edge::periodic) {
      row %= points;
      if (row < 0) row += points;
    } else {
      row = row < 0 ? 0 : row >= points ? points - 1 : row;
    }
    if constexpr (dimension_of<C>(0).edge != Edge::none)
      x = resolve<dimension_of<C>(0).edge>(x, static_cast<int>(n.x) + extra.x, false);
    if constexpr (march == 2) {
      y = resolve<dimension_of<C>(1).edge>(y, static_cast<int>(n.y) + extra.y, false);
    }
    const Spot<T> spot =
        spot_at<C, false>(windows.template of<I>(), x, march == 1 ? row : y, march == 1 ? 0 : row);
    return lane.load(Span<const T>(spot.elements), spot.at);
  }

  /// Calls f(array, rows kept of it) for each array that lanes fetch.
  template <class F2, int... I>
  static RIDGE_DEVICE void for_fetched(F2&& f, std::integer_sequence<int, I...>) {
    (one_fetched<I>(f), ...);
  }
  template <int I, class F2>
  static RIDGE_DEVICE void one_fetched(F2&& f) {
    if constexpr (fetched(I)) f(std::integral_constant<int, I>{});
  }

  template <class Lane>
  RIDGE_DEVICE void column(Lane& lane, int x, int y, int begin, int end) const {
    constexpr auto arrays = std::make_integer_sequence<int, arrays_of<C>>{};
    Rows rows{};
    constexpr int up = F::run_up();
    constexpr int out = run_out();
    const int last = end == extent() ? end + out : end;
    for_fetched(
        [&](auto array) {
          constexpr int I = decltype(array)::value;
          constexpr auto kept = F::rows_of(I);
          RIDGE_UNROLL
          for (int i = 0; i + 1 < kept.count; ++i)
            rows.of[I][i] = fetch<I>(lane, x, y, begin - up + kept.top - 1 - i);
        },
        arrays);
    MarchMemory<Lane, C, T, First, Last> memory{{lane, windows, n}, rows};
    for (int row = begin - up; row < last; ++row) {
      for_fetched(
          [&](auto array) {
            constexpr int I = decltype(array)::value;
            constexpr auto kept = F::rows_of(I);
            shift<I>(rows);
            rows.of[I][0] = fetch<I>(lane, x, y, row + kept.top);
          },
          arrays);
      run_operation<First>(memory, x, y, row, begin, end);
    }
  }

  template <int I>
  static RIDGE_DEVICE void shift(Rows& rows) {
    constexpr int count = F::rows_of(I).count;
    RIDGE_UNROLL
    for (int i = count - 1; i > 0; --i)
      rows.of[I][i] = rows.of[I][i - 1];
  }
  template <int K, int I>
  static RIDGE_DEVICE void shift_written(Rows& rows) {
    if constexpr (F::writer_of(I) == K - First && F::kept(I)) shift<I>(rows);
  }
  template <int K, int I>
  static RIDGE_DEVICE void fill_written(Rows& rows) {
    if constexpr (F::writer_of(I) == K - First && F::kept(I)) {
      constexpr int count = F::rows_of(I).count;
      RIDGE_UNROLL
      for (int i = 1; i < count; ++i)
        rows.of[I][i] = rows.of[I][0];
    }
  }

  /// Operation K at the row that it computes when the last one computes `row`, and those after it.
  template <int K, class M>
  RIDGE_DEVICE void run_operation(M& memory, int x, int y, int row, int begin, int end) const {
    constexpr Domain d = domain_of<Operation<C, K>>();
    constexpr int domain_begin = d.begin.along(march);
    constexpr int domain_end = d.end.along(march);
    constexpr int low = F::ahead.low[K - First];
    constexpr int high = F::ahead.high[K - First];
    const int mine = row + high;
    const int beyond = extent() + domain_end;
    const int own_from = begin == 0 || begin < domain_begin ? domain_begin : begin;
    const int own_to = end == extent() || end > beyond ? beyond : end;
    int from = begin - low;
    int to = end + high;
    if constexpr (edge != Edge::periodic) {
      if (from < domain_begin) from = domain_begin;
      if (to > beyond) to = beyond;
    }
    if (from > own_from) from = own_from;
    if (to < own_to) to = own_to;
    each_array<K>([&](auto array) { shift_written<K, decltype(array)::value>(memory.rows); });
    if (mine >= from && mine < to) {
      memory.own = mine >= own_from && mine < own_to;
      int at = mine;
      if constexpr (edge == Edge::periodic) {
        if (at < domain_begin || at >= beyond) {
          at %= extent();
          if (at < 0) at += extent();
        }
      }
      run_item<Pack<T, 1>, K, K, true>(chain, memory, x, march == 1 ? at : y, march == 1 ? 0 : at);
      if constexpr (edge == Edge::clamp) {
        // Before the first row lies the first row.
        if (mine == 0)
          each_array<K>([&](auto array) { fill_written<K, decltype(array)::value>(memory.rows); });
      }
    }
    if constexpr (K < Last) run_operation<K + 1>(memory, x, y, row, begin, end);
  }

  template <int K, class F2>
  static RIDGE_DEVICE void each_array(F2&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (f(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
