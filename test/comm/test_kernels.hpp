// Kernels whose footprints differ in what they need of neighbours.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::comm::test {

/// Reads edges and corners of neighbours, deeper on one side than on the other; each point with a
/// weight of its own, so that a swapped axis shows.
struct Lopsided {
  static constexpr stencil::Footprint<7> footprint{
      {{{0, 0, 0}, {-2, 0, 0}, {1, 0, 0}, {0, 1, -1}, {1, -1, 0}, {0, 0, 2}, {-1, 1, 1}}}};

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + 2 * u(-2, 0, 0) - 3 * u(1, 0, 0) + 5 * u(0, 1, -1) - 7 * u(1, -1, 0) +
           11 * u(0, 0, 2) - 13 * u(-1, 1, 1);
  }
};

/// Not linear, with two inputs of different footprints.
struct Advection {
  static constexpr auto footprints = std::make_tuple(stencil::star<1>(), stencil::point());

  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    const auto speed = v(0, 0, 0);
    const auto upwind = select(speed > 0.0, u(0, 0, 0) - u(-1, 0, 0), u(1, 0, 0) - u(0, 0, 0));
    return speed * upwind + 0.25 * (u(0, -1, 0) * u(0, 1, 0) + u(0, 0, -1) * u(0, 0, 1));
  }
};

/// A step of heat.
struct Smooth {
  static constexpr auto footprint = stencil::star<1>();

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + 0.05 * (u(-1, 0, 0) + 2 * u(1, 0, 0) + 3 * u(0, -1, 0) + 4 * u(0, 1, 0) +
                                5 * u(0, 0, -1) + u(0, 0, 1) - 16 * u(0, 0, 0));
  }
};

/// Two time levels, of which the older is read beside the point, too.
struct Waving {
  static constexpr int levels = 2;
  static constexpr auto footprints = std::make_tuple(stencil::star<1>(), stencil::star<1>());

  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& before) const {
    return 0.5 * (u(-1, 0, 0) + u(0, 1, 0) + u(0, 0, 1) - u(0, 0, 0)) -
           0.25 * (before(0, 0, 0) + before(1, 0, 0) + before(0, 0, -1));
  }
};

} // namespace ridge::comm::test
