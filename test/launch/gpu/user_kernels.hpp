// Kernels of every pattern, as a user writes them: no host code.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/pairs/interaction.hpp>
#include <ridge/stencil/kernel.hpp>

#include "../../app/words/words.hpp"

#include <tuple>

namespace mine {

struct Mean {
  static constexpr auto footprint = ridge::stencil::star<1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return 0.5 * (u(-1, 0, 0) + u(1, 0, 0));
  }
};

/// All that docs/kernel_language.md has.
struct Words {
  static constexpr auto footprint = ridge::stencil::star<1>();
  double rate = 0.7, off = 0;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return words::all_of(u(-1, 0, 0), u(0, 1, 0), rate, off);
  }
};

struct Cubes {
  static constexpr const char* name = "cubes";
  static constexpr int inputs = 1;
  static constexpr double flops = 2;
  template <class V>
  RIDGE_FN V operator()(const V& x) const {
    return x * x * x;
  }
};

struct FourthPowers : ridge::lattice::Reduction {
  static constexpr const char* name = "fourth powers";
  static constexpr double flops = 4;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x * x * x * x;
  }
};

struct Spring {
  static constexpr int targets = 1, sources = 1, sums = 1, positions = 1, vector = 1;
  static constexpr double flops = 3, operations = 2, rsqrts = 0;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    sum[0] += source[0] - target[0];
  }
  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    sum_a[0] += b[0] - a[0];
    less_b[0] += b[0] - a[0];
  }
};

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> flux;
inline constexpr ridge::chain::Slot<2> v;

struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(u, ridge::chain::along_x(-1, 0)), write(flux)};
  static constexpr ridge::chain::Domain domain{{}, {1, 0, 0}};
  double rate = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(flux, rate * (at(u) - at(u, -1)));
  }
};
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{read(u), read(flux, ridge::chain::along_x(0, 1)), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(v, at(u) + at(flux, 1) - at(flux));
  }
};
struct Smooth {
  static constexpr const char* name = "smooth";
  static constexpr std::array arrays{ridge::chain::input("u"),
                                     ridge::chain::temporary("flux", {1, 0, 0}),
                                     ridge::chain::output("v")};
  static constexpr std::array dimensions{ridge::chain::independent(1, ridge::chain::Edge::clamp),
                                         ridge::chain::independent()};
  static constexpr std::array<std::array<int, 2>, 1> groups{{{0, 1}}};
  std::tuple<Flux, Update> operations;
};

} // namespace mine
