// From the entries of a header of ridge/lab/kernels/pairs to what the lab knows of its
// interactions.
#pragma once

#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/kernel.hpp>

namespace ridge::lab {

template <class E>
[[nodiscard]] BenchKernel describe_interaction(const char* header) {
  using I = typename E::Interaction;
  pairs::know_interactions<I>(header);
  pairs::MakeBodies<I> bodies = &pairs::random_bodies<I::sources>;
  if constexpr (E::keeps_off) bodies = &pairs::random_atoms;
  BenchKernel made = pairs::named_kernel(E::name, E::meaning, E::make(), bodies);
  made.in_lab = E::in_lab;
  return made;
}

template <class... E>
[[nodiscard]] BuiltIn describe(Interactions<E...> /*all*/, const char* header) {
  return {{describe_interaction<E>(header)...}, {}};
}
/// Another name of the header describes it.
template <class E, class... P>
[[nodiscard]] BuiltIn describe(AlsoAhead<E, P...> /*entry*/, const char* /*header*/) {
  return {};
}
template <class E, class... P>
[[nodiscard]] BuiltIn describe(NearAhead<E, P...> /*entry*/, const char* /*header*/) {
  return {};
}

} // namespace ridge::lab
