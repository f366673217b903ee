// Spectral elements: a weak Laplacian on each level of each element, in three operations.
#pragma once

#include <ridge/chain/elements.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/core/extents.hpp>
#endif

namespace ridge::lab {

/// np x np points (x, y), levels (z) and elements.
template <int Np>
struct ElementLaplacian {
  static constexpr chain::Slot<0> u{};
  static constexpr chain::Slot<1> metric{};
  static constexpr chain::Slot<2> slope_x{};
  static constexpr chain::Slot<3> slope_y{};
  static constexpr chain::Slot<4> flux_x{};
  static constexpr chain::Slot<5> flux_y{};
  static constexpr chain::Slot<6> result{};

  struct Gradient {
    static constexpr const char* name = "gradient";
    static constexpr std::array accesses{chain::read(u), chain::write(slope_x),
                                         chain::write(slope_y)};
    static constexpr double flops = 4 * Np;
    chain::Matrix<Np> derivative = chain::derivative_matrix<Np>();
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(slope_x, at.contract_x(derivative, u));
      at.set(slope_y, at.contract_y(derivative, u));
    }
  };
  struct Flux {
    static constexpr const char* name = "metric fluxes";
    static constexpr std::array accesses{chain::read(metric), chain::read(slope_x),
                                         chain::read(slope_y), chain::write(flux_x),
                                         chain::write(flux_y)};
    static constexpr double flops = 2;
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(flux_x, at(metric) * at(slope_x));
      at.set(flux_y, at(metric) * at(slope_y));
    }
  };
  struct Divergence {
    static constexpr const char* name = "divergence";
    static constexpr std::array accesses{chain::read(flux_x), chain::read(flux_y),
                                         chain::write(result)};
    static constexpr double flops = 4 * Np + 1;
    chain::Matrix<Np> weak = chain::derivative_matrix<Np>().transposed();
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(result, at.contract_x(weak, flux_x) + at.contract_y(weak, flux_y));
    }
  };

  static constexpr const char* name = "elements";
  static constexpr std::array arrays{chain::input("u"),           chain::input("metric"),
                                     chain::temporary("slope x"), chain::temporary("slope y"),
                                     chain::temporary("flux x"),  chain::temporary("flux y"),
                                     chain::output("laplacian")};
  static constexpr std::array dimensions{chain::points(Np), chain::points(Np),
                                         chain::independent()};
  static constexpr int outer = 1;
  std::tuple<Gradient, Flux, Divergence> operations;
};

template <int Np>
struct ElementsEntry : ChainEntry<ElementLaplacian<Np>> {
  static constexpr const char* name = Np == 4 ? "elements" : Np == 6 ? "elements6" : "elements8";
  static constexpr const char* meaning =
      Np == 4   ? "a weak Laplacian of 4 x 4 points (x, y) on the levels (z) of elements"
      : Np == 6 ? "the same of 6 x 6 points"
                : "the same of 8 x 8 points";
  static constexpr bool ahead = Np == 4;
#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
  static Extents default_size() { return {Np, Np, 72, Index{5400} * 16 / (Np * Np)}; }
#endif
};

namespace built_in {
using elements = Chains<ElementsEntry<4>, ElementsEntry<6>, ElementsEntry<8>>;
}

} // namespace ridge::lab
