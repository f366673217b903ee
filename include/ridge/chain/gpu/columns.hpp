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

/// Arrays that a run of a group of columns reads at the item alone, and that the group does not
/// write: lanes fetch them some levels ahead, as what they compute waits for the level before.
template <class C, int First, int Last, int RunFirst>
struct Fetched {
  using F = Flow<C, First, Last>;
  static constexpr bool has(int array) { return F::fetched(RunFirst - First, array); }
  static constexpr int count = F::fetched_count(RunFirst - First);
  /// The number of an array among those that are fetched.
  static constexpr int before(int array) {
    int all = 0;
    for (int i = 0; i < array; ++i)
      all += has(i) ? 1 : 0;
    return all;
  }
  /// Stages that are on their way to shared memory.
  static constexpr int stages = column_stages(count);

  // In registers:
  static constexpr int most_values = 32;
  static constexpr int most_levels = 8;
  /// Levels that are on their way.
  static constexpr int levels() {
    const int room = count > 0 ? most_values / count : 1;
    return room < 1 ? 1 : room < most_levels ? room : most_levels;
  }
};
/// Arrays that a run takes from shared memory, a stage at a time: those that it fetched, and those
/// that an earlier run has left.
template <class C, int First, int Last, int RunFirst>
struct Taken {
  using F = Flow<C, First, Last>;
  static constexpr bool has(int array) {
    return F::fetched(RunFirst - First, array) || F::taken(RunFirst - First, array);
  }
};

/// A column as a run sees it; InHand has the arrays of which `here` has the level's values.
template <class Lane, class C, class T, int First, int Last, int RunFirst, int RunLast,
          class InHand>
struct ColumnMemory {
  using F = Flow<C, First, Last>;
  static constexpr int values = carried_in<C>(RunFirst, RunLast);

  Lane& lane;
  const NarrowWindows<C, T, First, Last, false>& windows;
  const Index3& n;
  int begin;           ///< of the lane's part of the shared memory
  int shared_elements; ///< of the block
  T (&carry)[values > 0 ? values : 1];
  T (&here)[arrays_of<C>];

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_DEVICE InstanceOf<C> instance() const { return windows.at(0); }

  template <int I>
  [[nodiscard]] RIDGE_DEVICE int shared_index(Index level) const {
    return begin + static_cast<int>(level) * F::column_arrays() + F::kept_before(I);
  }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (InHand::has(I)) {
      return V(here[I]);
    } else if constexpr (F::kept_in_columns(I)) {
      constexpr int along = column_dimension<C>;
      const Index extent = along == 1 ? n.y : n.z;
      const Index at = resolve<dimension_of<C>(along).edge>(
          (along == 1 ? y : z) + o.along(along), extent + C::arrays[I].extra.along(along), false);
      const T value = lane.template shared<T>(0, shared_elements)[shared_index<I>(at)];
      return V(value);
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
          0, shared_elements)[shared_index<I>(column_dimension<C> == 1 ? y : z)] = number;
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

/// The value that number N of operation Op begins a column with.
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
  int levels;        ///< of each array in shared memory
  int lane_elements; ///< of shared memory, of a lane: what it keeps, level by level, and a ring

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Index width = n.x + d.end.x - d.begin.x;
    const Index depth = along == 1 ? 1 : n.y + d.end.y - d.begin.y;
    const Index column = Index{lane.block().x} * lane.block_extent().x + lane.thread().x;
    if (column >= width * depth * windows.instances()) return;
    if constexpr (instances_of<C>() == Instances::apart) {
      const Index number = windows.instances() > 1 ? column / (width * depth) : 0;
      Columns there = *this;
      there.windows = windows.moved(windows, number);
      there.run_column(lane, column - number * width * depth);
    } else {
      run_column(lane, column);
    }
  }

