// A new kernel, as somebody would add one: this file is all that there is of it (docs/kernels.md).
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>

namespace ridge::lab {

/// Eleven points, nowhere symmetric, so that any swapped sign or axis shows.
struct Asymmetric {
  static constexpr stencil::Footprint<11> footprint{{{{0, 0, 0},
                                                      {1, 0, 0},
                                                      {-2, 0, 0},
                                                      {0, 1, 0},
                                                      {0, 0, -1},
                                                      {0, 0, 2},
                                                      {0, 3, 0},
                                                      {-1, -1, -1},
                                                      {2, 0, 1},
                                                      {1, -2, 0},
                                                      {0, 1, -1}}}};
  static constexpr double flops = 22;
  double scale = 1;

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return scale * (2 * u(0, 0, 0) + 3 * u(1, 0, 0) - 5 * u(-2, 0, 0) + 7 * u(0, 1, 0) -
                    9 * u(0, 0, -1) + 11 * u(0, 0, 2) - 13 * u(0, 3, 0) + 17 * u(-1, -1, -1) -
                    19 * u(2, 0, 1) + 23 * u(1, -2, 0) - 29 * u(0, 1, -1));
  }
};

struct AsymmetricEntry : StencilEntry<Asymmetric> {
  static constexpr const char* name = "asymmetric";
  static constexpr const char* meaning = "eleven points, nowhere symmetric";
  static constexpr bool in_lab = true;
  template <int Rank>
  static Asymmetric make(stencil::Spacing h) {
    return {0.01 / h.x};
  }
};

/// Upwind transport along all axes.
struct Drift {
  static constexpr stencil::Footprint<4> footprint{
      {{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}};
  double x = 0, y = 0, z = 0; ///< Courant's numbers

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return (1 - x - y - z) * u(0, 0, 0) + x * u(-1, 0, 0) + y * u(0, -1, 0) + z * u(0, 0, -1);
  }
};

struct DriftEntry : EvolvingEntry {
  static constexpr const char* name = "drift";
  static constexpr const char* meaning = "u_t + c (u_x + u_y + u_z) = 0, upwind";
  static constexpr const char* value = "speed";
  static constexpr int least_rank = 3;
  using ahead = AheadOf<Drift>;

  template <int Rank>
  static double stable_step(stencil::Spacing h, double speed) {
    return 1 / (speed * (1 / h.x + 1 / h.y + 1 / h.z));
  }
  template <int Rank>
  static Drift make(stencil::Spacing h, double speed, double dt) {
    return {speed * dt / h.x, speed * dt / h.y, speed * dt / h.z};
  }
};

namespace built_in {
using asymmetric = Stencils<AsymmetricEntry, DriftEntry>;
}

} // namespace ridge::lab
