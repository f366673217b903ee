// Speeds and jumps on which the largest stable step of a system depends, point by point.
#pragma once

#include <limits>

namespace ridge::chain {

/// Waves at a point run with the square root of the modulus over the density. Shear stresses, where
/// there are some, lie half a point behind velocities along both axes, with the mean of the moduli.
struct WaveMedium {
  double modulus = 1, density = 1, shear = 0;
};

/// Of a flow at a point: how high its energy would lift it, minus infinity where nothing flows, and
/// the ground there.
struct FlowHeights {
  double energy = -std::numeric_limits<double>::infinity();
  double ground = std::numeric_limits<double>::infinity();
};

} // namespace ridge::chain
