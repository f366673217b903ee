// Declarations for descriptions of interactions within a cutoff that came from Python.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/on_arrays/near.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

template <class I>
[[nodiscard]] std::unique_ptr<lab::Case> describe_near(Queue& queue, const I& interaction,
                                                       const Arguments& arguments,
                                                       const std::string& file) {
  using namespace pairs;
  const auto of = [&]<class P>(P /*precision*/) {
    know_source(typeid(Call<I, P>), file, "");
    return lab::near_on<I, P>(queue, interaction, arguments);
  };
  return arguments.arrays.front().element_bytes == 4 ? of(Fp32{}) : of(Fp64{});
}

} // namespace ridge::python
