// Bodies to start from without a file.
#pragma once

#include "bodies.hpp"

#include <cstdint>

namespace ridge::nbody {

/// No more bodies are made: more than any memory holds.
inline constexpr Index most_made = Index{1} << 40;

/// A Plummer sphere in equilibrium, sampled as in Aarseth, Henon and Wielen, Astronomy and
/// Astrophysics 37 (1974) 183, in Henon's units: G = 1, mass 1, energy -1/4; one crossing time is
/// 2 sqrt(2). The outermost thousandth of the mass is left out. The same seed gives the same
/// bodies. Throws UsageError for a count below 1.
[[nodiscard]] Bodies plummer(Index count, std::uint64_t seed);

/// A homogeneous sphere of radius 1 and mass 1 at rest: with G = 1 it collapses within
/// pi / sqrt(8) = 1.11. Throws UsageError for a count below 1.
[[nodiscard]] Bodies cold_collapse(Index count, std::uint64_t seed);

} // namespace ridge::nbody
