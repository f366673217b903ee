// The stencil kernels the lab is compiled for.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

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
    const auto flux = [&](int x, int y, int z) { return (k0 + k(x, y, z)) * (u(x, y, z) - u0); };
    return 0.5 * ((flux(-1, 0, 0) + flux(1, 0, 0)) + (flux(0, -1, 0) + flux(0, 1, 0)) +
                  (flux(0, 0, -1) + flux(0, 0, 1)));
  }
};

} // namespace ridge::lab
