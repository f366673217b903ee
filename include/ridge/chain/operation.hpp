// Chains: operations one after the other over the same range of items.
//
//   inline constexpr ridge::chain::Slot<0> u;
//   inline constexpr ridge::chain::Slot<1> flux;
//   inline constexpr ridge::chain::Slot<2> v;
//
//   struct Flux {
//     static constexpr const char* name = "flux";
//     static constexpr std::array accesses{read(u, along_x(-1, 0)), write(flux)};
//     static constexpr Domain domain{{}, {1, 0, 0}};      // one more interface than cells
//     double rate;
//     template <class At>
//     RIDGE_FN void operator()(const At& at) const {
//       at.set(flux, rate * (at(u) - at(u, -1)));
//     }
//   };
//
//   struct Heat {
//     static constexpr const char* name = "heat";
//     static constexpr std::array arrays{input("u"), temporary("flux", {1, 0, 0}), output("v")};
//     static constexpr std::array dimensions{independent(1, Edge::clamp), independent()};
//     std::tuple<Flux, Update> operations;
//   };
//
// An operation is generic over the value type At::Value: a pack of the machine's width on the cpu,
// a pack of one on a GPU lane. `at(slot, dx, dy, dz)` reads, `at.set(slot, value)` writes the item;
// conditions are select(mask, a, b). at.x(), at.y(), at.z() are the indices of the item (of the
// first lane), at.before_x(dx) says whether the neighbour lies before the first. Each item of an
// operation is computed on its own: an operation never reads what it writes. Results of reads
// beyond the declared reach are errors on the emulated GPU and in debug builds; of undeclared
// arrays, at compile time. `static constexpr double flops` (operations an item) is optional, and
// `static constexpr Branch branch{120, 0.1}` of what `branch(mask, [&] { ... }, otherwise)`
// computes: 120 operations more where an item takes it, as one in ten does.
//
// An operation that scans takes the items of a column one after the other, and hands values on from
// item to item (ridge/chain/columns.hpp has sums, extremes and tridiagonal systems):
//
//   struct Mass {
//     static constexpr const char* name = "mass";
//     static constexpr std::array accesses{read(density), write(mass)};
//     static constexpr Scan scan = Scan::down;      // along the chain's last dimension
//     static constexpr std::array carried{0.0};     // what the first item finds
//     template <class At>
//     RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[1]) const {
//       carry[0] += at(density);
//       at.set(mass, carry[0]);
//     }
//   };
//
// An operation whose items compute the same as the ones before them along the last dimension, such
// as the flux through the face between two, may say so. Lanes that march then compute it once:
//
//     template <class V>
//     using Handed = Flux<V>;
//     template <class At>
//     RIDGE_FN auto before(const At& at) const;     // Handed: what the item before hands on
//     template <class At>
//     RIDGE_FN void operator()(const At& at, Handed<typename At::Value>& handed) const;
//                                                   // finds that, leaves what the next one takes
//     template <class At>
//     RIDGE_FN void operator()(const At& at) const; // the two, one behind the other
//
// `static constexpr int outer = 1` (or 2, 3) says that the range has so many dimensions around
// those of `dimensions`: elements around their points and levels, models around their cells.
// Operations are repeated for each of their items and read nothing across them. `Batch<Heat>` is a
// chain with one outer dimension more.
//
// `static constexpr std::array<std::array<int, 2>, M> groups` lists ranges of operations, first and
// last from 0, that GPUs run in one launch each by default.
#pragma once

#include <ridge/chain/access.hpp>
#include <ridge/chain/range.hpp>
#include <ridge/core/functions.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ridge::chain {

template <class C>
using Operations = std::remove_cvref_t<decltype(C::operations)>;
/// Number of operations.
template <class C>
inline constexpr int operations_of = static_cast<int>(std::tuple_size_v<Operations<C>>);
template <class C, int K>
using Operation = std::tuple_element_t<static_cast<std::size_t>(K), Operations<C>>;
/// Number of arrays.
template <class C>
inline constexpr int arrays_of = static_cast<int>(C::arrays.size());

template <class Op>
constexpr Domain domain_of() {
  if constexpr (requires { Op::domain; }) {
    return Op::domain;
  } else {
    return {};
  }
}
template <class Op>
constexpr double flops_of() {
  if constexpr (requires { Op::flops; }) {
    return Op::flops;
  } else {
    return 0;
  }
}
template <class Op>
constexpr Branch branch_of() {
  if constexpr (requires { Op::branch; }) {
    return Op::branch;
  } else {
    return {};
  }
}
template <class Op>
constexpr Scan scan_of() {
  if constexpr (requires { Op::scan; }) {
    return Op::scan;
  } else {
    return Scan::none;
  }
}
/// True of operations without a scan whose items hand on what the next ones compute, too.
template <class Op, class V>
inline constexpr bool hands_on = requires {
  typename Op::template Handed<V>;
};
/// The number of values that an operation with a scan hands on from item to item.
template <class Op>
constexpr int carried_by() {
  if constexpr (scan_of<Op>() != Scan::none) {
    return static_cast<int>(Op::carried.size());
  } else {
    return 0;
  }
}
/// How many dimensions the range of C has around those that its operations read along.
template <class C>
constexpr int outer_of() {
  if constexpr (requires { C::outer; }) {
    static_assert(C::outer >= 0 && C::outer <= most_outer,
                  "a chain has up to three outer dimensions");
    return C::outer;
  } else {
    return 0;
  }
}
/// Many of a chain at once: with one outer dimension more.
template <class C>
struct Batch : C {
  static constexpr int outer = outer_of<C>() + 1;
};
/// An item's place along the outer dimensions, as executors keep it.
template <class C>
using InstanceOf = std::conditional_t<(outer_of<C>() > 0), Instance, OneInstance>;

