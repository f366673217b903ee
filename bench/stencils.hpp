// Stencils as users write them, for bench/names.py: a star of weights, and arrays read at their
// point.
#pragma once

#include <ridge/stencil/kernel.hpp>

#include <tuple>

namespace beside {

template <int>
constexpr auto at_the_point() {
  return ridge::stencil::point();
}

/// w0 u + sum over r of w[r] times the six neighbours at distance r + 0.5 times each other array.
template <int Radius, int... Others>
struct Stars {
  static constexpr auto footprints =
      std::make_tuple(ridge::stencil::star<Radius>(), at_the_point<Others>()...);
  static constexpr double flops = 1 + 7.0 * Radius + 2.0 * sizeof...(Others);

  template <class U, class... A>
  RIDGE_FN auto operator()(const U& u, const A&... others) const {
    constexpr double weights[] = {0.6, 0.08, 0.03, 0.02, 0.01};
    auto sum = weights[0] * u(0, 0, 0);
    RIDGE_UNROLL
    for (int r = 1; r <= Radius; ++r)
      sum = sum + weights[r] * (u(-r, 0, 0) + u(r, 0, 0) + u(0, -r, 0) + u(0, r, 0) + u(0, 0, -r) +
                                u(0, 0, r));
    ((sum = sum + 0.5 * others(0, 0, 0)), ...);
    return sum;
  }
};

} // namespace beside

using star2 = beside::Stars<1>;
using star2of2 = beside::Stars<1, 1>;
using star2of3 = beside::Stars<1, 1, 2>;
using star2of4 = beside::Stars<1, 1, 2, 3>;
using star4 = beside::Stars<2>;
using star4of2 = beside::Stars<2, 1>;
using star4of4 = beside::Stars<2, 1, 2, 3>;
using star6 = beside::Stars<3>;
using star8 = beside::Stars<4>;
using star8of3 = beside::Stars<4, 1, 2>;
