// Launches of one operation, or of several joined in registers, whose lanes march along the last
// dimension, for chains whose dimensions have given ends. A lane keeps the rows of its own column
// that it reads again in registers. All that an item reads is fetched before it is computed:
// compilers leave loads behind a division where they are, and each would wait for memory anew.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/chain/held_rows.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Values that a lane keeps in registers while it marches through the run First to Last.
template <class C, int First, int Last>
struct Held {
  static constexpr int march = static_cast<int>(C::dimensions.size()) - 1;
  static constexpr int most_rows = 64; ///< of all arrays together: more would not fit
  static constexpr int most_near = 64; ///< of the points that an operation reads around

  static constexpr HeldRows rows_of(int array) {
    int before = 0;
    for (int a = 0; a < array; ++a)
      before += held_rows<C, First, Last>(a).count();
    const HeldRows rows = held_rows<C, First, Last>(array);
    return before + rows.count() > most_rows ? HeldRows{} : rows;
  }
  static constexpr int most_of_one() {
    int count = 1;
    for (int a = 0; a < arrays_of<C>; ++a)
      count = count < rows_of(a).count() ? rows_of(a).count() : count;
    return count;
  }

  /// The points of a declared access that are fetched ahead of their use.
  static constexpr int points_of(const Access& a) {
    if (a.writes || a.profile) return 0;
    const int count = (1 + a.reach.high.x - a.reach.low.x) * (1 + a.reach.high.y - a.reach.low.y) *
                      (1 + a.reach.high.z - a.reach.low.z);
    return count > most_near ? 0 : count;
  }
  /// Those of the accesses before number `end` of operation K, and of the operations before it.
  template <int K>
  static constexpr int near_before(int end) {
    int count = 0;
    int number = 0;
    for (const Access& a : Operation<C, K>::accesses) {
      if (number++ < end) count += points_of(a);
    }
    if constexpr (K > First) count += near_before<K - 1>(1 << 20);
    return count;
  }
  static constexpr int near_points() {
    const int count = near_before<Last>(1 << 20);
    return count > 0 ? count : 1;
  }
  static RIDGE_DEVICE bool in_column(Offset o) { return o.x == 0 && (march == 1 || o.y == 0); }
  static RIDGE_DEVICE Offset along_march(int rows) {
    return march == 1 ? Offset{0, rows, 0} : Offset{0, 0, rows};
  }
};

