#pragma once

#include <ridge/chain.hpp>

#include <array>
#include <tuple>

/// The heat equation by fluxes: what leaves a cell enters its neighbour. Nothing flows through the
/// ends.
namespace conduction {

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> flux;
inline constexpr ridge::chain::Slot<2> next;

struct Flux { // between a cell and the one before it: one more than cells
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{ridge::chain::read(u, ridge::chain::along_x(-1, 0)),
                                       ridge::chain::write(flux)};
  static constexpr ridge::chain::Domain domain{{}, {1, 0, 0}};
  double rate;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(flux, rate * (at(u, -1) - at(u)));
  }
};

struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{ridge::chain::read(u),
                                       ridge::chain::read(flux, ridge::chain::along_x(0, 1)),
                                       ridge::chain::write(next)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(next, at(u) + at(flux) - at(flux, 1));
  }
};

struct Chain {
  static constexpr const char* name = "conduction";
  static constexpr std::array arrays{ridge::chain::input("u"),
                                     ridge::chain::temporary("flux", {1, 0, 0}),
                                     ridge::chain::output("next")};
  static constexpr std::array dimensions{ridge::chain::independent(1, ridge::chain::Edge::clamp)};
  std::tuple<Flux, Update> operations;
};

} // namespace conduction
