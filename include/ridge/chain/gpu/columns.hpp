// Groups with operations that scan: a lane has a column. It keeps in registers what the operations
// of a run pass on, and in shared memory what one run leaves for another, level by level.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/flow.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/own_memory.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/device/lane.hpp>

#include <utility>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// What a run of a group of columns reads of the item alone and the group does not write: lanes
/// fetch it some levels ahead, as what they compute waits for the level before.
template <class C, int First, int Last, int RunFirst, int RunLast>
struct Fetched {
  static constexpr bool has(int array) {
    if (!read_in<C>(RunFirst, RunLast, array) || written_in<C>(First, Last, array)) return false;
    bool alone = true;
    for (int k = RunFirst; k <= RunLast; ++k)
      alone = alone && Uses<C>::use(k, array).reach == Reach{};
    return alone;
  }
  static constexpr int count() {
    int all = 0;
    for (int i = 0; i < arrays_of<C>; ++i)
      all += has(i) ? 1 : 0;
    return all;
  }
  static constexpr int most_values = 32;
  static constexpr int most_levels = 8;
  /// Levels that are on their way.
  static constexpr int levels() {
    const int room = count() > 0 ? most_values / count() : 1;
    return room < 1 ? 1 : room < most_levels ? room : most_levels;
  }
};

template <class Lane, class C, class T, int First, int Last, int RunFirst, int RunLast>
struct ColumnMemory {
  using F = Flow<C, First, Last>;
  using Fetches = Fetched<C, First, Last, RunFirst, RunLast>;
  static constexpr int values = carried_in<C>(RunFirst, RunLast);

  Lane& lane;
  const NarrowWindows<C, T, First, Last, false>& windows;
  const Index3& n;
  int levels;          ///< of each array in shared memory
  int threads, thread; ///< of the block
  T (&carry)[values > 0 ? values : 1];
  T (&here)[arrays_of<C>]; ///< what was fetched for this level

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <int I>
  [[nodiscard]] RIDGE_DEVICE int shared_index(Index level) const {
    return ((F::kept_before(I) * levels + static_cast<int>(level)) * threads) + thread;
  }
  [[nodiscard]] RIDGE_DEVICE int shared_elements() const {
    return F::column_arrays() * levels * threads;
  }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (F::kept_in_columns(I)) {
      constexpr int along = column_dimension<C>;
      const Index extent = along == 1 ? n.y : n.z;
      const Index at = resolve<dimension_of<C>(along).edge>(
          (along == 1 ? y : z) + o.along(along), extent + C::arrays[I].extra.along(along), false);
      const T value = lane.template shared<T>(0, shared_elements())[shared_index<I>(at)];
      return V(value);
    } else if constexpr (Fetches::has(I)) {
      return V(here[I]);
    } else {
      const Spot<T> spot = spot_in<C, I, Profile, Edges>(windows.template of<I>(), n, x, y, z, o);
      if constexpr (written_in<C>(First, Last, I)) {
        return V(lane.load_written(spot.elements, spot.at));
      } else {
        return V(lane.load(Span<const T>(spot.elements), spot.at));
      }
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    const T number = value[0];
    if constexpr (F::kept_in_columns(I)) {
      lane.template shared<T>(
          0, shared_elements())[shared_index<I>(column_dimension<C> == 1 ? y : z)] = number;
    } else {
      const Spot<T> spot = spot_in<C, I, false, false>(windows.template of<I>(), n, x, y, z, {});
      lane.store(spot.elements, spot.at, number);
    }
  }
  template <class V, int N>
  [[nodiscard]] RIDGE_DEVICE V load_carry(Index /*x*/, Index /*y*/) const {
    return V(carry[N]);
  }
  template <int N, class V>
  RIDGE_DEVICE void store_carry(Index /*x*/, Index /*y*/, const V& value) const {
    carry[N] = rounded(value)[0];
  }
};

/// What value N of operation Op begins a column with.
template <class Op, int N>
RIDGE_DEVICE double first_carry() {
  constexpr double value = Op::carried[N];
  return value;
}

/// The operations First to Last, of which some scan: a column a lane, run after run.
template <class C, class T, int First, int Last>
struct Columns {
  using F = Flow<C, First, Last>;
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = First == Last ? Operation<C, First>::name : C::name;
  static constexpr int along = column_dimension<C>;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  int levels; ///< of each array in shared memory

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Index width = n.x + d.end.x - d.begin.x;
    const Index depth = along == 1 ? 1 : n.y + d.end.y - d.begin.y;
    const Index column = Index{lane.block().x} * lane.block_extent().x + lane.thread().x;
    if (column >= width * depth) return;
    const Index row = along == 1 ? 0 : column / width;
    run_from<First>(lane, d.begin.x + column - row * width, (along == 1 ? 0 : d.begin.y) + row);
  }

