// Gravity among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {
template <>
inline constexpr bool names_ahead<Gravity<>, Fp32> = true;
} // namespace ridge::pairs

namespace ridge::lab {

struct GravityEntry : InteractionEntry<pairs::Gravity<>> {
  static constexpr const char* name = "gravity";
  static constexpr const char* meaning = "accelerations and potentials of bodies, softened";
  static pairs::Gravity<> make() { return {1e-4}; }
  using ahead = Precisions<pairs::Fp32>;
};

namespace built_in {
using gravity = Interactions<GravityEntry>;
using gravity_wide = AlsoAhead<GravityEntry, pairs::Fp64, pairs::Mixed>;
} // namespace built_in

} // namespace ridge::lab
