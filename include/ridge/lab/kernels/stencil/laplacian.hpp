// The finite-difference Laplacian of orders 2 to 8; its mathematics are the library's.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/stencil/variants.hpp>

namespace ridge::lab {

template <int Order>
struct LaplacianEntry : StencilEntry<stencil::Laplacian<Order, 3>> {
  static constexpr const char* name =
      by_order<Order>("laplacian", "laplacian4", "laplacian6", "laplacian8");
  static constexpr const char* meaning =
      by_order<Order>("finite-difference Laplacian of order 2, 1-D to 3-D", "the same of order 4",
                      "the same of order 6", "the same of order 8");
  template <int Rank>
  using Kernel = stencil::Laplacian<Order, Rank>;
  static constexpr int least_rank = 1;
  template <int Rank>
  static Kernel<Rank> make(stencil::Spacing h) {
    return Kernel<Rank>(h);
  }
};

/// Laplacians of one and two dimensions that are compiled ahead.
template <int Rank>
struct LaplacianAhead {
  using ahead = AheadOf<stencil::Laplacian<2, Rank>, stencil::Laplacian<4, Rank>,
                        stencil::Laplacian<6, Rank>, stencil::Laplacian<8, Rank>>;
};

namespace built_in {
using laplacian = Stencils<LaplacianEntry<2>>;
using laplacian_orders = Stencils<LaplacianEntry<4>, LaplacianEntry<6>, LaplacianEntry<8>>;
using laplacian_ranks = Stencils<LaplacianAhead<1>, LaplacianAhead<2>>;
} // namespace built_in

} // namespace ridge::lab

/// The kernels 1 to 7 of the AMD series are schedules of this one.
template <>
inline constexpr bool ridge::stencil::names_ahead<ridge::stencil::Laplacian<2, 3>> = true;
