// Entries of a system (ridge/chain/system/kernel.hpp) in a header of ridge/lab/kernels/chain: facts
// beside its chain. The compilers of all device kinds see these headers.
#pragma once

#include <ridge/chain/system/conditions.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

#include <vector>

namespace ridge {
class Offer;
} // namespace ridge

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by `using NAME = Systems<...>;`.
template <class... Entries>
struct Systems {};

/// A system for evolve, bench, schedules, tune and Python. An entry adds `name` and `meaning`.
template <class C>
struct SystemEntry : ChainEntry<C> {};

/// Entries of systems, made as compile_ahead makes those of chains.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Systems<E...> /*entries*/) {
  return compile_ahead(Chains<E...>{});
}

} // namespace ridge::lab
