// Coulomb's law among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>

namespace ridge::lab {

struct CoulombEntry : InteractionEntry<pairs::Coulomb> {
  static constexpr const char* name = "coulomb";
  static constexpr const char* meaning = "electric fields and potentials of charges";
  static constexpr bool in_lab = true;
  static pairs::Coulomb make() { return {1e-4}; }
};

namespace built_in {
using coulomb = Interactions<CoulombEntry>;
}

} // namespace ridge::lab
