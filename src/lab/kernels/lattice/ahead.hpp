// The executors that a header of ridge/lab/kernels/lattice wants compiled ahead. Seen by the
// compilers of all device kinds.
#pragma once

#include <ridge/lab/kernels/lattice_entry.hpp>
#include <ridge/lattice/executor.hpp>

#include <type_traits>
#include <vector>

namespace ridge::lab {

template <class E, class T>
const Offer* offer_of_field() {
  using F = decltype(E::template make<T>());
  if constexpr (!E::ahead) {
    return nullptr;
  } else if constexpr (std::is_base_of_v<lattice::Reduction, F>) {
    return &lattice::Reducer<F, T, Here>::offered;
  } else {
    return &lattice::Mapper<F, T, Here>::offered;
  }
}

/// Instantiated explicitly, it makes the executors of all entries, which offer themselves.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(OnFields<E...> /*entries*/) {
  return {{offer_of_field<E, float>(), offer_of_field<E, double>()}...};
}

} // namespace ridge::lab
