// Chains on arrays that came from another language.
#pragma once

#include <ridge/chain/case.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/core/error.hpp>
#include <ridge/pattern/arrays.hpp>

#include <utility>

namespace ridge::chain {

/// How many dimensions operations of C read along, or leave ends of.
template <class C>
[[nodiscard]] constexpr int axes_of_chain() {
  Index y = 0;
  Index z = 0;
  const auto add = [&]<class Op>(const Op*) {
    for (const Access& a : Op::accesses) {
      y |= a.reach.low.y | a.reach.high.y;
      z |= a.reach.low.z | a.reach.high.z;
    }
    constexpr Domain d = domain_of<Op>();
    y |= d.begin.y | d.end.y;
    z |= d.begin.z | d.end.z;
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (add(static_cast<const Operation<C, K>*>(nullptr)), ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
  return axes_of(y, z);
}

template <class C>
inline constexpr bool has_instances = outer_of<C>() > 0;
/// How many instances an array of C has: items along the dimensions beyond those that operations
/// know.
template <class C>
[[nodiscard]] Index instances_of(const GivenArray& a) {
  Index count = 1;
  for (int d = static_cast<int>(C::dimensions.size()); has_instances<C> && d < a.rank; ++d)
    count *= a.extents[static_cast<std::size_t>(d)];
  return count;
}
/// The first of these. Throws UsageError where the others do not follow without gaps.
template <class C, class T>
[[nodiscard]] View<T> instance_view(const Arguments& arguments, const GivenArray& a) {
  constexpr auto inner = static_cast<int>(C::dimensions.size());
  if (!has_instances<C> || a.rank <= inner) return view_of<T>(a);
  for (int d = inner; d < a.rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (a.strides[at] == a.strides[at - 1] * a.extents[at - 1]) continue;
    throw UsageError(arguments.kernel + ": arrays of " + std::to_string(a.rank) +
                     " dimensions with gaps beyond number " + std::to_string(inner) +
                     "; those must follow each other");
  }
  GivenArray one = a;
  one.rank = inner;
  return view_of<T>(one);
}

/// `arrays` are the chain's inputs, in its order, and its output.
template <class C, class T>
[[nodiscard]] std::unique_ptr<Case> chain_on(Queue& queue, const C& given,
                                             const Arguments& arguments) {
  std::size_t count = 0;
  for (const auto& a : C::arrays)
    count += a.role != Role::temporary;
  check_count(arguments, count);
  if constexpr (!has_instances<C>) check_folded(arguments, axes_of_chain<C>());
  constexpr auto last = C::arrays.back();
  Request<C, T> request{given, {}, {}};
  auto& n = request.extents;
  n = instance_view<C, T>(arguments, arguments.arrays.back()).extents;
  n = {n.x - last.extra.x, n.y - last.extra.y, n.z - last.extra.z,
       instances_of<C>(arguments.arrays.back())};
  constexpr Domain d = domain_of<Operation<C, operations_of<C> - 1>>();
  check_least(arguments,
              {1 + Index{d.begin.x} - d.end.x, 1 + Index{d.begin.y} - d.end.y,
               1 + Index{d.begin.z} - d.end.z},
              "chain");
  std::size_t next = 0;
  const auto give = [&]<int A>(std::integral_constant<int, A>) {
    if constexpr (C::arrays[A].role != Role::temporary) {
      const GivenArray& array = arguments.arrays[next++];
      request.views.set(Slot<A>{}, instance_view<C, T>(arguments, array), instances_of<C>(array));
    }
  };
  [&]<int... A>(std::integer_sequence<int, A...>) {
    (give(std::integral_constant<int, A>{}), ...);
  }
  (std::make_integer_sequence<int, arrays_of<C>>{});
  return case_of(arguments.kernel, queue, request);
}

/// The request for C's arrays; `make` is the caller's.
template <class C>
[[nodiscard]] OnArrays arrays_of_chain() {
  OnArrays made;
  made.inputs = 0;
  made.one_shape = false; // the pattern knows which have profiles and staggered points
  for (const Array& a : C::arrays) {
    if (a.role != Role::temporary) made.names.emplace_back(a.name);
    made.inputs += a.role == Role::input;
  }
  return made;
}

/// C on the arrays of a call, in their precision.
template <class C>
[[nodiscard]] std::unique_ptr<Case> chain_on_arrays(Queue& queue, const C& given,
                                                    const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4 ? chain_on<C, float>(queue, given, arguments)
                                                    : chain_on<C, double>(queue, given, arguments);
}

/// C, whose source is `file`, on arrays of T.
template <class T, class C>
[[nodiscard]] std::unique_ptr<Case> described_on_arrays(Queue& queue, RoofSource& /*roof*/,
                                                        const C& given, const Arguments& arguments,
                                                        const std::string& file) {
  know_chain_source<C>(file);
  return chain_on<C, T>(queue, given, arguments);
}

} // namespace ridge::chain
