// The law of Biot and Savart among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/interactions/biot_savart.hpp>

namespace ridge::lab {

struct BiotSavartEntry : InteractionEntry<pairs::BiotSavart> {
  static constexpr const char* name = "biot-savart";
  static constexpr const char* meaning = "velocities that vortex particles induce";
  static constexpr bool in_lab = true;
  static pairs::BiotSavart make() { return {1e-4}; }
};

namespace built_in {
using biot_savart = Interactions<BiotSavartEntry>;
}

} // namespace ridge::lab
