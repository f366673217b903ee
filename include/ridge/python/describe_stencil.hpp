// Declarations for descriptions of stencils that came from Python.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

template <class K, class T>
[[nodiscard]] std::unique_ptr<lab::Case> stencil_case(Queue& queue, const K& kernel,
                                                      const Arguments& arguments) {
  constexpr auto inputs = static_cast<std::size_t>(stencil::inputs_of<K>);
  if (arguments.arrays.size() != inputs + 1) {
    throw UsageError(arguments.kernel + " takes " + std::to_string(inputs) +
                     " arrays and one to write to, not " + std::to_string(arguments.arrays.size()) +
                     " in all");
  }
  return lab::stencil_on_arrays<T>(queue, stencil::checked<T>(kernel), arguments);
}

/// K on the arrays of a call. `file` is where its source is.
template <class K>
[[nodiscard]] std::unique_ptr<lab::Case> describe_stencil(Queue& queue, const K& kernel,
                                                          const Arguments& arguments,
                                                          const std::string& file) {
  know_source(typeid(stencil::Call<K, float>), file, "");
  know_source(typeid(stencil::Call<K, double>), file, "");
  return arguments.arrays.front().element_bytes == 4
             ? stencil_case<K, float>(queue, kernel, arguments)
             : stencil_case<K, double>(queue, kernel, arguments);
}

} // namespace ridge::python
