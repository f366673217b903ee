// The stencils that `ridge evolve` is made for: the next value of a field from those around.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <cmath>

namespace ridge::lab {

/// `factor` times the Laplacian, plus `own` times the point itself: with 1 an explicit Euler step
/// of the heat equation by the time factor / diffusivity.
template <int Order, int Rank>
[[nodiscard]] stencil::Laplacian<Order, Rank> scaled_laplacian(stencil::Spacing h, double factor,
                                                               double own) {
  stencil::Laplacian<Order, Rank> made(h);
  made.centre = own + factor * made.centre;
  for (auto* const axis : {&made.x, &made.y, &made.z}) {
    for (double& weight : *axis)
      weight *= factor;
  }
  return made;
}

/// A leapfrog step of the wave equation: 2 u - before + (c dt)^2 laplacian(u).
template <int Order, int Rank>
struct Wave {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<Order / 2, Rank>(), stencil::point());
  static constexpr int levels = 2;
  static constexpr double flops = stencil::Laplacian<Order, Rank>::flops + 1;

  stencil::Laplacian<Order, Rank> step; ///< the terms of u

  template <class U, class B>
  RIDGE_FN auto operator()(const U& u, const B& before) const {
    return step(u) - before(0, 0, 0);
  }
};

/// The same with friction: the third field holds a = 1 / (1 + s dt / 2) for u_tt + s u_t, 1 where
/// there is none.
template <int Order, int Rank>
struct AbsorbedWave {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<Order / 2, Rank>(), stencil::point(), stencil::point());
  static constexpr int levels = 2;
  static constexpr double flops = stencil::Laplacian<Order, Rank>::flops + 5;

  stencil::Laplacian<Order, Rank> step;

  template <class U, class B, class A>
  RIDGE_FN auto operator()(const U& u, const B& before, const A& friction) const {
    const auto a = friction(0, 0, 0);
    return a * step(u) - (2.0 * a - 1.0) * before(0, 0, 0);
  }
};

/// An explicit Euler step of u_t = div(k grad u), with face values of k averaged from its two
/// points.
template <int Rank>
struct DiffusionStep {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<1, Rank>(), stencil::star<1, Rank>());
  static constexpr double flops = 1 + 8.0 * Rank;

  double x = 0, y = 0, z = 0; ///< dt / (2 h^2) along each axis

  DiffusionStep() = default;
  DiffusionStep(stencil::Spacing h, double dt)
      : x(dt / (2 * h.x * h.x)), y(dt / (2 * h.y * h.y)), z(dt / (2 * h.z * h.z)) {}

  template <class U, class K>
  RIDGE_FN auto operator()(const U& u, const K& k) const {
    const auto u0 = u(0, 0, 0);
    const auto k0 = k(0, 0, 0);
    auto sum =
        u0 + x * ((k0 + k(-1, 0, 0)) * (u(-1, 0, 0) - u0) + (k0 + k(1, 0, 0)) * (u(1, 0, 0) - u0));
    if constexpr (Rank > 1) {
      sum += y * ((k0 + k(0, -1, 0)) * (u(0, -1, 0) - u0) + (k0 + k(0, 1, 0)) * (u(0, 1, 0) - u0));
    }
    if constexpr (Rank > 2) {
      sum += z * ((k0 + k(0, 0, -1)) * (u(0, 0, -1) - u0) + (k0 + k(0, 0, 1)) * (u(0, 0, 1) - u0));
    }
    return sum;
  }
};

/// The largest eigenvalue of minus the Laplacian of this order, 2 to 8, on any field, whatever its
/// boundaries.
[[nodiscard]] double largest_eigenvalue(int order, int rank, stencil::Spacing h);

/// The largest stable steps: of Euler's for a diffusivity, and of the leapfrog for a speed.
[[nodiscard]] inline double stable_heat_step(double largest, double diffusivity) {
  return 2 / (diffusivity * largest);
}
[[nodiscard]] inline double stable_wave_step(double largest, double speed) {
  return 2 / (speed * std::sqrt(largest));
}

} // namespace ridge::lab
