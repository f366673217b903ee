// Ranks send each other this of the fields that operators on stored fields read at neighbours.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/exchange.hpp>

#include <type_traits>

namespace ridge::gauge {

namespace detail {

/// Which numbers make the upper half of (1 - s gamma_mu) psi.
template <int Mu>
[[nodiscard]] lattice::StoredSums sums_of_projection(double s) {
  constexpr int half = 2 * (spins / 2) * colours;
  static_assert(half == lattice::StoredSums::most);
  lattice::StoredSums sums;
  sums.count = half;
  for (int number = half; number < 2 * half; ++number) {
    Spinor<double> one = zero_spinor<double>();
    auto& z = component(one, number / 2);
    (number % 2 == 0 ? z.re : z.im) = 1;
    const HalfSpinor<double> h = projected<Mu>(one, s);
    for (int e = 0; e < half; ++e) {
      const double sign = e % 2 == 0 ? component(h, e / 2).re : component(h, e / 2).im;
      if (sign != 0) sums.other[e] = static_cast<signed char>(sign * (number + 1));
    }
  }
  return sums;
}

template <int Mu>
void add_projections(lattice::StoredMemory& psi, double s) {
  psi.sums[Mu][0] = sums_of_projection<Mu>(-s); // a hop from below, with the adjoint link
  psi.sums[Mu][1] = sums_of_projection<Mu>(s);
}

} // namespace detail

/// Half of its numbers of a spinor that a kernel with a hopping term (ridge/gauge/dslash.hpp)
/// reads, since the projections have no more; of other kernels, and of 16 bits, all of `psi`.
template <class K>
[[nodiscard]] lattice::StoredMemory exchanged_psi(const K& kernel) {
  if constexpr (requires { kernel.plain; }) {
    return exchanged_psi(kernel.plain);
  } else {
    lattice::StoredMemory psi = lattice::StoredMemory::of(kernel.psi);
    using View = std::remove_cvref_t<decltype(kernel.psi)>;
    constexpr bool spinors = lattice::components_of<typename View::Tensor> == spins * colours;
    if constexpr (spinors && !View::Code::fixed && requires { kernel.sign; }) {
      const auto s = static_cast<double>(kernel.sign);
      detail::add_projections<0>(psi, s);
      detail::add_projections<1>(psi, s);
      detail::add_projections<2>(psi, s);
      detail::add_projections<3>(psi, s);
    }
    return psi;
  }
}

} // namespace ridge::gauge
