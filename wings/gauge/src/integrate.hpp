// Symplectic integrators of second order.
#pragma once

#include <ridge/gauge/hmc.hpp>

namespace ridge::gauge::detail {

/// `steps` steps of a time `length` in all: `kick(t)` moves momenta by the force for a time t,
/// `drift(t)` moves links, which may be an integrator of its own (Sexton and Weingarten, Nucl.
/// Phys. B 380 (1992) 665). Kicks at the end of a step and at the beginning of the next are one.
template <class Kick, class Drift>
void integrate(Integrator integrator, double length, int steps, const Kick& kick,
               const Drift& drift) {
  constexpr double lambda = 0.1931833275037836; // the least error of the force
  const double step = length / steps;
  const bool omelyan = integrator == Integrator::omelyan;
  const double outer = (omelyan ? lambda : 0.5) * step;
  kick(outer);
  for (int i = 0; i < steps; ++i) {
    if (omelyan) {
      drift(step / 2);
      kick((1 - 2 * lambda) * step);
      drift(step / 2);
    } else {
      drift(step);
    }
    kick(i + 1 < steps ? 2 * outer : outer);
  }
}

/// How often that kicks, and how often it drifts.
[[nodiscard]] inline double kicks_of(Integrator integrator, int steps) {
  return (integrator == Integrator::omelyan ? 2.0 : 1.0) * steps + 1;
}
[[nodiscard]] inline double drifts_of(Integrator integrator, int steps) {
  return kicks_of(integrator, steps) - 1;
}

} // namespace ridge::gauge::detail
