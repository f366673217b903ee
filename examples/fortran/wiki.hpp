// The operations of three codes of weather and climate, each a chain: the wiki "CPU GPU Performance
// Portability" asks how many loops go into a subroutine, which here is the schedule's matter.
#pragma once

#include <ridge/chain/operation.hpp>

#include <array>
#include <tuple>

namespace wiki {

using ridge::chain::along_x;
using ridge::chain::along_y;
using ridge::chain::Edge;
using ridge::chain::independent;
using ridge::chain::read;
using ridge::chain::Slot;
using ridge::chain::write;

inline constexpr Slot<0> a;
inline constexpr Slot<1> b;
inline constexpr Slot<2> c;
inline constexpr Slot<3> d;

// --- Spectral elements: three operations on all points of (np, np, levels, elements), which the
// program hands over as one dimension.

struct Pressure {
  static constexpr const char* name = "pressure";
  static constexpr std::array accesses{read(a), write(b)};
  static constexpr double flops = 3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(b, at(a) * (1.0 + 0.5 * at(a)));
  }
};
struct Density {
  static constexpr const char* name = "density";
  static constexpr std::array accesses{read(a), read(b), write(c)};
  static constexpr double flops = 3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(c, at(b) / (1.0 + 0.61 * at(a)));
  }
};
struct Energy {
  static constexpr const char* name = "energy";
  static constexpr std::array accesses{read(b), read(c), write(d)};
  static constexpr double flops = 3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(d, at(b) * at(c) + 0.5 * at(c));
  }
};
struct Elements {
  static constexpr const char* name = "elements";
  static constexpr std::array arrays{
      ridge::chain::input("state"), ridge::chain::temporary("pressure"),
      ridge::chain::temporary("density"), ridge::chain::output("energy")};
  static constexpr std::array dimensions{independent()};
  std::tuple<Pressure, Density, Energy> operations;
};

// --- Instances of a cloud-resolving model: fluxes between columns along x, a tendency, an update,
// for (nx, ny, nz, instances); periodic along x.

struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(a, along_x(-1, 0)), write(b)};
  static constexpr double flops = 4;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(b, 0.5 * (at(a) + at(a, -1)) - 0.1 * (at(a) - at(a, -1)));
  }
};
struct Tendency {
  static constexpr const char* name = "tendency";
  static constexpr std::array accesses{read(b, along_x(0, 1)), write(c)};
  static constexpr double flops = 1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(c, at(b) - at(b, 1));
  }
};
struct Step {
  static constexpr const char* name = "step";
  static constexpr std::array accesses{read(a), read(c), write(d)};
  static constexpr double flops = 2;
  double dt = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(d, at(a) + dt * at(c));
  }
};
struct Instances {
  static constexpr const char* name = "instances";
  static constexpr std::array arrays{ridge::chain::input("q"), ridge::chain::temporary("flux"),
                                     ridge::chain::temporary("tendency"),
                                     ridge::chain::output("next")};
  static constexpr std::array dimensions{independent(2, Edge::periodic), independent(),
                                         independent()};
  std::tuple<Flux, Tendency, Step> operations;
};

// --- Physics with conditions: water that condenses where the air is saturated, and falls.

struct Excess {
  static constexpr const char* name = "excess";
  static constexpr std::array accesses{read(a), write(b)};
  static constexpr double flops = 1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto over = at(a) - 0.5;
    at.set(b, select(over > 0.0, over, 0.0 * over));
  }
};
struct Condense {
  static constexpr const char* name = "condense";
  static constexpr std::array accesses{read(a), read(b), write(c)};
  static constexpr double flops = 4;
  double rate = 0.3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(c, select(at(b) > 0.25, at(a) - rate * at(b), at(a) - 0.5 * rate * at(b)));
  }
};
struct Fall {
  static constexpr const char* name = "fall";
  static constexpr std::array accesses{read(b), read(c), write(d)};
  static constexpr double flops = 2;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(d, at(c) + 0.1 * at(b));
  }
};
struct Physics {
  static constexpr const char* name = "physics";
  static constexpr std::array arrays{
      ridge::chain::input("water"), ridge::chain::temporary("excess"),
      ridge::chain::temporary("condensed"), ridge::chain::output("rain")};
  static constexpr std::array dimensions{independent()};
  std::tuple<Excess, Condense, Fall> operations;
};

} // namespace wiki