/// Calls f(number) for each array of the run First to Last that has a point for each x.
template <class C, int First, int Last, class F>
RIDGE_DEVICE void for_marched(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    const auto one = [&](auto number) {
      constexpr int array = decltype(number)::value;
      constexpr bool used = read_in<C>(First, Last, array) || written_in<C>(First, Last, array);
      if constexpr (used && !local_to<C>(First, Last, array) && !C::arrays[array].profile)
        f(number);
    };
    (one(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, arrays_of<C>>{});
}
/// Calls f(number) for each access that operation K declares.
template <class C, int K, class F>
RIDGE_DEVICE void for_accesses(const F& f) {
  constexpr int count = static_cast<int>(Operation<C, K>::accesses.size());
  [&]<int... A>(std::integer_sequence<int, A...>) {
    (f(std::integral_constant<int, A>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// Distances along the march in elements, of the arrays that a lane marches through.
template <class C>
struct MarchSteps {
  Index of[arrays_of<C>];
};

/// Brings an element to the L2 where the GPU knows an instruction for it.
template <class T>
RIDGE_DEVICE void ask_for([[maybe_unused]] const Spot<T>& spot) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(spot.elements.data + spot.at));
#endif
}

/// Numbers that the launch may write: two of 16 bits in one access.
template <int Items, class Lane, class T>
RIDGE_DEVICE Pack<T, Items> load_written_pack(Lane& lane, const Spot<T>& spot) {
  if constexpr (sizeof(T) * Items != 4) {
    Pack<T, Items> value;
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i)
      value.set(i, lane.load_written(spot.elements, spot.at + i));
    return value;
  }
#if defined(RIDGE_TARGET_SIMT)
  return lane.template load_pack<Items>(Span<const T>(spot.elements), spot.at);
#else
  const Span<unsigned> words(reinterpret_cast<unsigned*>(spot.elements.data + spot.at), 1);
  const unsigned word = lane.load_written(words, 0);
  Pack<T, Items> value;
  RIDGE_UNROLL
  for (int i = 0; i < Items; ++i)
    value.set(i, static_cast<T>(word >> 16 * i & 0xffffU));
  return value;
#endif
}

/// Items that a lane of a run takes at a time where rows are whole packs: as many as fill 4 bytes,
/// and 16 where items hand on what they compute, which compilers find among those of a pack, too;
/// two on NVIDIA GPUs where an operation says that a lane may take so many bytes. Such an operation
/// names the products that are fused: lanes of rows that are no packs compute the same bits.
template <class C, class T, int First, int Last>
constexpr int count_marched() {
  constexpr int size = sizeof(T);
  if constexpr (size < 4) {
    return 4 / size;
  } else if constexpr (First == Last && hands_on<Operation<C, First>, Pack<T, 1>>) {
    return 16 / size;
#if !defined(RIDGE_TARGET_HIP) // not measured there
  } else if constexpr (First == Last && requires { Operation<C, First>::lane_bytes; }) {
    return Operation<C, First>::lane_bytes / size < 2 ? 1 : 2;
#endif
  } else {
    return 1;
  }
}
template <class C, class T, int First, int Last>
inline constexpr int items_marched = count_marched<C, T, First, Last>();

/// Values that the operations K to Last hand on.
template <class C, class V, int K, int Last>
struct HandedOn {};
template <class C, class V, int K, int Last>
requires(K <= Last && !hands_on<Operation<C, K>, V>) //
struct HandedOn<C, V, K, Last> : HandedOn<C, V, K + 1, Last> {};
template <class C, class V, int K, int Last>
requires(K <= Last && hands_on<Operation<C, K>, V>) //
struct HandedOn<C, V, K, Last> : HandedOn<C, V, K + 1, Last> {
  typename Operation<C, K>::template Handed<V> value;

  template <int N>
  [[nodiscard]] RIDGE_DEVICE auto& of() {
    return static_cast<HandedOn<C, V, N, Last>*>(this)->value;
  }
};

/// Registers of a lane that marches, and its place: `Items` of each row, which follow
/// each other in x, are a pack.
template <class Lane, class C, class T, int First, int Last, int Items>
struct MarchedPoints {
  static_assert(Items == 1 || sizeof(T) * Items <= 16);
  using Kept = Held<C, First, Last>;
  using Windows = NarrowWindows<C, T, First, Last, false>;
  using Values = Pack<T, Items>;
  /// Whether the next rows are asked for in the L2. Where lanes take 8 bytes and few rows, enough
  /// is under way, and asking costs 7 % (docs/design/chains.md).
  static constexpr bool asks = sizeof(T) * Items < 8 || Kept::march == 1 || Kept::most_of_one() > 2;

  Lane& lane;
  const Windows& windows;
  const Index3& n;
  const MarchSteps<C>& steps;
  Spot<T> here[arrays_of<C>]; ///< the lane's item
  Values rows[arrays_of<C>][Kept::most_of_one()];
  Values near[Kept::near_points()];
  HandedOn<C, Values, First, Last> handed;

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    if constexpr (Profile) {
      const Spot<T> spot = spot_in<C, I, true, Edges>(windows.template of<I>(), n, x, y, z, o);
      return V(lane.load(Span<const T>(spot.elements), spot.at));
    } else {
      constexpr HeldRows held = Kept::rows_of(I);
      const int row = o.along(Kept::march);
      if (Kept::in_column(o) && held.has(row)) {
        Values value = rows[I][0];
        RIDGE_UNROLL
        for (int i = 1; i < held.count(); ++i)
          value = row == held.low + i ? rows[I][i] : value;
        return value;
      }
      return near_value<K, I, 0>(o);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index /*x*/, Index /*y*/, Index /*z*/, const V& value) const {
    if constexpr (Items > 1) {
      lane.store(here[I].elements, here[I].at, value);
    } else {
      lane.store(here[I].elements, here[I].at, value[0]);
    }
  }

  /// Begins at an item: all rows but the newest.
  RIDGE_DEVICE void begin(int x, int y, int z) {
    for_marched<C, First, Last>([&](auto number) {
      constexpr int I = decltype(number)::value;
      constexpr HeldRows held = Kept::rows_of(I);
      here[I] = at_item<I>(x, y, z);
      RIDGE_UNROLL
      for (int i = 0; i + 1 < held.count(); ++i)
        rows[I][i] = fetch<I>(Kept::along_march(held.low + i));
    });
  }
  /// All that the item reads, and asks for the newest rows of the next one if there is one.
  RIDGE_DEVICE void fetch_all(bool more) {
    if constexpr (Items == 1) fetch_near<First>();
    for_marched<C, First, Last>([&](auto number) {
      constexpr int I = decltype(number)::value;
      constexpr HeldRows held = Kept::rows_of(I);
      if constexpr (held.count() > 0) {
        const Spot<T> newest = moved(here[I], held.high * steps.of[I]);
        rows[I][held.count() - 1] = load_at<I>(newest);
        if constexpr (asks) ask_for(moved(newest, more ? steps.of[I] : 0));
      }
    });
    if constexpr (Items > 1) fetch_near<First>(); // takes the newest rows where they are its own
  }
  RIDGE_DEVICE void go_on() {
    for_marched<C, First, Last>([&](auto number) {
      constexpr int I = decltype(number)::value;
      constexpr int count = Kept::rows_of(I).count();
      here[I] = moved(here[I], steps.of[I]);
      RIDGE_UNROLL
      for (int i = 0; i + 1 < count; ++i)
        rows[I][i] = rows[I][i + 1];
    });
  }

private:
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Spot<T> at_item(int x, int y, int z) const {
    const NarrowWindow<T>& w = windows.template of<I>();
    constexpr int before[3] = {beyond_of<C>(I, 0), beyond_of<C>(I, 1), beyond_of<C>(I, 2)};
    const auto positive = [](int i) { return static_cast<unsigned>(i); };
    Index rows_before = y + before[1];
    if constexpr (Kept::march == 2)
      rows_before += product(positive(z + before[2]), positive(w.plane_rows));
    const Index at = rows_before * w.row + x + before[0];
    return moved({Span<T>(w.data, w.elements()), 0}, at);
  }
  static RIDGE_DEVICE Spot<T> moved(Spot<T> spot, Index elements) {
#if defined(RIDGE_TARGET_SIMT)
    spot.at += elements; // of the whole array: accesses are checked
#else
    spot.elements.data += elements;
#endif
    return spot;
  }
  template <int I>
  [[nodiscard]] RIDGE_DEVICE T load_one(const Spot<T>& spot) const {
    if constexpr (written_in<C>(First, Last, I)) {
      return lane.load_written(spot.elements, spot.at);
    } else {
      return lane.load(Span<const T>(spot.elements), spot.at);
    }
  }
  /// From an item that begins a pack.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Values load_at(const Spot<T>& spot) const {
    if constexpr (Items == 1) {
      return Values(load_one<I>(spot));
    } else if constexpr (written_in<C>(First, Last, I)) {
      return load_written_pack<Items>(lane, spot);
    } else {
      return lane.template load_pack<Items>(Span<const T>(spot.elements), spot.at);
    }
  }
  /// The item at a distance.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Spot<T> spot_of(Offset o) const {
    const NarrowWindow<T>& w = windows.template of<I>();
    Spot<T> spot = here[I];
    if (Kept::march == 2 && o.y != 0) spot = moved(spot, o.y * Index{w.row});
    if (o.along(Kept::march) != 0) spot = moved(spot, o.along(Kept::march) * steps.of[I]);
    spot.at += o.x;
    return spot;
  }
  /// The neighbours at a distance, from memory.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Values fetch(Offset o) const {
    if constexpr (Items == 1) {
      return load_at<I>(spot_of<I>(o));
    } else {
      if (o.x % Items == 0) return load_at<I>(spot_of<I>(o));
      Values value;
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        value.set(i, load_one<I>(spot_of<I>({o.x + i, o.y, o.z})));
      return value;
    }
  }
  /// Whether a neighbour is among the rows that the lane keeps.
  static RIDGE_DEVICE bool kept(const HeldRows& held, Offset o) {
    return Kept::in_column(o) && held.has(o.along(Kept::march));
  }
  static RIDGE_DEVICE int own_row(const HeldRows& held, int y, int z) {
    return Offset{0, y, z}.along(Kept::march) - held.low;
  }
  /// The row of an access at y and z: packs of it, and elements by themselves at its ends, where no
  /// operation reads all of a pack.
  template <int I, int Low, int High>
  RIDGE_DEVICE void fetch_row(int y, int z, Values* to) const {
    constexpr HeldRows held = Kept::rows_of(I);
    if constexpr (Items == 1) {
      RIDGE_UNROLL
      for (int x = Low; x <= High; ++x) {
        if (!kept(held, {x, y, z})) to[x - Low] = fetch<I>({x, y, z});
      }
    } else {
      if (Low == 0 && High == 0 && kept(held, {0, y, z})) return;
      constexpr int last = High + Items - 1; // what the last item of the pack reads
      constexpr int begin = Low < 0 ? -((Items - 1 - Low) / Items) * Items : Low / Items * Items;
      T line[last - Low + 1];
      RIDGE_UNROLL
      for (int x = begin; x <= last; x += Items) {
        if (x >= Low && x + Items - 1 <= last) {
          // The lane's own pack: compilers see that neighbours in it are the same numbers.
          const Values pack =
              kept(held, {x, y, z}) ? rows[I][own_row(held, y, z)] : fetch<I>({x, y, z});
          RIDGE_UNROLL
          for (int i = 0; i < Items; ++i)
            line[x + i - Low] = pack[i];
        } else {
          RIDGE_UNROLL
          for (int i = 0; i < Items; ++i) {
            if (x + i >= Low && x + i <= last)
              line[x + i - Low] = load_one<I>(spot_of<I>({x + i, y, z}));
          }
        }
      }
      RIDGE_UNROLL
      for (int x = Low; x <= High; ++x) {
        RIDGE_UNROLL
        for (int i = 0; i < Items; ++i)
          to[x - Low].set(i, line[x - Low + i]);
      }
    }
  }
  template <int K>
  RIDGE_DEVICE void fetch_near() {
    for_accesses<C, K>([&](auto number) {
      constexpr Access a = Operation<C, K>::accesses[decltype(number)::value];
      if constexpr (Kept::points_of(a) > 0 && Windows::has(a.array) &&
                    !written_in<C>(First, K - 1, a.array)) {
        // A constant where it is inlined: compilers for AMD keep `near` in memory else.
        constexpr int before = Kept::template near_before<K>(decltype(number)::value);
        constexpr int in_row = 1 + a.reach.high.x - a.reach.low.x;
        int at = before;
        RIDGE_UNROLL
        for (int z = a.reach.low.z; z <= a.reach.high.z; ++z) {
          RIDGE_UNROLL
          for (int y = a.reach.low.y; y <= a.reach.high.y; ++y, at += in_row)
            fetch_row<a.array, a.reach.low.x, a.reach.high.x>(y, z, near + at);
        }
      }
    });
    if constexpr (K < Last) fetch_near<K + 1>();
  }
  /// A neighbour that has been fetched with one of the accesses from number A on, or else now.
  template <int K, int I, int A>
  [[nodiscard]] RIDGE_DEVICE Values near_value(Offset o) const {
    if constexpr (A < static_cast<int>(Operation<C, K>::accesses.size())) {
      constexpr Access a = Operation<C, K>::accesses[A];
      if constexpr (a.array == I && Kept::points_of(a) > 0) {
        constexpr Reach r = a.reach;
        if (o.x >= r.low.x && o.x <= r.high.x && o.y >= r.low.y && o.y <= r.high.y &&
            o.z >= r.low.z && o.z <= r.high.z) {
          constexpr int before = Kept::template near_before<K>(A);
          constexpr int in_row = 1 + r.high.x - r.low.x;
          constexpr int in_plane = in_row * (1 + r.high.y - r.low.y);
          return near[before + (o.z - r.low.z) * in_plane + (o.y - r.low.y) * in_row + o.x -
                      r.low.x];
        }
      }
      return near_value<K, I, A + 1>(o);
    } else {
      return fetch<I>(o);
    }
  }
};

