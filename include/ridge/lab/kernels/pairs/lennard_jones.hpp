// The potential of Lennard-Jones among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>

namespace ridge::lab {

struct LennardJonesEntry : InteractionEntry<pairs::LennardJones> {
  static constexpr const char* name = "lennard-jones";
  static constexpr const char* meaning = "forces and energies of atoms with a cutoff";
  static constexpr bool in_lab = true;
  static constexpr bool keeps_off = true;
};

namespace built_in {
using lennard_jones = Interactions<LennardJonesEntry>;
using lennard_jones_near = NearAhead<LennardJonesEntry, pairs::Fp32, pairs::Fp64, pairs::Mixed>;
}

} // namespace ridge::lab
