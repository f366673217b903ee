// Kernels whose adjoints are tested: what a user would write.
#pragma once

#include <ridge/gradient/together.hpp>

namespace ridge::gradient::test {

/// Reads every point of a lopsided footprint with its own weight.
struct Lopsided {
  static constexpr Footprint<6> footprint{
      {{{0, 0, 0}, {-2, 0, 0}, {1, 0, 0}, {0, 1, -1}, {1, -1, 0}, {0, 0, 2}}}};
  static constexpr bool linear = true;
  double scale = 0.5;

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return scale * (u(0, 0, 0) + 2 * u(-2, 0, 0) - 3 * u(1, 0, 0) + 5 * u(0, 1, -1) -
                    7 * u(1, -1, 0) + 11 * u(0, 0, 2));
  }
};

/// Products and a choice of two inputs, the second read beside the point, too.
struct Mixing {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<1>(), Footprint<3>{{{{0, 0, 0}, {1, 0, 0}, {0, -1, 0}}}});
  double rate = 0.25;

  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    const auto speed = v(0, 0, 0) + 0.5 * v(1, 0, 0);
    const auto upwind = select(v(0, -1, 0) > 0.0, u(0, 0, 0) - u(-1, 0, 0), u(1, 0, 0));
    return speed * upwind * u(0, 0, 1) +
           rate * (u(0, -1, 0) * u(0, 1, 0) + u(0, 0, -1) / (2 + v(0, -1, 0)));
  }
};

} // namespace ridge::gradient::test
