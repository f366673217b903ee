// Uses of arrays by the operations of a chain, as tables: rules about them are asked of a chain's
// type when kernels are compiled, and of its description when host code plans.
//
// A table U has rank() (dimensions), operations(), arrays(), use(operation, array),
// domain(operation), scan(operation), dimension(number) and array(number), and most_operations and
// most_arrays, which it never exceeds.
#pragma once

#include <ridge/chain/operation.hpp>

#include <array>

namespace ridge::chain {

/// The use that one operation makes of one array.
struct Use {
  bool reads = false, writes = false;
  Reach reach; ///< of all its reads together
};

/// The table of a chain's type.
template <class C>
struct Uses {
  static constexpr int most_operations = operations_of<C>;
  static constexpr int most_arrays = arrays_of<C>;
  static constexpr int rank() { return static_cast<int>(C::dimensions.size()); }
  static constexpr int operations() { return most_operations; }
  static constexpr int arrays() { return most_arrays; }
  static constexpr const Use& use(int k, int array) { return table.of[k][array]; }
  static constexpr const Domain& domain(int k) { return table.domain[k]; }
  static constexpr Scan scan(int k) { return table.scan[k]; }
  static constexpr Dimension dimension(int d) { return dimension_of<C>(d); }
  static constexpr const Array& array(int a) { return C::arrays[static_cast<std::size_t>(a)]; }

private:
  struct Table {
    Use of[most_operations][most_arrays];
    Domain domain[most_operations];
    Scan scan[most_operations];
  };
  static constexpr Table table = []<int... K>(std::integer_sequence<int, K...>) {
    Table all{};
    const auto fill = [&]<int N>(std::integral_constant<int, N>) {
      using Op = Operation<C, N>;
      all.domain[N] = domain_of<Op>();
      all.scan[N] = scan_of<Op>();
      for (const Access& a : Op::accesses) {
        if (a.array >= 0 && a.array < most_arrays)
          all.of[N][a.array] = {reads<Op>(a.array), writes<Op>(a.array), reach_of<Op>(a.array)};
      }
    };
    (fill(std::integral_constant<int, K>{}), ...);
    return all;
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
};

/// Whether items of the last dimension and of the outer ones are computed alike, so that instances
/// may follow each other along it: nothing is read or left out along it.
template <class U>
constexpr bool merges_outer(const U& uses) {
  const int d = uses.rank() - 1;
  const Dimension last = uses.dimension(d);
  if (!last.independent || last.halo != 0 || last.edge != Edge::none || last.points != 0)
    return false;
  for (int a = 0; a < uses.arrays(); ++a) {
    if (uses.array(a).extra.along(d) != 0 || (d == 0 && uses.array(a).profile)) return false;
    for (int k = 0; k < uses.operations(); ++k) {
      const Reach& r = uses.use(k, a).reach;
      if (r.low.along(d) != 0 || r.high.along(d) != 0) return false;
    }
  }
  for (int k = 0; k < uses.operations(); ++k) {
    const Domain& domain = uses.domain(k);
    if (uses.scan(k) != Scan::none || domain.begin.along(d) != 0 || domain.end.along(d) != 0)
      return false;
  }
  return true;
}

/// Operations from `first` to `last`, counted from 0.
struct OperationRange {
  int first = 0, last = 0;
  friend constexpr bool operator==(const OperationRange&, const OperationRange&) = default;
};

/// The groups that a chain lists.
template <class C>
constexpr auto groups_of() {
  if constexpr (requires { C::groups; }) {
    std::array<OperationRange, C::groups.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = {C::groups[i][0], C::groups[i][1]};
    return all;
  } else {
    return std::array<OperationRange, 0>{};
  }
}

/// Whether operation k may follow `first` to k - 1 item by item: it reads of what they wrote, and
/// writes of what they read, the item alone, and none scans the other way.
template <class U>
constexpr bool joins(const U& uses, int first, int k) {
  if (!(uses.domain(first) == uses.domain(k))) return false;
  for (int j = first; j < k; ++j) {
    const bool both = uses.scan(j) != Scan::none && uses.scan(k) != Scan::none;
    if (both && uses.scan(j) != uses.scan(k)) return false;
  }
  for (int a = 0; a < uses.arrays(); ++a) {
    const Use& mine = uses.use(k, a);
    for (int j = first; j < k && (mine.reads || mine.writes); ++j) {
      const Use& before = uses.use(j, a);
      if (mine.reads && before.writes && !(mine.reach == Reach{})) return false;
      if (mine.writes && before.reads && !(before.reach == Reach{})) return false;
    }
  }
  return true;
}

/// The last operation of the longest run from `first` that can be joined: each item passes through
/// all of its operations in registers.
template <class U>
constexpr int joined_to(const U& uses, int first) {
  int last = first;
  while (last + 1 < uses.operations() && joins(uses, first, last + 1))
    ++last;
  return last;
}

/// Calls f(range) for the longest runs from `range.first` on, one behind the other.
template <class U, class F>
constexpr void for_each_run(const U& uses, OperationRange range, F&& f) {
  for (int first = range.first; first <= range.last;) {
    const int end = joined_to(uses, first);
    const int last = end < range.last ? end : range.last;
    f(OperationRange{first, last});
    first = last + 1;
  }
}

} // namespace ridge::chain
