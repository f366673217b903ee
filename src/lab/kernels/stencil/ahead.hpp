// The executors that a header of ridge/lab/kernels/stencil wants compiled ahead. Seen by the
// compilers of all device kinds.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/stencil/ahead.hpp>

#include <vector>

namespace ridge::lab {

template <class... Calls>
std::vector<const Offer*> offers_of(Ahead<Calls...> /*calls*/) {
  return {offer_of(static_cast<const Calls*>(nullptr))...};
}

/// Instantiated explicitly, it makes the executors of all entries, which offer themselves.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Stencils<E...> /*entries*/) {
  return {offers_of(typename E::ahead{})...};
}

} // namespace ridge::lab
