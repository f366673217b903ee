// The executors that a header of ridge/lab/kernels/chain wants compiled ahead. Seen by the
// compilers of all device kinds.
#pragma once

#include <ridge/chain/executor.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

#include <vector>

namespace ridge::lab {

template <class E>
std::vector<const Offer*> offers_of_chain() {
  if constexpr (E::ahead) {
    return {&chain::Executor<typename E::Chain, float, Here>::offered,
            &chain::Executor<typename E::Chain, double, Here>::offered};
  }
  return {};
}

/// Instantiated explicitly, it makes the executors of all entries, which offer themselves.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Chains<E...> /*entries*/) {
  return {offers_of_chain<E>()...};
}

} // namespace ridge::lab
