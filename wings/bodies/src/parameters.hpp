// What a run is told, and whether it can be computed.
#pragma once

#include "bodies.hpp"
#include "integrator.hpp"

namespace ridge::nbody {

/// Whether forces are sums over all pairs, or over near bodies and far nodes of a tree.
enum class Forces { pairs, tree };

[[nodiscard]] std::string_view to_text(Forces forces);
/// Throws UsageError that lists them.
[[nodiscard]] Forces parse_forces(std::string_view text);
inline void from_text(std::string_view text, Forces& to) {
  to = parse_forces(text);
}

/// What a trajectory depends on beside the bodies, the device and the schedule.
struct Parameters {
  Precision precision = Precision::mixed;
  Integrator integrator = Integrator::leapfrog;
  double dt = 0;        ///< time of a step
  double softening = 0; ///< Plummer's: the potential of a pair is - G m / sqrt(d^2 + softening^2)
  double gravity = 1;   ///< the constant of gravity G
  Forces forces = Forces::pairs;
  double theta = 0.5; ///< of the tree, as pairs::TreeOptions has it; nothing to pairs
  int order = 2;      ///< likewise
  /// Of a tree's accelerations, rms: theta and perhaps order (0 asks for either) are chosen so that
  /// they begin with at most that. 0: theta and order are as given.
  double error = 0;
  /// Over ranks: whether each has the bodies of a region, and of the others' trees what these need;
  /// else each has all.
  bool domains = false;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// The order of a tree over so many bodies if nobody asks for one. Errors of few bodies' forces do
/// not average out: at order 2 their energy drifts by several times what it does under all pairs.
[[nodiscard]] constexpr int default_order(Index bodies) {
  constexpr Index few = 10000;
  return bodies < few ? 4 : 2;
}

/// Throws UsageError when dt or gravity is not positive or softening is negative, when theta or
/// order is none of a tree, or when one of them is not finite or nothing in the precision.
void require_sound(const Parameters& parameters);

/// Throws UsageError, naming body and component, unless there are bodies, as many values of each
/// component, all finite, no mass negative, and all within what `parameters.precision` computes
/// with: fp32 and mixed need the cube of distances. Bodies count from 0.
void require_sound(const Bodies& bodies, const Parameters& parameters);

} // namespace ridge::nbody
