// Adjoints of built-in systems (ridge/chain/system/adjoint.hpp) in a header of
// ridge/lab/kernels/chain. The compilers of all device kinds see these headers.
#pragma once

#include <ridge/lab/kernels/chain_entry.hpp>

#include <vector>

#ifdef RIDGE_TARGET_NONE
#include <ridge/chain/source.hpp>
#include <ridge/chain/system/adjoint.hpp>
#include <ridge/lab/built_in.hpp>
#endif

namespace ridge {
class Offer;
} // namespace ridge

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by `using NAME = Adjoints<...>;`.
template <class... Entries>
struct Adjoints {};

/// The adjoint of one step of a system. An entry adds `of`, the system's name.
template <class C>
struct AdjointEntry : ChainEntry<C> {};

/// Made as compile_ahead makes those of chains.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Adjoints<E...> /*entries*/) {
  return compile_ahead(Chains<E...>{});
}

#ifdef RIDGE_TARGET_NONE
/// Evolve finds them by their systems' names; no benchmark lists them.
template <class... E>
[[nodiscard]] BuiltIn describe(Adjoints<E...> /*all*/, const char* header) {
  (chain::know_chain_source<typename E::Chain>(header), ...);
  (chain::know_adjoint(E::of, [] { return chain::system_adjoint(E::Chain::name, E::make()); }),
   ...);
  return {};
}
#endif

} // namespace ridge::lab
