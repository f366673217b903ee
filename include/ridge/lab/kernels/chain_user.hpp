// Chains and systems in files of the user's.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/chain/rank_case.hpp>
#include <ridge/core/error.hpp>
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

template <Use For, class K>
[[nodiscard]] UserKernel describe_chain_kernel(const std::string& name, const K& kernel,
                                               const std::string& file, const std::string& flags) {
  if constexpr (IsSystem<K>) {
    return describe_system<For>(name, kernel, file, flags);
  } else if constexpr (chain::runs_on_random_arrays<K>()) {
    UserKernel made;
    if constexpr (For == Use::ranks) {
      chain::know_chain_source<chain::Placed<K>>(file, flags);
      made.bench = chain::chain_entry<K>(name, "a chain of " + name);
      chain::add_rank_case(made.bench, kernel);
    } else {
      chain::know_chain_source<K>(file, flags);
      made.bench = chain::chain_kernel(name, "a chain of " + name, kernel);
    }
    made.no_job = name + " is a chain; apply takes stencils";
    return made;
  } else {
    throw UsageError(name + " is a chain that updates arrays or has several outputs; the command "
                            "runs those of inputs, temporaries and one output, the last array, "
                            "and others run from a program of your own (ridge_add_kernels)");
  }
}

} // namespace ridge::lab
