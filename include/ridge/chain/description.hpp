// A chain as plain data: what checks, schedules and plans need to know of it.
#pragma once

#include <ridge/chain/passing.hpp>
#include <ridge/record/work.hpp>

#include <string>
#include <vector>

namespace ridge::chain {

struct OperationInfo {
  std::string name;
  std::vector<Access> accesses;
  Domain domain;
  double flops = 0;

  [[nodiscard]] bool reads(int array) const;
  [[nodiscard]] bool writes(int array) const;
  [[nodiscard]] Reach reach(int array) const;
};

/// A group of which a GPU lane keeps the items it computes.
struct PassedGroup {
  int first = 0, last = 0;
  Passing passing = Passing::memory;
  int overlap = 0;         ///< lanes of each warp, or rows of each block, that compute for others
  bool seam = false;       ///< of lanes of a block; see Flow::has_seam
  int along = 0;           ///< the dimension that values are passed along
  int shared_elements = 0; ///< of each lane of a block
};

/// A chain without its type.
struct Description {
  std::string name;
  int element_bytes = 8;
  std::vector<Array> arrays;
  std::array<Dimension, 3> dimensions;
  std::vector<OperationInfo> operations;
  std::vector<std::array<int, 2>> groups; ///< that GPUs are compiled for, besides single and all
  std::vector<std::array<int, 2>> joined; ///< that executors are compiled to join in registers
  std::vector<PassedGroup> passed;        ///< of the groups that GPUs are compiled for

  [[nodiscard]] bool read_in(int first, int last, int array) const;
  [[nodiscard]] bool written_in(int first, int last, int array) const;
  /// How GPUs pass values between these operations.
  [[nodiscard]] PassedGroup passing_of(int first, int last) const;
  /// A temporary that only these operations use.
  [[nodiscard]] bool local_to(int first, int last, int array) const;
};

/// Throws UsageError that says which declaration is wrong: of arrays that are not there, reads of
/// what nobody has written yet (missing or cyclic), operations that read neighbours of what they
/// write, neighbours across an independent dimension without a halo, or items outside an array.
void check(const Description& description);

/// Least traffic of the whole chain: each array that is no temporary is read once if an operation
/// reads it before one writes it, and written once if one writes it.
[[nodiscard]] Work work_of(const Description& description, Index3 extents);

namespace detail {
template <class C, int K>
OperationInfo info_of() {
  using Op = Operation<C, K>;
  OperationInfo info;
  info.name = Op::name;
  info.accesses.assign(Op::accesses.begin(), Op::accesses.end());
  info.domain = domain_of<Op>();
  info.flops = flops_of<Op>();
  return info;
}
template <class C, int First, int Last>
void add_passed(std::vector<PassedGroup>& all) {
  using F = Flow<C, First, Last>;
  if constexpr (First < Last && F::passing != Passing::memory) {
    PassedGroup group{First, Last, F::passing};
    group.along = F::along;
    if constexpr (F::passing == Passing::lanes) group.overlap = F::overlap(0);
    if constexpr (F::passing == Passing::block) {
      group.overlap = F::overlap(F::along);
      group.seam = F::has_seam(F::along);
      group.shared_elements = F::shared_places.count;
    }
    all.push_back(group);
  }
}
/// Of all operations, and of the groups that the chain lists.
template <class C>
std::vector<PassedGroup> passed_groups() {
  std::vector<PassedGroup> all;
  add_passed<C, 0, operations_of<C> - 1>(all);
  if constexpr (requires { C::groups; }) {
    [&]<std::size_t... G>(std::index_sequence<G...>) {
      (add_passed<C, C::groups[G][0], C::groups[G][1]>(all), ...);
    }
    (std::make_index_sequence<C::groups.size()>{});
  }
  return all;
}
/// Calls f(first, last) with integral constants for every run compiled as joined.
template <class C, class F>
void for_each_joined(F&& f) {
  constexpr int n = operations_of<C>;
  [&]<int... FL>(std::integer_sequence<int, FL...>) {
    const auto one = [&]<int First, int Last>() {
      if constexpr (First < Last) {
        if constexpr (compiled_joined<C, First, Last>())
          f(std::integral_constant<int, First>{}, std::integral_constant<int, Last>{});
      }
    };
    (one.template operator()<FL / n, FL % n>(), ...);
  }
  (std::make_integer_sequence<int, n * n>{});
}
} // namespace detail

/// The chain's declarations, checked. Throws what `check` throws.
template <class C, class T>
[[nodiscard]] Description describe() {
  Description d;
  d.name = C::name;
  d.element_bytes = static_cast<int>(sizeof(T));
  d.arrays.assign(C::arrays.begin(), C::arrays.end());
  for (int i = 0; i < 3; ++i)
    d.dimensions[static_cast<std::size_t>(i)] = dimension_of<C>(i);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (d.operations.push_back(detail::info_of<C, static_cast<int>(K)>()), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(operations_of<C>)>{});
  if constexpr (requires { C::groups; }) d.groups.assign(C::groups.begin(), C::groups.end());
  detail::for_each_joined<C>([&](auto first, auto last) { d.joined.push_back({first, last}); });
  check(d);
  d.passed = detail::passed_groups<C>();
  return d;
}

} // namespace ridge::chain
