// Kernels that the tests of C and Fortran give as files: one of each pattern.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/config.hpp>
#include <ridge/stencil/kernel.hpp>

#include <array>
#include <tuple>

namespace c_test {

/// The mean of a point and its two neighbours along x, by rate.
struct Smooth {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  double rate = 0.25;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + rate * (u(1, 0, 0) + u(-1, 0, 0) - 2 * u(0, 0, 0));
  }
};

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> flux;
inline constexpr ridge::chain::Slot<2> v;

struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{ridge::chain::read(u, ridge::chain::along_x(-1, 0)),
                                       ridge::chain::write(flux)};
  static constexpr ridge::chain::Domain domain{{}, {1, 0, 0}};
  double rate = 0.25;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(flux, rate * (at(u) - at(u, -1)));
  }
};
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{ridge::chain::read(u),
                                       ridge::chain::read(flux, ridge::chain::along_x(0, 1)),
                                       ridge::chain::write(v)};
  double dt = 1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(v, at(u) + dt * (at(flux, 1) - at(flux)));
  }
};
/// Heat along x by fluxes; insulated ends. Any dimensions beyond the first are independent.
struct Heat {
  static constexpr const char* name = "heat";
  static constexpr std::array arrays{ridge::chain::input("u"),
                                     ridge::chain::temporary("flux", {1, 0, 0}),
                                     ridge::chain::output("v")};
  static constexpr std::array dimensions{ridge::chain::independent(1, ridge::chain::Edge::clamp),
                                         ridge::chain::independent(), ridge::chain::independent()};
  std::tuple<Flux, Update> operations;
};

/// The inverse of the distance, summed.
struct Closeness {
  static constexpr int targets = 2, sources = 2, sums = 1;
  static constexpr double flops = 8;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = source[0] - target[0];
    const V dy = source[1] - target[1];
    sum[0] += V(1) / (V(1) + dx * dx + dy * dy);
  }
};

} // namespace c_test
