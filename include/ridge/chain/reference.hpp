// The reference of chains: one operation after the other over the whole range, in double.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/description.hpp>
#include <ridge/core/pack_bounded.hpp>

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace ridge::chain {

inline namespace RIDGE_TARGET_NAME {

/// Whole arrays of doubles, or of doubles with bounds.
template <class C, class E>
struct ReferenceMemory {
  using Value = std::conditional_t<is_pack<E>, E, Pack<double, 1, abi::Array>>;
  Index3 n;
  std::array<std::vector<E>, arrays_of<C>>& arrays;
  std::array<Index3, arrays_of<C>> sizes;
  InstanceOf<C> where = {}; ///< in all of `arrays`

  [[nodiscard]] const Index3& extents() const { return n; }
  [[nodiscard]] const InstanceOf<C>& instance() const { return where; }
  template <int I>
  [[nodiscard]] std::size_t at(Index x, Index y, Index z) const {
    constexpr Index beyond[3] = {beyond_of<C>(I, 0), beyond_of<C>(I, 1), beyond_of<C>(I, 2)};
    const Index row = sizes[I].x + 2 * beyond[0];
    Index first = 0;
    if constexpr (outer_of<C>() > 0) first = where.number * sizes[I].x * sizes[I].y * sizes[I].z;
    return static_cast<std::size_t>(
        first + x + beyond[0] +
        row * (y + beyond[1] + (sizes[I].y + 2 * beyond[1]) * (z + beyond[2])));
  }
  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] V load(Index x, Index y, Index z, Offset o) const {
    Window<double> whole;
    whole.points = sizes[I];
    const Index3 p = resolve<C, double, Profile, true>(whole, x, y, z, o);
    return V(arrays[I].at(at<I>(p.x, p.y, p.z)));
  }
  template <int I, class V>
  void store(Index x, Index y, Index z, const V& value) const {
    if constexpr (is_pack<E>) {
      arrays[I].at(at<I>(x, y, z)) = value;
    } else {
      arrays[I].at(at<I>(x, y, z)) = value[0];
    }
  }
};

/// The reference's memory of an operation that scans, at one column.
template <class M, int Values>
struct ColumnReference : M {
  using Value = typename M::Value;
  Value (&carry)[Values];
  template <class V, int N>
  [[nodiscard]] V load_carry(Index /*x*/, Index /*y*/) const {
    return carry[N];
  }
  template <int N, class V>
  void store_carry(Index /*x*/, Index /*y*/, const V& value) const {
    carry[N] = value;
  }
};

/// Item after item of a column: along y of chains of two dimensions, along z of others.
template <int K, class C, class Memory>
void run_reference_column(const C& chain, const Memory& memory, Index x, Index y) {
  using Op = Operation<C, K>;
  constexpr Domain d = domain_of<Op>();
  constexpr int values = carried_by<Op>();
  constexpr bool along_y = column_dimension<C> == 1;
  typename Memory::Value carry[values];
  for (int n = 0; n < values; ++n) {
    const double begin = Op::carried[static_cast<std::size_t>(n)];
    if constexpr (std::is_constructible_v<typename Memory::Value, double, double>) {
      carry[n] = typename Memory::Value(begin, 0.0); // infinity has no bound else
    } else {
      carry[n] = begin;
    }
  }
  const ColumnReference<Memory, values> column{memory, carry};
  const Index begin = d.begin.along(column_dimension<C>);
  const Index end = (along_y ? memory.n.y : memory.n.z) + d.end.along(column_dimension<C>);
  for (Index i = begin; i < end; ++i) {
    const Index level = scan_of<Op>() == Scan::down ? end - 1 - (i - begin) : i;
    run_item<typename Memory::Value, K, K, true>(chain, column, x, along_y ? level : y,
                                                 along_y ? Index{0} : level);
  }
}

template <int K, class C, class Memory, class Planes>
void run_reference(const C& chain, const Memory& memory, const Planes& planes) {
  constexpr Domain d = domain_of<Operation<C, K>>();
  if constexpr (scan_of<Operation<C, K>>() != Scan::none) {
    if constexpr (column_dimension<C> == 1) {
      planes(d.begin.x, memory.n.x + d.end.x,
             [&](Index x) { run_reference_column<K>(chain, memory, x, 0); });
    } else {
      planes(d.begin.y, memory.n.y + d.end.y, [&](Index y) {
        for (Index x = d.begin.x; x < memory.n.x + d.end.x; ++x)
          run_reference_column<K>(chain, memory, x, y);
      });
    }
  } else {
    planes(d.begin.z, memory.n.z + d.end.z, [&](Index z) {
      for (Index y = d.begin.y; y < memory.n.y + d.end.y; ++y) {
        for (Index x = d.begin.x; x < memory.n.x + d.end.x; ++x)
          run_item<typename Memory::Value, K, K, true>(chain, memory, x, y, z);
      }
    });
  }
}

/// One plane after the other; all arrays are kept.
struct PlanesInTurn {
  static constexpr bool keeps_all = true;
  template <class F>
  void operator()(Index begin, Index end, const F& plane) const {
    for (Index z = begin; z < end; ++z)
      plane(z);
  }
};

/// Whether operations K and later ones use array I.
template <class C, int K, int I>
constexpr bool used_from() {
  if constexpr (K >= operations_of<C>) {
    return false;
  } else {
    using Op = Operation<C, K>;
    return reads<Op>(I) || writes<Op>(I) || used_from<C, K + 1, I>();
  }
}

/// Whether what array I holds at the end is of no interest.
template <class C, int I>
constexpr bool is_own() {
  return C::arrays[I].role == Role::input || C::arrays[I].role == Role::temporary;
}

/// Operation K, with memory for what it writes; inputs and temporaries that nobody uses behind it
/// are freed where `planes` does not keep them.
template <int K, class C, class E, class Planes, int... I>
void run_operation(const C& chain, ReferenceMemory<C, E>& memory, Index instances,
                   const Planes& planes, std::integer_sequence<int, I...>) {
  const auto make = [&](int i) {
    const Index3 s = memory.sizes[static_cast<std::size_t>(i)];
    auto& array = memory.arrays[static_cast<std::size_t>(i)];
    const auto held = [&](Index points, int d) { return points + 2 * beyond_of<C>(i, d); };
    if (array.empty())
      array.assign(static_cast<std::size_t>(held(s.x, 0) * held(s.y, 1) * held(s.z, 2) * instances),
                   E(std::numeric_limits<double>::quiet_NaN()));
  };
  using Op = Operation<C, K>;
  ((reads<Op>(I) || writes<Op>(I) ? make(I) : void()), ...);
  for (Index i = 0; i < instances; ++i) {
    if constexpr (outer_of<C>() > 0) memory.where.number = i;
    run_reference<K>(chain, memory, planes);
  }
  if constexpr (!Planes::keeps_all) {
    ((!used_from<C, K + 1, I>() && is_own<C, I>() ? std::vector<E>().swap(memory.arrays[I])
                                                  : void()),
     ...);
  }
}

/// Which items of an array its chain writes: those of its last operation that writes it.
template <class C, class T>
[[nodiscard]] Domain domain_of_written(int array) {
  Domain domain;
  for (const OperationInfo& op : describe<C, T>().operations) {
    if (op.writes(array)) domain = op.domain;
  }
  return domain;
}

/// Runs the chain over packed `arrays`, one an array of the chain, with the points beyond given
/// ends: those of inputs and updates are given, all others are made and filled with NaN where they
/// are empty. `planes(begin, end, f)` calls f with each plane of an operation, in any order. E is
/// double, or BoundedPack<T> for what a chain in precision T may be off.
template <class C, class E, class Planes = PlanesInTurn>
void apply_reference(const C& chain, const Range& n,
                     std::array<std::vector<E>, arrays_of<C>>& arrays, const Planes& planes = {}) {
  ReferenceMemory<C, E> memory{n, arrays, {}};
  if constexpr (outer_of<C>() > 0) {
    for (int k = 0; k < most_outer; ++k)
      memory.where.outer[k] = n.outer[k];
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = C::arrays[i];
    memory.sizes[i] = {a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
  }
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (run_operation<K>(chain, memory, n.instances(), planes,
                      std::make_integer_sequence<int, arrays_of<C>>{}),
     ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::chain
