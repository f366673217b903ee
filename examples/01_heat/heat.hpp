#pragma once

#include <ridge/stencil.hpp>

/// One explicit Euler step of the heat equation on a grid of unit spacing.
struct Heat {
  static constexpr auto footprint = ridge::stencil::star<1>();
  double rate;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + rate * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) +
                                u(0, 0, 1) - 6 * u(0, 0, 0));
  }
};
