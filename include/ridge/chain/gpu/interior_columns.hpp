// A lane that marches along the last dimension through interior items, several beside each other in
// x, keeps the rows of its own column that it reads again. All other neighbours lie at
// fixed distances, as arrays lie alike in memory, and come in whole accesses.
#pragma once

#include <ridge/chain/gpu/points_alike.hpp>
#include <ridge/chain/held_rows.hpp>
#include <ridge/chain/interior.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Rows of a lane's own column that the run First to Last keeps in registers.
template <class C, int First, int Last>
struct InteriorRows {
  static constexpr int march = static_cast<int>(C::dimensions.size()) - 1;
  static constexpr HeldRows of(int array) { return held_rows<C, First, Last>(array); }
  static constexpr int all() {
    int count = 0;
    for (int a = 0; a < arrays_of<C>; ++a)
      count += of(a).count();
    return count;
  }
  static constexpr int most() {
    int count = 1;
    for (int a = 0; a < arrays_of<C>; ++a)
      count = count < of(a).count() ? of(a).count() : count;
    return count;
  }
  static constexpr bool read_again() {
    for (int a = 0; a < arrays_of<C>; ++a) {
      if (of(a).count() > 1) return true;
    }
    return false;
  }
};

/// Registers that rows may take: with these a multiprocessor has two blocks of 256 lanes.
inline constexpr int most_row_registers = 64;

/// True of runs whose lanes may march through interior items.
template <class C, class T, int First, int Last>
constexpr bool may_march_interior() {
  if constexpr (C::dimensions.size() < 2 || !has_interior<C, First, Last>() || outer_of<C>() > 0 ||
                has_profiles<C, First, Last>()) {
    return false;
  } else {
    using Rows = InteriorRows<C, First, Last>;
    return Rows::read_again() &&
           Rows::all() * static_cast<int>(sizeof(T)) / 4 <= most_row_registers;
  }
}

/// Items of a row that a lane takes at a time: as many as one access has, and as rows fit.
template <class C, class T, int First, int Last>
constexpr int interior_items() {
  constexpr int bytes = static_cast<int>(sizeof(T));
  constexpr int access = 16;
  int items = access / bytes;
  while (items > 1 && InteriorRows<C, First, Last>::all() * items * bytes / 4 > most_row_registers)
    items /= 2;
  return items;
}

/// A lane's place, `Items` of a row, and the rows that it keeps.
template <class Lane, class C, class T, int First, int Last, int Items>
struct InteriorColumn {
  using Rows = InteriorRows<C, First, Last>;
  using Values = Pack<T, Items>;

  Lane& lane;
  const AlikeWindows<C, T, First, Last>& windows;
  const Index3& n;
  int row, plane; ///< elements
  int item;       ///< the first, from the arrays' first
  Values rows[arrays_of<C>][Rows::most()];
  Values next[arrays_of<C>];

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index /*x*/, Index /*y*/, Index /*z*/, Offset o) const {
    static_assert(!Profile && !Edges && lanes_of<V> == Items);
    check_reach<C, K, I>(lane, o);
    if constexpr (Items == 1) {
      return part<I>(o);
    } else {
      const int behind = (o.x % Items + Items) % Items;
      const Values first = part<I>({o.x - behind, o.y, o.z});
      if (behind == 0) return first;
      const Values second = part<I>({o.x - behind + Items, o.y, o.z});
      Values value;
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        value.set(i, i + behind < Items ? first[i + behind] : second[i + behind - Items]);
      return value;
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index /*x*/, Index /*y*/, Index /*z*/, const V& value) const {
    const Spot<T> spot = windows.template spot<I>(item);
    if constexpr (Items > 1) {
      lane.store(spot.elements, spot.at, value);
    } else {
      lane.store(spot.elements, spot.at, value[0]);
    }
  }

  /// The rows of the first items.
  RIDGE_DEVICE void begin() {
    for_kept([&](auto number) {
      constexpr int I = decltype(number)::value;
      constexpr HeldRows held = Rows::of(I);
      RIDGE_UNROLL
      for (int i = 0; i < held.count(); ++i)
        rows[I][i] = fetch<I>(at(0, (held.low + i) * step()));
    });
  }
  /// Asks for what the next items need first; a row that is there, where there are none.
  RIDGE_DEVICE void look_ahead(bool more) {
    for_kept([&](auto number) {
      constexpr int I = decltype(number)::value;
      next[I] = fetch<I>(at(0, (Rows::of(I).high + (more ? 1 : 0)) * step()));
    });
  }
  RIDGE_DEVICE void go_on() {
    for_kept([&](auto number) {
      constexpr int I = decltype(number)::value;
      constexpr int last = Rows::of(I).count() - 1;
      RIDGE_UNROLL
      for (int i = 0; i < last; ++i)
        rows[I][i] = rows[I][i + 1];
      rows[I][last] = next[I];
    });
    item += step();
  }

private:
  [[nodiscard]] RIDGE_DEVICE int step() const { return Rows::march == 1 ? row : plane; }
  [[nodiscard]] RIDGE_DEVICE int at(int x, int distance) const { return item + distance + x; }

  /// Calls f(number) for each array of which the lane keeps rows.
  template <class F>
  static RIDGE_DEVICE void for_kept(const F& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      const auto one = [&](auto number) {
        if constexpr (Rows::of(decltype(number)::value).count() > 0) f(number);
      };
      (one(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }
  /// The pack of array I that begins at a distance, a whole number of packs along x.
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Values part(Offset o) const {
    constexpr HeldRows held = Rows::of(I);
    const int kept = o.along(Rows::march);
    if constexpr (held.count() > 0) {
      if (o.x == 0 && (Rows::march == 1 || o.y == 0) && held.has(kept)) {
        Values value = rows[I][0];
        RIDGE_UNROLL
        for (int i = 1; i < held.count(); ++i)
          value = kept == held.low + i ? rows[I][i] : value;
        return value;
      }
    }
    return fetch<I>(at(o.x, o.y * row + (Rows::march == 1 ? 0 : o.z * plane)));
  }
  template <int I>
  [[nodiscard]] RIDGE_DEVICE Values fetch(int element) const {
    const Spot<T> spot = windows.template spot<I>(element);
    if constexpr (written_in<C>(First, Last, I)) {
      Values value;
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        value.set(i, lane.load_written(spot.elements, spot.at + i));
      return value;
    } else if constexpr (Items == 1) {
      return Values(lane.load(Span<const T>(spot.elements), spot.at));
    } else {
      return lane.template load_pack<Items>(Span<const T>(spot.elements), spot.at);
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
