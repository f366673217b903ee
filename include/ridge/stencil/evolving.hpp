// Parts of kernels that evolve: Laplacians times a step, and the largest stable ones.
#pragma once

#include <ridge/stencil/laplacian.hpp>

#include <cmath>

namespace ridge::stencil {

/// `factor` times the Laplacian, plus `own` times the point itself: with 1 an explicit Euler step
/// of the heat equation by the time factor / diffusivity.
template <int Order, int Rank>
[[nodiscard]] Laplacian<Order, Rank> scaled_laplacian(Spacing h, double factor, double own) {
  Laplacian<Order, Rank> made(h);
  made.centre = own + factor * made.centre;
  for (auto* const axis : {&made.x, &made.y, &made.z}) {
    for (auto& weight : *axis)
      weight *= factor;
  }
  return made;
}

/// The largest eigenvalue of minus the Laplacian of this order on any field, whatever its
/// boundaries.
template <int Order, int Rank>
[[nodiscard]] double largest_eigenvalue(Spacing h) {
  constexpr auto weights = second_difference<Order>();
  double along_one = 0; // of unit spacing
  for (int r = 0; r <= Order / 2; ++r)
    along_one += (r == 0 ? 1 : 2) * (weights[r] < 0 ? -weights[r] : weights[r]);
  double sum = 1 / (h.x * h.x);
  if constexpr (Rank > 1) sum += 1 / (h.y * h.y);
  if constexpr (Rank > 2) sum += 1 / (h.z * h.z);
  return along_one * sum;
}

/// The largest stable steps: of Euler's for a diffusivity, and of the leapfrog for a speed.
template <int Order, int Rank>
[[nodiscard]] double stable_heat_step(Spacing h, double diffusivity) {
  return 2 / (diffusivity * largest_eigenvalue<Order, Rank>(h));
}
template <int Order, int Rank>
[[nodiscard]] double stable_wave_step(Spacing h, double speed) {
  return 2 / (speed * std::sqrt(largest_eigenvalue<Order, Rank>(h)));
}

} // namespace ridge::stencil