template <class C>
constexpr Dimension dimension_of(int d) {
  return d < static_cast<int>(C::dimensions.size()) ? C::dimensions[static_cast<std::size_t>(d)]
                                                    : Dimension{};
}

/// Whether somebody else sets what lies beyond the ends of all of C's dimensions.
template <class C>
[[nodiscard]] constexpr bool has_given_ends() {
  for (const Dimension& d : C::dimensions) {
    if (d.edge != Edge::given) return false;
  }
  return true;
}

/// Points that array `array` of C holds beyond each end of a dimension.
template <class C>
constexpr int beyond_of(int array, int d) {
  if (d == 0 && C::arrays[static_cast<std::size_t>(array)].profile) return 0;
  return dimension_of<C>(d).edge == Edge::given ? dimension_of<C>(d).beyond : 0;
}

template <class Op>
constexpr bool reads(int array) {
  for (const Access& a : Op::accesses) {
    if (a.array == array && !a.writes) return true;
  }
  return false;
}
template <class Op>
constexpr bool writes(int array) {
  for (const Access& a : Op::accesses) {
    if (a.array == array && a.writes) return true;
  }
  return false;
}
/// All reads of an array together.
template <class Op>
constexpr Reach reach_of(int array) {
  Reach r;
  bool first = true;
  const auto low = [](int a, int b) { return a < b ? a : b; };
  const auto high = [](int a, int b) { return a > b ? a : b; };
  for (const Access& a : Op::accesses) {
    if (a.array != array || a.writes) continue;
    const Reach& b = a.reach;
    r = first
            ? b
            : Reach{{low(r.low.x, b.low.x), low(r.low.y, b.low.y), low(r.low.z, b.low.z)},
                    {high(r.high.x, b.high.x), high(r.high.y, b.high.y), high(r.high.z, b.high.z)}};
    first = false;
  }
  return r;
}

namespace detail {

template <class C, std::size_t... K>
constexpr bool written_in(int first, int last, int array, std::index_sequence<K...>) {
  return ((static_cast<int>(K) >= first && static_cast<int>(K) <= last &&
           writes<Operation<C, static_cast<int>(K)>>(array)) ||
          ...);
}
template <class C, std::size_t... K>
constexpr bool read_in(int first, int last, int array, std::index_sequence<K...>) {
  return ((static_cast<int>(K) >= first && static_cast<int>(K) <= last &&
           reads<Operation<C, static_cast<int>(K)>>(array)) ||
          ...);
}
template <class C>
using Numbers = std::make_index_sequence<static_cast<std::size_t>(operations_of<C>)>;

template <class C, std::size_t... K>
constexpr int carried_in(int first, int last, std::index_sequence<K...>) {
  return ((static_cast<int>(K) >= first && static_cast<int>(K) <= last
               ? carried_by<Operation<C, static_cast<int>(K)>>()
               : 0) +
          ...);
}
template <class C, std::size_t... K>
constexpr Scan scan_in(int first, int last, std::index_sequence<K...>) {
  Scan found = Scan::none;
  const auto look = [&](int k, Scan scan) {
    if (k >= first && k <= last && scan != Scan::none) found = scan;
  };
  (look(static_cast<int>(K), scan_of<Operation<C, static_cast<int>(K)>>()), ...);
  return found;
}

} // namespace detail

/// How many values the operations `first` to `last` hand on from item to item together.
template <class C>
constexpr int carried_in(int first, int last) {
  return detail::carried_in<C>(first, last, detail::Numbers<C>{});
}
/// The order that the operations of a run need; Scan::none where none of them scans.
template <class C>
constexpr Scan scan_in(int first, int last) {
  return detail::scan_in<C>(first, last, detail::Numbers<C>{});
}
template <class C>
inline constexpr bool scans = scan_in<C>(0, operations_of<C> - 1) != Scan::none;
/// Whether the first dimensions are the points of elements.
template <class C>
inline constexpr bool has_elements = dimension_of<C>(0).points > 0;
/// The dimension that columns lie along.
template <class C>
inline constexpr int column_dimension = static_cast<int>(C::dimensions.size()) - 1;

/// Whether any of the operations `first` to `last` writes the array.
template <class C>
constexpr bool written_in(int first, int last, int array) {
  return detail::written_in<C>(first, last, array, detail::Numbers<C>{});
}
template <class C>
constexpr bool read_in(int first, int last, int array) {
  return detail::read_in<C>(first, last, array, detail::Numbers<C>{});
}

/// Whether what operations `first` to `last` write to an array is needed after them: it belongs to
/// the user, or others read it.
template <class C>
constexpr bool outlives(int first, int last, int array) {
  if (C::arrays[static_cast<std::size_t>(array)].role != Role::temporary) return true;
  return read_in<C>(0, first - 1, array) || read_in<C>(last + 1, operations_of<C> - 1, array);
}
/// Whether an array is a temporary that only operations `first` to `last` use.
template <class C>
constexpr bool local_to(int first, int last, int array) {
  return C::arrays[static_cast<std::size_t>(array)].role == Role::temporary &&
         !read_in<C>(0, first - 1, array) && !read_in<C>(last + 1, operations_of<C> - 1, array) &&
         !written_in<C>(0, first - 1, array) &&
         !written_in<C>(last + 1, operations_of<C> - 1, array);
}

} // namespace ridge::chain
