// Declarations for descriptions of interactions that came from Python.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/on_arrays/pairs.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

template <class I>
[[nodiscard]] std::unique_ptr<lab::Case>
describe_pairs(Queue& queue, lab::RoofSource& roof, const I& interaction,
               const Arguments& arguments, const std::string& file) {
  know_source(typeid(pairs::Call<I, pairs::Fp32>), file, "");
  know_source(typeid(pairs::Call<I, pairs::Fp64>), file, "");
  return lab::pairs_on_arrays(queue, roof, interaction, arguments);
}

} // namespace ridge::python