private:
  template <int RunFirst, class Lane>
  RIDGE_DEVICE void run_from(Lane& lane, Index x, Index y) const {
    constexpr int run_last = First + F::run_end(RunFirst - First);
    run<RunFirst, run_last>(lane, x, y);
    if constexpr (run_last < Last) run_from<run_last + 1>(lane, x, y);
  }

  /// Calls f(array) for each array that lanes fetch for a run.
  template <class Fetches, class F2, int... I>
  static RIDGE_DEVICE void for_fetched(F2&& f, std::integer_sequence<int, I...>) {
    (one_fetched<Fetches, I>(f), ...);
  }
  template <class Fetches, int I, class F2>
  static RIDGE_DEVICE void one_fetched(F2&& f) {
    if constexpr (Fetches::has(I)) f(std::integral_constant<int, I>{});
  }
  template <int RunFirst, int K, int Values, int... N>
  static RIDGE_DEVICE void begin_carry(T (&carry)[Values], std::integer_sequence<int, N...>) {
    constexpr int before = carried_in<C>(RunFirst, K - 1);
    ((carry[before + N] = static_cast<T>(first_carry<Operation<C, K>, N>())), ...);
  }
  template <int RunFirst, int Values, int... K>
  static RIDGE_DEVICE void begin_carries(T (&carry)[Values], std::integer_sequence<int, K...>) {
    (begin_carry<RunFirst, RunFirst + K>(
         carry, std::make_integer_sequence<int, carried_by<Operation<C, RunFirst + K>>()>{}),
     ...);
  }

  template <int I, class Lane>
  RIDGE_DEVICE T fetch(Lane& lane, Index x, Index y, Index level) const {
    const Spot<T> spot = spot_in<C, I, C::arrays[I].profile, true>(
        windows.template of<I>(), n, x, along == 1 ? level : y, along == 1 ? 0 : level, {});
    return lane.load(Span<const T>(spot.elements), spot.at);
  }

  template <int RunFirst, int RunLast, class Lane>
  RIDGE_DEVICE void run(Lane& lane, Index x, Index y) const {
    using M = ColumnMemory<Lane, C, T, First, Last, RunFirst, RunLast>;
    using Fetches = typename M::Fetches;
    constexpr int ahead = Fetches::levels();
    constexpr Domain d = domain_of<Operation<C, RunFirst>>();
    constexpr bool down = scan_in<C>(RunFirst, RunLast) == Scan::down;
    constexpr auto arrays = std::make_integer_sequence<int, arrays_of<C>>{};
    const int begin = d.begin.along(along);
    const int end = static_cast<int>(along == 1 ? n.y : n.z) + d.end.along(along);
    const int count = end - begin;
    const int from = down ? end - 1 : begin;
    const auto level_of = [&](int i) { return down ? from - i : from + i; };
    T carry[M::values > 0 ? M::values : 1];
    begin_carries<RunFirst>(carry, std::make_integer_sequence<int, RunLast - RunFirst + 1>{});
    T here[arrays_of<C>];
    T next[arrays_of<C>][ahead];
    for_fetched<Fetches>(
        [&](auto array) {
          constexpr int I = decltype(array)::value;
          RIDGE_UNROLL
          for (int i = 0; i < ahead; ++i)
            next[I][i] = i < count ? fetch<I>(lane, x, y, level_of(i)) : T{};
        },
        arrays);
    const M memory{lane, windows, n, levels, lane.block_extent().x, lane.thread().x, carry, here};
    for (int first = 0; first < count; first += ahead) {
      RIDGE_UNROLL
      for (int i = 0; i < ahead; ++i) {
        const int at = first + i;
        if (at < count) {
          for_fetched<Fetches>(
              [&](auto array) {
                constexpr int I = decltype(array)::value;
                here[I] = next[I][i];
                if (at + ahead < count) next[I][i] = fetch<I>(lane, x, y, level_of(at + ahead));
              },
              arrays);
          const Index level = level_of(at);
          run_item<Pack<T, 1>, RunFirst, RunLast, true>(chain, memory, x, along == 1 ? level : y,
                                                        along == 1 ? Index{0} : level);
        }
      }
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
