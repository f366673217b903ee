// From the entries of a header of ridge/lab/kernels/lattice to what the lab knows of its kernels.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/lattice_entry.hpp>
#include <ridge/lattice/kernel.hpp>

#include <type_traits>

namespace ridge::lab {

template <class E>
[[nodiscard]] BenchKernel describe_field_kernel(const char* header) {
  using Single = decltype(E::template make<float>());
  using Double = decltype(E::template make<double>());
  const auto make = []<class T>(T /*number*/) { return E::template make<T>(); };
  BenchKernel made;
  if constexpr (std::is_base_of_v<lattice::Reduction, Double>) {
    know_source(typeid(lattice::ReduceCall<Single, float>), header, {});
    know_source(typeid(lattice::ReduceCall<Double, double>), header, {});
    made = lattice::reduction_kernel(E::name, E::meaning, make, E::slices, E::reproducible);
  } else {
    know_source(typeid(lattice::MapCall<Single, float>), header, {});
    know_source(typeid(lattice::MapCall<Double, double>), header, {});
    made = lattice::map_kernel(E::name, E::meaning, make);
  }
  made.in_lab = E::in_lab;
  return made;
}

template <class... E>
[[nodiscard]] BuiltIn describe(OnFields<E...> /*all*/, const char* header) {
  return {{describe_field_kernel<E>(header)...}, {}};
}

} // namespace ridge::lab
