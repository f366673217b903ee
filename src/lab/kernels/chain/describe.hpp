// From the entries of a header of ridge/lab/kernels/chain to what the lab knows of its chains.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/rank_case.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

namespace ridge::lab {

template <class E>
[[nodiscard]] BenchKernel describe_chain_entry(const char* header) {
  using C = typename E::Chain;
  static_assert(chain::runs_on_random_arrays<C>(),
                "a built-in chain has inputs, temporaries and one output, the last array");
  chain::know_chain_source<C>(header);
  chain::know_chain_source<chain::Placed<C>>(header);
  BenchKernel made = chain::chain_kernel(E::name, E::meaning, E::make());
  if constexpr (requires { E::default_size(); }) made.default_size = E::default_size();
  chain::add_rank_case(made, E::make());
  return made;
}

template <class... E>
[[nodiscard]] BuiltIn describe(Chains<E...> /*all*/, const char* header) {
  return {{describe_chain_entry<E>(header)...}, {}};
}

} // namespace ridge::lab
