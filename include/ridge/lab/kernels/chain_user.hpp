// Chains in files of the user's.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/chain/rank_case.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/user_kernel.hpp>

#include <string>

namespace ridge::lab {

template <Use For, class K>
[[nodiscard]] UserKernel describe_chain_kernel(const std::string& name, const K& kernel,
                                               const std::string& file, const std::string& flags) {
  if constexpr (chain::runs_on_random_arrays<K>()) {
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
