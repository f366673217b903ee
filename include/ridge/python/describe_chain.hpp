// What descriptions of chains that came from Python are compiled from.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/on_arrays/chain.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

template <class C, class T>
[[nodiscard]] std::unique_ptr<lab::Case> chain_case(Queue& queue, const C& given,
                                                    const Arguments& arguments) {
  return lab::chain_on<C, T>(queue, given, arguments);
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
