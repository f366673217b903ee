// Systems in files of the user's: chains where somebody else sets what lies beyond the faces.
#pragma once

#include <ridge/lab/describe_kernel.hpp>
#include <ridge/lab/kernels/chain_system_ranks.hpp>

#include <memory>
#include <string>

namespace ridge {

template <class C>
concept IsSystem = lab::IsChain<C> && chain::has_given_ends<C>();

template <class C>
requires IsSystem<C>
struct DescriptionOf<C> {
  template <KernelUse For>
  [[nodiscard]] static DescribedKernel describe(const std::string& name, const C& chain,
                                                const std::string& file, const std::string& flags) {
    DescribedKernel made;
    know_source(typeid(chain::Call<C, float>), file, flags);
    know_source(typeid(chain::Call<C, double>), file, flags);
    chain::know_chain_source<chain::Placed<C>>(file, flags);
    made.no_job = name + " is a system of several arrays; evolve and bench take it";
    if constexpr (For == KernelUse::evolution) {
      made.product = lab::EvolvingSystem{name, "", [name, chain](const chain::NumberValues&, bool) {
                                           return chain::system_kernel<C, true>(name, chain);
                                         }};
      made.bench.pattern = "chain";
    } else {
      made.bench = lab::system_bench(name, "a system of " + name, chain);
      if constexpr (For == KernelUse::ranks) lab::add_system_ranks<true>(made.bench, chain);
    }
    return made;
  }
};

} // namespace ridge
