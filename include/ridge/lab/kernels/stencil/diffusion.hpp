// Diffusion with a variable coefficient: div(k grad u), and steps of it.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/stencil/evolving.hpp>

#include <tuple>

namespace ridge::lab {

/// div(k grad u) with face values of k averaged from its two points, on a grid of unit spacing: a
/// stencil that reads two fields.
struct Diffusion {
  static constexpr auto footprints = std::make_tuple(stencil::star<1>(), stencil::star<1>());
  static constexpr double flops = 25;

  template <class U, class K>
  RIDGE_FN auto operator()(const U& u, const K& k) const {
    const auto u0 = u(0, 0, 0);
    const auto k0 = k(0, 0, 0);
    // A call for each face would take the packs out of their registers, and compilers choose by
    // what else the source holds.
    const auto flux = [&](int x, int y, int z) __attribute__((always_inline)) {
      return (k0 + k(x, y, z)) * (u(x, y, z) - u0);
    };
    return 0.5 * ((flux(-1, 0, 0) + flux(1, 0, 0)) + (flux(0, -1, 0) + flux(0, 1, 0)) +
                  (flux(0, 0, -1) + flux(0, 0, 1)));
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

struct DiffusionEntry : StencilEntry<Diffusion> {
  static constexpr const char* name = "diffusion";
  static constexpr const char* meaning =
      "div(k grad u) with a variable coefficient: two inputs, unit spacing";
  static constexpr bool in_lab = true;
};

struct DiffusionStepEntry : EvolvingEntry {
  static constexpr const char* name = "diffusion";
  static constexpr const char* meaning = "u_t = div(k grad u) with a coefficient field k";
  static constexpr const char* value = "coefficient"; ///< the largest
  static constexpr bool benched =
      false; ///< the name is the stencil's; coefficients are no random numbers
  using ahead = AheadOf<DiffusionStep<3>>;

  template <int Rank>
  static double stable_step(stencil::Spacing h, double largest) {
    return stencil::stable_heat_step<2, Rank>(h, largest);
  }
  template <int Rank>
  static DiffusionStep<Rank> make(stencil::Spacing h, double /*largest*/, double dt) {
    return {h, dt};
  }
};

namespace built_in {
using diffusion = Stencils<DiffusionEntry, DiffusionStepEntry>;
}

} // namespace ridge::lab
