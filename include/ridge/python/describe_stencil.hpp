// Declarations for descriptions of stencils that came from Python.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

/// K on the arrays of a call. `file` is where its source is.
template <class K>
[[nodiscard]] std::unique_ptr<lab::Case> describe_stencil(Queue& queue, const K& kernel,
                                                          const Arguments& arguments,
                                                          const std::string& file) {
  constexpr auto inputs = static_cast<std::size_t>(stencil::inputs_of<K>);
  lab::know_stencil_source<K>(file);
  if (arguments.arrays.size() != inputs + 1) {
    throw UsageError(arguments.kernel + " takes " + std::to_string(inputs) +
                     " arrays and one to write to, not " + std::to_string(arguments.arrays.size()) +
                     " in all");
  }
  return lab::stencil_on_arrays(queue, lab::stencil_kernel(kernel), arguments);
}

} // namespace ridge::python
