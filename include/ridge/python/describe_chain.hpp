// What descriptions of chains that came from Python are compiled from.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/chain_on_views.hpp>
#include <ridge/python/arguments.hpp>

#include <utility>

namespace ridge::python {

/// `arrays` are the chain's inputs, in its order, and its output.
template <class C, class T>
[[nodiscard]] std::unique_ptr<lab::Case> chain_case(Queue& queue, const C& given,
                                                    const Arguments& arguments) {
  const View<T> out = view_of<T>(arguments.arrays.back());
  chain::Request<C, T> request{given, out.extents, {}};
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
  return std::make_unique<lab::ChainOnViews<C, T>>(arguments.kernel, queue, request);
}

template <class C>
[[nodiscard]] std::unique_ptr<lab::Case>
describe_chain(Queue& queue, const C& given, const Arguments& arguments, const std::string& file) {
  know_source(typeid(chain::Call<C, float>), file, "");
  know_source(typeid(chain::Call<C, double>), file, "");
  return arguments.arrays.front().element_bytes == 4
             ? chain_case<C, float>(queue, given, arguments)
             : chain_case<C, double>(queue, given, arguments);
}

} // namespace ridge::python
