// Heat: a step of it is a Laplacian with other weights.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/stencil/evolving.hpp>

namespace ridge::lab {

template <int Order>
struct HeatEntry : EvolvingEntry {
  static constexpr const char* name = by_order<Order>("heat", "heat4", "heat6", "heat8");
  static constexpr const char* meaning =
      by_order<Order>("u_t = a laplacian(u), order 2 in space", "the same of order 4",
                      "the same of order 6", "the same of order 8");
  static constexpr const char* value = "diffusivity";

  template <int Rank>
  static double stable_step(stencil::Spacing h, double diffusivity) {
    return stencil::stable_heat_step<Order, Rank>(h, diffusivity);
  }
  template <int Rank>
  static stencil::Laplacian<Order, Rank> make(stencil::Spacing h, double diffusivity, double dt) {
    return stencil::scaled_laplacian<Order, Rank>(h, diffusivity * dt, 1);
  }
};

/// Single sweeps are those of the Laplacian.
struct Heat2Entry : HeatEntry<2> {
  using ahead = Ahead<stencil::Pass<stencil::Laplacian<2, 3>, float>,
                      stencil::Pass<stencil::Laplacian<2, 3>, double>>;
};

namespace built_in {
using heat = Stencils<Heat2Entry, HeatEntry<4>, HeatEntry<6>, HeatEntry<8>>;
}

} // namespace ridge::lab
