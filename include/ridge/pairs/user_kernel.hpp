// An interaction in a file of the user's.
#pragma once

#include <ridge/pairs/declared.hpp>
#include <ridge/pairs/kernel.hpp>
#include <ridge/pairs/lists/near_forces.hpp>
#include <ridge/pattern/user_kernel.hpp>

namespace ridge {

namespace pairs {
template <class K>
concept IsInteraction = requires {
  K::targets, K::sources, K::sums;
};
} // namespace pairs

/// The product of one that gives a force is a pairs::NearInteraction.
template <pairs::IsInteraction K>
struct DescriptionOf<K> {
  template <KernelUse For>
  [[nodiscard]] static DescribedKernel describe(const std::string& name, const K& kernel,
                                                const std::string& file, const std::string& flags) {
    pairs::require_declared(name, kernel);
    pairs::know_interactions<K>(file, flags);
    DescribedKernel made;
    if constexpr (For != KernelUse::motion) {
      made.bench = pairs::named_kernel(name, "an interaction of " + name, kernel);
      made.no_job = name + " is an interaction between bodies, which have no grid";
    } else if constexpr (pairs::gives_forces<K>) {
      pairs::know_interactions<pairs::ForceOf<K>, pairs::EnergyOf<K>>(file, flags);
      made.product = pairs::near_interaction(name, kernel);
    }
    return made;
  }
};

} // namespace ridge
