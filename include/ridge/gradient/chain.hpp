// Adjoints of chains: a chain of the operations of C and, the other way, one operation an array
// that they read, which gathers what its readers hand on.
//
//   const auto backward = ridge::adjoint(heat);      a chain like any other, see docs/chain.md
//
// Its arrays are C's, results included, and behind them as many derivatives of a loss: those by
// C's outputs are inputs (the cotangents), those by C's inputs are outputs. Array I of C has the
// slot I, the derivative by it the slot I + arrays_of<C>.
//
// With y an array that an operation writes and x one that it reads, the derivative by x at item p
// is the sum over readers p - k, which read x at k, of (dy/dx[k])(p - k) times that by y there,
// where p - k is an item of the operation. Items at clamped ends also have what was read beyond
// them. Derivatives come from the operations, called with dual numbers (ridge/core/dual.hpp).
//
// why_no_adjoint says which chains have none: those that scan, contract, have outer dimensions,
// profiles or given ends, arrays that are updated, and outputs that are read.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/dual.hpp>
#include <ridge/core/index.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ridge::gradient {

namespace detail {

using chain::Edge, chain::Reach, chain::Role, chain::Slot;

/// Calls f(constant) for 0 to N - 1.
template <int N, class F>
RIDGE_FN constexpr void for_constants(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

template <class C, int X, int K>
inline constexpr bool reads_array = chain::reads<chain::Operation<C, K>>(X);

/// How many items of operation K lie behind the last of array X.
template <class C, int X, int K>
constexpr int items_behind(int d) {
  const int n = chain::domain_of<chain::Operation<C, K>>().end.along(d) -
                C::arrays[static_cast<std::size_t>(X)].extra.along(d);
  return n > 0 ? n : 0;
}

/// How far the readers K of array X lie from an item of it.
template <class C, int X, int K>
constexpr Reach readers() {
  const Reach r = chain::reach_of<chain::Operation<C, K>>(X);
  int low[3], high[3];
  for (int d = 0; d < 3; ++d) {
    low[d] = -r.high.along(d);
    high[d] = -r.low.along(d);
    if (chain::dimension_of<C>(d).edge == Edge::clamp) { // who read beyond the end is nearer
      const int behind = items_behind<C, X, K>(d);
      low[d] = low[d] < 0 ? low[d] : 0;
      high[d] = high[d] > behind ? high[d] : behind;
    }
  }
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

constexpr chain::Offset sum_of(chain::Offset a, chain::Offset b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// The item `item` away from the one that is computed, as an operation of C sees it: with dual
/// numbers, what it reads of array X at `seed` seeded. Results that it sets are added up, times the
/// derivative by it.
template <class C, int X, class At>
struct SeededItem {
  using V = typename At::Value;
  using Value = DualOf<V>;
  const At& at;
  chain::Offset item, seed;
  V& sum;

  template <int I, bool P>
  RIDGE_FN Value operator()(Slot<I, P>, int dx = 0, int dy = 0, int dz = 0) const {
    Value v(at(Slot<I>{}, item.x + dx, item.y + dy, item.z + dz));
    if constexpr (I == X) {
      if (dx == seed.x && dy == seed.y && dz == seed.z) {
        v.derivative = V(1);
        v.active = true;
      }
    }
    return v;
  }
  template <int I>
  RIDGE_FN void set(Slot<I, false>, const Value& v) const {
    if (v.active)
      sum = sum + v.derivative * at(Slot<I + chain::arrays_of<C>>{}, item.x, item.y, item.z);
  }
  [[nodiscard]] RIDGE_FN Index x() const { return wrapped<0>(at.x() + item.x, at.extent_x()); }
  [[nodiscard]] RIDGE_FN Index y() const { return wrapped<1>(at.y() + item.y, at.extent_y()); }
  [[nodiscard]] RIDGE_FN Index z() const { return wrapped<2>(at.z() + item.z, at.extent_z()); }
  [[nodiscard]] RIDGE_FN Index extent_x() const { return at.extent_x(); }
  [[nodiscard]] RIDGE_FN Index extent_y() const { return at.extent_y(); }
  [[nodiscard]] RIDGE_FN Index extent_z() const { return at.extent_z(); }
  [[nodiscard]] RIDGE_FN bool before_x(int dx) const { return x() + dx < 0; }

private:
  template <int D>
  static RIDGE_FN Index wrapped(Index i, Index n) {
    if constexpr (chain::dimension_of<C>(D).edge == Edge::periodic) {
      return i < 0 ? i + n : i >= n ? i - n : i;
    } else {
      return i;
    }
  }
};

/// Items from low to high, both included, along each dimension.
struct Items {
  Index low[3], high[3];
};

/// The value of those items, 0 of others.
template <class At>
RIDGE_FN auto value_within(const At& at, const Items& items, const typename At::Value& value) {
  using V = typename At::Value;
  const bool row = at.y() >= items.low[1] && at.y() <= items.high[1] && at.z() >= items.low[2] &&
                   at.z() <= items.high[2];
  V counts(0);
  RIDGE_UNROLL
  for (int lane = 0; lane < lanes_of<V>; ++lane) {
    const Index i = at.x() + lane;
    counts.set(lane, row && i >= items.low[0] && i <= items.high[0] ? 1 : 0);
  }
  return select(counts > V(0.5), value, V(0));
}

} // namespace detail

/// Why a chain has no adjoint; empty where it has.
template <class C>
constexpr const char* why_no_adjoint() {
  if (chain::scans<C>) return "operations of it scan";
  if (chain::outer_of<C>() > 0) return "it has outer dimensions";
  for (const chain::Dimension& d : C::dimensions) {
    if (d.edge == chain::Edge::given) return "its ends are given";
    if (d.points > 0) return "it is of elements";
  }
  for (int a = 0; a < chain::arrays_of<C>; ++a) {
    const chain::Array& array = C::arrays[static_cast<std::size_t>(a)];
    if (array.profile) return "it has a profile";
    if (array.role == chain::Role::update) return "it updates arrays";
    if (array.role == chain::Role::output && chain::read_in<C>(0, chain::operations_of<C> - 1, a))
      return "its operations read an output";
  }
  return "";
}

/// The operation that gathers the derivative by array X.
template <class C, int X>
struct ByArray {
  static constexpr int arrays = chain::arrays_of<C>;
  static constexpr const char* name = C::arrays[static_cast<std::size_t>(X)].name;
  static constexpr chain::Domain domain{{}, C::arrays[static_cast<std::size_t>(X)].extra};

  C forward;

  /// All that readers of X read, and the derivatives by what they write; and that by X.
  struct Table {
    std::array<chain::Access, static_cast<std::size_t>(2 * arrays + 1)> all{};
    int count = 0;
    constexpr void read(int array, chain::Reach r) {
      for (int i = 0; i < count; ++i) {
        chain::Access& a = all[static_cast<std::size_t>(i)];
        if (a.array != array) continue;
        const auto low = [](int p, int q) { return p < q ? p : q; };
        const auto high = [](int p, int q) { return p > q ? p : q; };
        a.reach = {
            {low(a.reach.low.x, r.low.x), low(a.reach.low.y, r.low.y), low(a.reach.low.z, r.low.z)},
            {high(a.reach.high.x, r.high.x), high(a.reach.high.y, r.high.y),
             high(a.reach.high.z, r.high.z)}};
        return;
      }
      all[static_cast<std::size_t>(count++)] = {array, false, false, r};
    }
  };
  static constexpr Table table = [] {
    Table t;
    detail::for_constants<chain::operations_of<C>>([&](auto k) {
      using Op = chain::Operation<C, k.value>;
      if (!chain::reads<Op>(X)) return;
      const chain::Reach from = detail::readers<C, X, k.value>();
      for (int j = 0; j < arrays; ++j) {
        const chain::Reach r = chain::reach_of<Op>(j);
        if (chain::reads<Op>(j))
          t.read(j, {detail::sum_of(from.low, r.low), detail::sum_of(from.high, r.high)});
        if (chain::writes<Op>(j)) t.read(arrays + j, from);
      }
    });
    t.all[static_cast<std::size_t>(t.count++)] = {arrays + X, true, false, {}};
    return t;
  }();
  static constexpr auto accesses = [] {
    std::array<chain::Access, static_cast<std::size_t>(table.count)> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = table.all[i];
    return all;
  }();

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    V sum(0);
    detail::for_constants<chain::operations_of<C>>([&](auto k) {
      if constexpr (detail::reads_array<C, X, k.value>) gather<k.value>(at, sum);
    });
    at.set(chain::Slot<arrays + X>{}, sum);
  }

private:
  template <int K, class At>
  RIDGE_FN void gather(const At& at, typename At::Value& sum) const {
    constexpr chain::Reach r = chain::reach_of<chain::Operation<C, K>>(X);
    constexpr int nx = r.high.x - r.low.x + 1, ny = r.high.y - r.low.y + 1;
    constexpr int nz = r.high.z - r.low.z + 1;
    detail::for_constants<nx * ny * nz>([&](auto n) {
      constexpr chain::Offset seed{r.low.x + n.value % nx, r.low.y + n.value / nx % ny,
                                   r.low.z + n.value / nx / ny};
      along<K, 0, seed.x, seed.y, seed.z>(at, {}, {}, sum);
    });
  }
  /// Readers at `seed` from this item, dimension by dimension; beyond clamped ends nearer ones.
  template <int K, int D, int SX, int SY, int SZ, class At>
  RIDGE_FN void along(const At& at, chain::Offset item, detail::Items items,
                      typename At::Value& sum) const {
    constexpr chain::Offset seed{SX, SY, SZ};
    if constexpr (D == 3) {
      using V = typename At::Value;
      V one(0);
      std::get<static_cast<std::size_t>(K)>(forward.operations)(
          detail::SeededItem<C, X, At>{at, item, seed, one});
      sum = sum + detail::value_within(at, items, one);
    } else {
      constexpr int k = seed.along(D);
      constexpr chain::Edge edge = chain::dimension_of<C>(D).edge;
      const Index n = D == 0 ? at.extent_x() : D == 1 ? at.extent_y() : at.extent_z();
      // Numbers as constants: a GPU's compiler has no address of a host's array.
      constexpr int extra = C::arrays[static_cast<std::size_t>(X)].extra.along(D);
      constexpr chain::Domain domain_of_it = chain::domain_of<chain::Operation<C, K>>();
      constexpr int first_item = domain_of_it.begin.along(D);
      constexpr int beyond_last = domain_of_it.end.along(D);
      const Index last = n + extra - 1;
      const auto readers_at = [&](int away, Index low, Index high) {
        const Index begin = Index{first_item} - away;
        const Index end = n + beyond_last - 1 - away;
        constexpr bool wraps = edge == chain::Edge::periodic;
        items.low[D] = wraps || low > begin ? low : begin;
        items.high[D] = wraps || high < end ? high : end;
        along<K, D + 1, SX, SY, SZ>(at, moved<D>(item, away), items, sum);
      };
      readers_at(-k, 0, last);
      if constexpr (edge == chain::Edge::clamp) {
        constexpr int behind = detail::items_behind<C, X, K>(D);
        for (int away = 1 - k; away <= behind; ++away)
          readers_at(away, last, last);
        for (int away = 0; away < -k; ++away)
          readers_at(away, 0, 0);
      }
    }
  }
  template <int D>
  static RIDGE_FN chain::Offset moved(chain::Offset item, int away) {
    return {item.x + (D == 0 ? away : 0), item.y + (D == 1 ? away : 0),
            item.z + (D == 2 ? away : 0)};
  }
};

namespace detail {

/// Arrays by which derivatives are gathered: temporaries from the last that is written to the
/// first, then inputs that are read.
template <class C>
struct Gathered {
  static constexpr int most = chain::arrays_of<C>;
  std::array<int, static_cast<std::size_t>(most)> all{};
  int count = 0;
};
template <class C>
inline constexpr Gathered<C> gathered = [] {
  Gathered<C> g;
  const auto add = [&](int a) { g.all[static_cast<std::size_t>(g.count++)] = a; };
  constexpr int last = chain::operations_of<C> - 1;
  for (int k = last; k >= 0; --k) {
    for (int a = 0; a < chain::arrays_of<C>; ++a) {
      if (C::arrays[static_cast<std::size_t>(a)].role == Role::temporary &&
          chain::written_in<C>(k, k, a) && chain::read_in<C>(0, last, a))
        add(a);
    }
  }
  for (int a = 0; a < chain::arrays_of<C>; ++a) {
    if (C::arrays[static_cast<std::size_t>(a)].role == Role::input && chain::read_in<C>(0, last, a))
      add(a);
  }
  return g;
}();

template <class C, class Numbers>
struct GatheringOf;
template <class C, std::size_t... N>
struct GatheringOf<C, std::index_sequence<N...>> {
  using type = std::tuple<ByArray<C, gathered<C>.all[N]>...>;
  static type make(const C& chain) { return {ByArray<C, gathered<C>.all[N]>{chain}...}; }
};
template <class C>
using Gathering =
    GatheringOf<C, std::make_index_sequence<static_cast<std::size_t>(gathered<C>.count)>>;

template <class C>
constexpr bool reads_along(int d) {
  bool far = false;
  for_constants<chain::operations_of<C>>([&](auto k) {
    for (int a = 0; a < chain::arrays_of<C>; ++a) {
      const Reach r = chain::reach_of<chain::Operation<C, k.value>>(a);
      far = far || r.low.along(d) != 0 || r.high.along(d) != 0;
    }
  });
  return far;
}

} // namespace detail

/// The adjoint of a chain.
template <class C>
struct Backward {
  static constexpr const char* name = "adjoint";
  static constexpr auto arrays = [] {
    constexpr auto count = static_cast<std::size_t>(chain::arrays_of<C>);
    std::array<chain::Array, 2 * count> all{};
    for (std::size_t i = 0; i < count; ++i) {
      const chain::Array& a = C::arrays[i];
      all[i] = all[count + i] = a;
      all[count + i].role = a.role == chain::Role::output  ? chain::Role::input
                            : a.role == chain::Role::input ? chain::Role::output
                                                           : chain::Role::temporary;
    }
    return all;
  }();
  static constexpr auto dimensions = [] {
    auto all = C::dimensions;
    for (std::size_t d = 0; d < all.size(); ++d) {
      const chain::Edge edge = all[d].edge == chain::Edge::none ? chain::Edge::clamp : all[d].edge;
      all[d] = detail::reads_along<C>(static_cast<int>(d)) ? chain::internal(edge)
                                                           : chain::independent(0, edge);
    }
    return all;
  }();

  decltype(std::tuple_cat(std::declval<chain::Operations<C>>(),
                          std::declval<typename detail::Gathering<C>::type>())) operations;

  Backward() : Backward(C{}) {}
  explicit Backward(const C& chain)
      : operations(std::tuple_cat(chain.operations, detail::Gathering<C>::make(chain))) {}
};

} // namespace ridge::gradient