/// The run First to Last over all its items: a lane takes `rows` of them, or of packs
/// of them, one behind the other.
template <class C, class T, int First, int Last, int Items = 1>
struct PointsMarch {
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;
  static constexpr int march = Held<C, First, Last>::march;
  using V = Pack<T, Items>;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  MarchSteps<C> steps;
  Index3 n;
  int rows;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const int x = d.begin.x + (b.x * shape.x + t.x) * Items;
    if (x >= static_cast<int>(n.x) + d.end.x) return;
    if constexpr (march == 1) {
      if (t.z == 0)
        column(lane, x, 0, d.begin.y + (b.y * shape.y + t.y) * rows,
               static_cast<int>(n.y) + d.end.y);
    } else {
      const int y_end = static_cast<int>(n.y) + d.end.y;
      const int step = lane.grid_extent().y * shape.y;
      for (int y = d.begin.y + b.y * shape.y + t.y; y < y_end; y += step) {
        column(lane, x, y, d.begin.z + (b.z * shape.z + t.z) * rows,
               static_cast<int>(n.z) + d.end.z);
      }
    }
  }

private:
  /// The items of a column from `begin` on, `rows` or as many as there are before `last`.
  template <class Lane>
  RIDGE_DEVICE void column(Lane& lane, int x, int y, int begin, int last) const {
    if (begin >= last) return;
    const int end = last - begin < rows ? last : begin + rows;
    MarchedPoints<Lane, C, T, First, Last, Items> memory{lane, windows, n, steps, {}, {}, {}, {}};
    memory.begin(x, march == 1 ? begin : y, march == 1 ? 0 : begin);
    begin_handing<First>(memory, x, march == 1 ? begin : y, march == 1 ? 0 : begin);
    RIDGE_NO_UNROLL
    for (int row = begin; row < end; ++row) {
      memory.fetch_all(row + 1 < end);
      Values<C, V> values;
      run<First>(memory, values, x, march == 1 ? row : y, march == 1 ? 0 : row);
      memory.go_on();
    }
  }
  template <int K, class M>
  [[nodiscard]] RIDGE_DEVICE auto item(const M& memory, Values<C, V>& values, int x, int y,
                                       int z) const {
    return At<M, V, C, First, K, Last, Items == 1>(chain, memory, values, x, y, z);
  }
  template <int K>
  [[nodiscard]] RIDGE_DEVICE const auto& operation() const {
    return std::get<static_cast<std::size_t>(K)>(chain.operations);
  }
  /// Values that the first item of a column takes over from the one before it.
  template <int K, class M>
  RIDGE_DEVICE void begin_handing(M& memory, int x, int y, int z) const {
    if constexpr (hands_on<Operation<C, K>, V>) {
      Values<C, V> values;
      memory.fetch_all(false);
      memory.handed.template of<K>() = operation<K>().before(item<K>(memory, values, x, y, z));
    }
    if constexpr (K < Last) begin_handing<K + 1>(memory, x, y, z);
  }
  template <int K, class M>
  RIDGE_DEVICE void run(M& memory, Values<C, V>& values, int x, int y, int z) const {
    if constexpr (hands_on<Operation<C, K>, V>) {
      operation<K>()(item<K>(memory, values, x, y, z), memory.handed.template of<K>());
    } else {
      operation<K>()(item<K>(memory, values, x, y, z));
    }
    if constexpr (K < Last) run<K + 1>(memory, values, x, y, z);
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