private:
  template <class Lane>
  RIDGE_DEVICE void run_column(Lane& lane, Index column) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Index width = n.x + d.end.x - d.begin.x;
    const Index row = along == 1 ? 0 : column / width;
    run_from<First>(lane, d.begin.x + column - row * width, (along == 1 ? 0 : d.begin.y) + row);
  }
  template <int RunFirst, class Lane>
  RIDGE_DEVICE void run_from(Lane& lane, Index x, Index y) const {
    constexpr int run_last = First + F::run_end(RunFirst - First);
    if constexpr (Lane::has_async_copy && F::column_arrays() > 0) {
      run_in_stages<RunFirst, run_last>(lane, x, y);
    } else {
      run<RunFirst, run_last>(lane, x, y);
    }
    if constexpr (run_last < Last) run_from<run_last + 1>(lane, x, y);
  }

  /// Calls f(array) for each array that Which has.
  template <class Which, class F2, int... I>
  static RIDGE_DEVICE void for_arrays(F2&& f, std::integer_sequence<int, I...>) {
    (for_array<Which, I>(f), ...);
  }
  template <class Which, int I, class F2>
  static RIDGE_DEVICE void for_array(F2&& f) {
    if constexpr (Which::has(I)) f(std::integral_constant<int, I>{});
  }
  /// Calls f(i) for each number, a constant: an array that a loop's counter indexes may end in
  /// memory.
  template <class F2, int... I>
  static RIDGE_DEVICE void for_levels(F2&& f, std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
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

  /// Where a level of the column is in an array in memory.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Spot<T> spot(Index x, Index y, Index level) const {
    return spot_in<C, I, C::arrays[I].profile, true>(
        windows.template of<I>(), n, x, along == 1 ? level : y, along == 1 ? 0 : level, {});
  }
  template <int I, class Lane>
  RIDGE_DEVICE T fetch(Lane& lane, Index x, Index y, Index level) const {
    const Spot<T> from = spot<I>(x, y, level);
    return lane.load(Span<const T>(from.elements), from.at);
  }

  /// The levels of a column in the order that a run takes them.
  struct Way {
    int first, step, count;
    [[nodiscard]] RIDGE_DEVICE int level(int i) const { return first + step * i; }
  };
  template <int RunFirst, int RunLast>
  [[nodiscard]] RIDGE_DEVICE Way way() const {
    constexpr Domain d = domain_of<Operation<C, RunFirst>>();
    constexpr bool down = scan_in<C>(RunFirst, RunLast) == Scan::down;
    const int begin = d.begin.along(along);
    const int end = static_cast<int>(along == 1 ? n.y : n.z) + d.end.along(along);
    return {down ? end - 1 : begin, down ? -1 : 1, end - begin};
  }
  template <int RunFirst, int RunLast, class Memory>
  RIDGE_DEVICE void run_level(const Memory& memory, Index x, Index y, Index level) const {
    run_item<Pack<T, 1>, RunFirst, RunLast, true>(chain, memory, x, along == 1 ? level : y,
                                                  along == 1 ? Index{0} : level);
  }
  template <class Lane>
  [[nodiscard]] RIDGE_DEVICE int shared_elements(Lane& lane) const {
    return lane_elements * lane.block_extent().x;
  }

  /// Inputs arrive in registers, some levels ahead. A warp of an NVIDIA GPU tells few loads on
  /// their way from each other, and waits longer than it must: this is for lanes that are many.
  template <int RunFirst, int RunLast, class Lane>
  RIDGE_DEVICE void run(Lane& lane, Index x, Index y) const {
    using Fetches = Fetched<C, First, Last, RunFirst>;
    using M = ColumnMemory<Lane, C, T, First, Last, RunFirst, RunLast, Fetches>;
    constexpr int ahead = Fetches::levels();
    constexpr auto arrays = std::make_integer_sequence<int, arrays_of<C>>{};
    constexpr auto numbers = std::make_integer_sequence<int, ahead>{};
    const Way way = this->way<RunFirst, RunLast>();
    T carry[M::values > 0 ? M::values : 1];
    begin_carries<RunFirst>(carry, std::make_integer_sequence<int, RunLast - RunFirst + 1>{});
    T here[arrays_of<C>];
    T next[arrays_of<C>][ahead];
    for_arrays<Fetches>(
        [&](auto array) {
          constexpr int I = decltype(array)::value;
          for_levels(
              [&](auto i) {
                next[I][i] = i < way.count ? fetch<I>(lane, x, y, way.level(i)) : T{};
              },
              numbers);
        },
        arrays);
    const M memory{lane,  windows, n, lane.thread().x * lane_elements, shared_elements(lane),
                   carry, here};
    for (int first = 0; first < way.count; first += ahead) {
      for_levels(
          [&](auto i) {
            const int at = first + i;
            if (at >= way.count) return;
            for_arrays<Fetches>(
                [&](auto array) {
                  constexpr int I = decltype(array)::value;
                  here[I] = next[I][i];
                  if (at + ahead < way.count)
                    next[I][i] = fetch<I>(lane, x, y, way.level(at + ahead));
                },
                arrays);
            run_level<RunFirst, RunLast>(memory, x, y, way.level(at));
          },
          numbers);
    }
  }

  /// Inputs arrive in a ring in shared memory, stage by stage, by copies that each lane makes for
  /// itself: it waits for the oldest stage alone, and needs no barrier.
  template <int RunFirst, int RunLast, class Lane>
  RIDGE_DEVICE void run_in_stages(Lane& lane, Index x, Index y) const {
    using Fetches = Fetched<C, First, Last, RunFirst>;
    using Takes = Taken<C, First, Last, RunFirst>;
    using M = ColumnMemory<Lane, C, T, First, Last, RunFirst, RunLast, Takes>;
    constexpr auto arrays = std::make_integer_sequence<int, arrays_of<C>>{};
    constexpr int stages = Fetches::stages;
    constexpr int stage = column_stage;
    constexpr int stage_elements = stage * Fetches::count;
    const Way way = this->way<RunFirst, RunLast>();
    T carry[M::values > 0 ? M::values : 1];
    begin_carries<RunFirst>(carry, std::make_integer_sequence<int, RunLast - RunFirst + 1>{});
    T here[arrays_of<C>];
    T taken[arrays_of<C>][stage];
    auto shared = lane.template shared<T>(0, shared_elements(lane));
    const M memory{lane,  windows, n, lane.thread().x * lane_elements, shared_elements(lane),
                   carry, here};
    const int ring = memory.begin + levels * F::column_arrays();
    const auto fetch_stage = [&](int slot, int first) {
      for_arrays<Fetches>(
          [&](auto array) {
            constexpr int I = decltype(array)::value;
            RIDGE_UNROLL
            for (int i = 0; i < stage; ++i) {
              if (first + i >= way.count) continue;
              const Spot<T> from = spot<I>(x, y, way.level(first + i));
              lane.template copy_async<1>(shared, slot + i * Fetches::count + Fetches::before(I),
                                          Span<const T>(from.elements), from.at);
            }
          },
          arrays);
      lane.copy_commit();
    };
    if constexpr (Fetches::count > 0) {
      RIDGE_NO_UNROLL
      for (int i = 0; i < stages; ++i)
        fetch_stage(ring + i * stage_elements, i * stage);
    }
    int slot = ring;
    for (int first = 0; first < way.count; first += stage) {
      if constexpr (Fetches::count > 0) lane.template copy_wait<stages - 1>();
      for_arrays<Takes>(
          [&](auto array) {
            constexpr int I = decltype(array)::value;
            RIDGE_UNROLL
            for (int i = 0; i < stage; ++i) {
              if (first + i >= way.count) continue;
              if constexpr (Fetches::has(I)) {
                const T value = shared[slot + i * Fetches::count + Fetches::before(I)];
                taken[I][i] = value;
              } else {
                const T value = shared[memory.template shared_index<I>(way.level(first + i))];
                taken[I][i] = value;
              }
            }
          },
          arrays);
      if constexpr (Fetches::count > 0) {
        fetch_stage(slot, first + stages * stage);
        slot =
            slot + stage_elements == ring + stages * stage_elements ? ring : slot + stage_elements;
      }
      RIDGE_UNROLL
      for (int i = 0; i < stage; ++i) {
        if (first + i >= way.count) continue;
        for_arrays<Takes>(
            [&](auto array) { here[decltype(array)::value] = taken[decltype(array)::value][i]; },
            arrays);
        run_level<RunFirst, RunLast>(memory, x, y, way.level(first + i));
      }
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
