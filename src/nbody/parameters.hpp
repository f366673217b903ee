// What a run is told, and whether it can be computed.
#pragma once

#include "bodies.hpp"
#include "integrator.hpp"

namespace ridge::nbody {

/// What a trajectory depends on beside the bodies, the device and the schedule.
struct Parameters {
  Precision precision = Precision::mixed;
  Integrator integrator = Integrator::leapfrog;
  double dt = 0;        ///< time of a step
  double softening = 0; ///< Plummer's: the potential of a pair is - G m / sqrt(d^2 + softening^2)
  double gravity = 1;   ///< the constant of gravity G

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// Throws UsageError when dt or gravity is not positive or softening is negative, or when one of
/// them is not finite or nothing in the precision.
void require_sound(const Parameters& parameters);

/// Throws UsageError, naming body and component, unless there are bodies, as many values of each
/// component, all finite, no mass negative, and all within what `parameters.precision` computes
/// with: fp32 and mixed need the cube of distances. Bodies count from 0.
void require_sound(const Bodies& bodies, const Parameters& parameters);

} // namespace ridge::nbody
