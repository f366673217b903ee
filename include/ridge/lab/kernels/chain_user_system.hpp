// Systems in files of the user's.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/lab/kernels/chain_system_ranks.hpp>
#include <ridge/lab/user_kernel.hpp>

#include <string>

namespace ridge::lab {

/// True of chains where somebody else sets what lies beyond the faces.
template <class C>
concept IsSystem = chain::has_given_ends<C>();

template <Use For, class C>
[[nodiscard]] UserKernel describe_system(const std::string& name, const C& chain,
                                         const std::string& file, const std::string& flags) {
  UserKernel made;
  know_source(typeid(chain::Call<C, float>), file, flags);
  know_source(typeid(chain::Call<C, double>), file, flags);
  chain::know_chain_source<chain::Placed<C>>(file, flags);
  made.no_job = name + " is a system of several arrays; evolve and bench take it";
  if constexpr (For == Use::evolution) {
    made.system = std::make_shared<const EvolvingSystem>(
        EvolvingSystem{name, "", [name, chain](const chain::NumberValues&, bool) {
                         return chain::system_kernel<C, true>(name, chain);
                       }});
    made.bench.pattern = "chain";
  } else {
    made.bench = system_bench(name, "a system of " + name, chain);
    if constexpr (For == Use::ranks) add_system_ranks<true>(made.bench, chain);
  }
  return made;
}

} // namespace ridge::lab
