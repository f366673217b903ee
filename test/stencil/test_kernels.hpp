// Kernels of the tests' own: what a user would write.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil::test {

/// Reads every point of a lopsided footprint with its own weight: a shifted index or a swapped axis
/// changes the result.
struct Lopsided {
  static constexpr Footprint<6> footprint{
      {{{0, 0, 0}, {-2, 0, 0}, {1, 0, 0}, {0, 1, -1}, {1, -1, 0}, {0, 0, 2}}}};
  double scale = 1;

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return scale * (u(0, 0, 0) + 2 * u(-2, 0, 0) - 3 * u(1, 0, 0) + 5 * u(0, 1, -1) -
                    7 * u(1, -1, 0) + 11 * u(0, 0, 2));
  }
};

/// Not linear, with two inputs of different footprints.
struct Advection {
  static constexpr auto footprints = std::make_tuple(star<1>(), point());

  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    const auto speed = v(0, 0, 0);
    const auto upwind = select(speed > 0.0, u(0, 0, 0) - u(-1, 0, 0), u(1, 0, 0) - u(0, 0, 0));
    return speed * upwind + 0.25 * (u(0, -1, 0) * u(0, 1, 0) + u(0, 0, -1) * u(0, 0, 1));
  }
};

/// Two time levels and a coefficient that is read beside the point, too.
struct Pulse {
  static constexpr auto footprints = std::make_tuple(star<2>(), point(), star<1>());
  static constexpr int levels = 2;

  template <class U, class V, class C>
  RIDGE_FN auto operator()(const U& u, const V& before, const C& c) const {
    const auto bend = u(-2, 0, 0) + u(0, 2, 0) + u(0, 0, -2) + u(1, 0, 0) + u(0, -1, 0) +
                      u(0, 0, 1) - 6.0 * u(0, 0, 0);
    return 1.9 * u(0, 0, 0) - 0.95 * before(0, 0, 0) +
           0.02 * (c(1, 0, 0) + c(0, -1, 0) + c(0, 0, 1)) * bend;
  }
};

/// Like Lopsided, no further than one point away along the axes.
struct Slanted {
  static constexpr auto footprint = star<1>();
  double scale = 1;

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return scale * (u(0, 0, 0) + 2 * u(-1, 0, 0) - 3 * u(1, 0, 0) + 5 * u(0, -1, 0) -
                    7 * u(0, 1, 0) + 11 * u(0, 0, -1) - 13 * u(0, 0, 1));
  }
};

/// Each point on the axes up to `Reach` away with its own weight, and the level before.
template <int Reach>
struct Ripple {
  static constexpr auto footprints = std::make_tuple(star<Reach>(), point());
  static constexpr int levels = 2;
  double scale = 1;

  template <class U, class B>
  RIDGE_FN auto operator()(const U& u, const B& before) const {
    auto sum = 3.0 * u(0, 0, 0) - 17.0 * before(0, 0, 0);
    RIDGE_UNROLL
    for (int q = 1; q <= Reach; ++q) {
      sum += q * (2.0 * u(-q, 0, 0) - 3.0 * u(q, 0, 0)) + 5.0 * u(0, -q, 0) - 7.0 * u(0, q, 0) +
             (11.0 * u(0, 0, -q) - 13.0 * u(0, 0, q)) * (q + 2.0);
    }
    return scale * sum;
  }
};

/// The same of one time level.
template <int Reach>
struct Steep {
  static constexpr auto footprint = star<Reach>();
  double scale = 1;

  template <class U>
  RIDGE_FN auto operator()(const U& u) const {
    return Ripple<Reach>{scale}(u, [&](int, int, int) { return u(0, 0, 0); });
  }
};

/// Reads one point more than it declares.
struct Undeclared {
  static constexpr auto footprint = star<1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + u(1, 1, 0);
  }
};

} // namespace ridge::stencil::test
