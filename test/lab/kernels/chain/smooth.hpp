// A new chain, as somebody would add one: this file is all that there is of it.
#pragma once

#include <ridge/lab/kernels/chain_entry.hpp>

namespace ridge::lab {

namespace smooth_chain {

inline constexpr chain::Slot<0> u;
inline constexpr chain::Slot<1> flux;
inline constexpr chain::Slot<2> v;

struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(u, chain::along_x(-1, 0)), write(flux)};
  static constexpr chain::Domain domain{{}, {1, 0, 0}};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(flux, 0.1 * (at(u) - at(u, -1)));
  }
};
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{read(u), read(flux, chain::along_x(0, 1)), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(v, at(u) + at(flux, 1) - at(flux));
  }
};

} // namespace smooth_chain

struct Smooth {
  static constexpr const char* name = "smooth";
  static constexpr std::array arrays{chain::input("u"), chain::temporary("flux", {1, 0, 0}),
                                     chain::output("v")};
  static constexpr std::array dimensions{chain::independent(1, chain::Edge::clamp)};
  std::tuple<smooth_chain::Flux, smooth_chain::Update> operations;
};

struct SmoothEntry : ChainEntry<Smooth> {
  static constexpr const char* name = "smooth";
  static constexpr const char* meaning = "a step of diffusion along x";
};

namespace built_in {
using smooth = Chains<SmoothEntry>;
}

} // namespace ridge::lab
