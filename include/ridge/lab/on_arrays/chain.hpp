// Chains on arrays that came from another language.
#pragma once

#include <ridge/lab/arrays.hpp>
#include <ridge/lab/chain_on_views.hpp>

#include <utility>

namespace ridge::lab {

/// How many dimensions operations of C read along, or leave ends of.
template <class C>
[[nodiscard]] constexpr int axes_of_chain() {
  Index y = 0;
  Index z = 0;
  const auto add = [&]<class Op>(const Op*) {
    for (const chain::Access& a : Op::accesses) {
      y |= a.reach.low.y | a.reach.high.y;
      z |= a.reach.low.z | a.reach.high.z;
    }
    constexpr chain::Domain d = chain::domain_of<Op>();
    y |= d.begin.y | d.end.y;
    z |= d.begin.z | d.end.z;
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (add(static_cast<const chain::Operation<C, K>*>(nullptr)), ...);
  }
  (std::make_integer_sequence<int, chain::operations_of<C>>{});
  return axes_of(y, z);
}

/// `arrays` are the chain's inputs, in its order, and its output.
template <class C, class T>
[[nodiscard]] std::unique_ptr<Case> chain_on(Queue& queue, const C& given,
                                             const Arguments& arguments) {
  std::size_t count = 0;
  for (const chain::Array& a : C::arrays)
    count += a.role != chain::Role::temporary;
  check_count(arguments, count);
  check_folded(arguments, axes_of_chain<C>());
  constexpr chain::Array last = C::arrays.back();
  Index3 n = view_of<T>(arguments.arrays.back()).extents;
  n = {n.x - last.extra.x, n.y - last.extra.y, n.z - last.extra.z};
  chain::Request<C, T> request{given, n, {}};
  constexpr chain::Domain d = chain::domain_of<chain::Operation<C, chain::operations_of<C> - 1>>();
  check_least(arguments,
              {1 + Index{d.begin.x} - d.end.x, 1 + Index{d.begin.y} - d.end.y,
               1 + Index{d.begin.z} - d.end.z},
              "chain");
  std::size_t next = 0;
  const auto give = [&]<int A>(std::integral_constant<int, A>) {
    if constexpr (C::arrays[A].role != chain::Role::temporary)
      request.views.set(chain::Slot<A>{}, view_of<T>(arguments.arrays[next++]));
  };
  [&]<int... A>(std::integer_sequence<int, A...>) {
    (give(std::integral_constant<int, A>{}), ...);
  }
  (std::make_integer_sequence<int, chain::arrays_of<C>>{});
  return std::make_unique<ChainOnViews<C, T>>(arguments.kernel, queue, request);
}

/// What is asked of C's arrays; `make` is the caller's.
template <class C>
[[nodiscard]] OnArrays arrays_of_chain() {
  OnArrays made;
  made.inputs = 0;
  made.one_shape = false; // the pattern knows which have profiles and staggered points
  for (const chain::Array& a : C::arrays) {
    if (a.role != chain::Role::temporary) made.names.emplace_back(a.name);
    made.inputs += a.role == chain::Role::input;
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

} // namespace ridge::lab
