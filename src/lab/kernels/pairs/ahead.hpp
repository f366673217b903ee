// The executors that a header of ridge/lab/kernels/pairs wants compiled ahead. Seen by the
// compilers of all device kinds.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/lists/executor.hpp>

#include <vector>

namespace ridge::lab {

template <class I, class... P>
std::vector<const Offer*> offers_of(Precisions<P...> /*ahead*/) {
  return {&pairs::Executor<I, P, Here>::offered...};
}

/// Instantiated explicitly, it makes the executors of all entries, which offer themselves.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Interactions<E...> /*entries*/) {
  return {offers_of<typename E::Interaction>(typename E::ahead{})...};
}
template <class E, class... P>
std::vector<std::vector<const Offer*>> compile_ahead(AlsoAhead<E, P...> /*entry*/) {
  return {offers_of<typename E::Interaction>(Precisions<P...>{})};
}
template <class E, class... P>
std::vector<std::vector<const Offer*>> compile_ahead(NearAhead<E, P...> /*entry*/) {
  return {{&pairs::ListExecutor<typename E::Interaction, P, Here>::offered...}};
}

} // namespace ridge::lab
