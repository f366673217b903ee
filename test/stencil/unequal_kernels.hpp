// Kernels whose inputs are read unequally far: marches keep of each what it is read around, and
// nothing of those that are read at the point alone.
#pragma once

#include "test_kernels.hpp"

namespace ridge::stencil::test {

/// A type of its own, so that what other sources compile of K is another program's.
template <class K>
struct Unequal : K {};

/// Waves of order 8 in space whose speed varies.
struct Medium {
  static constexpr auto footprints = std::make_tuple(star<4>(), point(), point());

  template <class U, class B, class C>
  RIDGE_FN auto operator()(const U& u, const B& before, const C& c) const {
    auto bend = -3.0 * u(0, 0, 0);
    RIDGE_UNROLL
    for (int q = 1; q <= 4; ++q) {
      bend += (u(-q, 0, 0) - 0.5 * u(q, 0, 0) + 0.25 * u(0, -q, 0) - 0.75 * u(0, q, 0) +
               u(0, 0, -q) - 0.125 * u(0, 0, q)) /
              (q + 1.0);
    }
    return 1.5 * u(0, 0, 0) - before(0, 0, 0) + c(0, 0, 0) * bend;
  }
};

/// First an input at its point, then others of which each is read along other axes: below and
/// beside, in a row, in the column.
struct Assorted {
  static constexpr auto footprints = std::make_tuple(
      point(), Footprint<5>{{{{0, 0, 0}, {-2, 0, 0}, {0, 2, -1}, {1, -1, 0}, {0, 0, 2}}}},
      Footprint<2>{{{{-3, 0, 0}, {2, 0, 0}}}}, Footprint<2>{{{{0, 0, -1}, {0, 0, 1}}}});

  template <class A, class B, class C, class D>
  RIDGE_FN auto operator()(const A& a, const B& b, const C& c, const D& d) const {
    return a(0, 0, 0) * (b(0, 0, 0) + 2 * b(-2, 0, 0) - 3 * b(0, 2, -1)) +
           0.5 * b(1, -1, 0) * c(-3, 0, 0) - b(0, 0, 2) + c(2, 0, 0) * d(0, 0, 1) -
           0.25 * d(0, 0, -1);
  }
};

/// The same with nothing beside the columns below, so that these are carried in registers.
struct Carrying {
  static constexpr auto footprints =
      std::make_tuple(Footprint<2>{{{{0, -1, 0}, {0, 0, 1}}}}, star<2>(), point());

  template <class A, class B, class C>
  RIDGE_FN auto operator()(const A& a, const B& b, const C& c) const {
    return a(0, -1, 0) - 2 * a(0, 0, 1) * c(0, 0, 0) +
           0.5 * (b(0, 0, -2) - b(0, 0, 2) + 3 * b(0, 0, -1) - b(2, 0, 0) + b(-1, 0, 0) +
                  2 * b(0, -2, 0) - b(0, 1, 0));
  }
};

/// A sum, which may be added up plane by plane.
struct Summed {
  static constexpr auto footprints =
      std::make_tuple(star<2>(), point(), Footprint<3>{{{{0, 0, 0}, {1, -1, 1}, {-1, 0, -1}}}});
  static constexpr bool linear = true;

  template <class U, class B, class C>
  RIDGE_FN auto operator()(const U& u, const B& before, const C& c) const {
    auto sum = 2.0 * u(0, 0, 0) - before(0, 0, 0);
    sum += 0.5 * (u(-2, 0, 0) + u(0, 2, 0)) - u(0, 0, -2) / 4.0 + 3 * u(0, 0, 1);
    return sum - 0.75 * c(1, -1, 1) + c(-1, 0, -1) + 0.125 * c(0, 0, 0);
  }
};

} // namespace ridge::stencil::test
