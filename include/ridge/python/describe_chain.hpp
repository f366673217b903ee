// Declarations for descriptions of chains that came from Python.
#pragma once

#include <ridge/chain/source.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/on_arrays/chain.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

template <class C>
[[nodiscard]] std::unique_ptr<lab::Case>
describe_chain(Queue& queue, const C& given, const Arguments& arguments, const std::string& file) {
  chain::know_chain_source<C>(file);
  return lab::chain_on_arrays(queue, given, arguments);
}

} // namespace ridge::python
