// Adjoints of chains, for ridge::Program: see ridge/gradient/chain.hpp. Host code only.
#pragma once

#include <ridge/gradient/call.hpp>
#include <ridge/gradient/chain.hpp>

namespace ridge {

/// The adjoint of a chain, which requests take as any other; it is compiled from the chain's source
/// where that is known.
template <class C>
requires requires {
  C::arrays, C::dimensions;
}
[[nodiscard]] gradient::Backward<C> adjoint(const C& chain) {
  static_assert(*gradient::why_no_adjoint<C>() == 0,
                "the chain has no adjoint: gradient::why_no_adjoint says why");
  const auto know = [&]<class T>(T /*number*/) {
    gradient::know_adjoint_source(typeid(chain::Call<C, T>),
                                  typeid(chain::Call<gradient::Backward<C>, T>),
                                  "ridge/gradient/chain.hpp");
  };
  know(0.0F);
  know(0.0);
  return gradient::Backward<C>(chain);
}

} // namespace ridge
