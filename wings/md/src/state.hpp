// What a run of molecular dynamics is told, and what it is at one step.
#pragma once

#include <ridge/pairs/lists/box.hpp>

#include "samples.hpp"
#include "spatial/host_bodies.hpp"
#include "thermostat.hpp"

#include <cstdint>

namespace ridge::md {

/// What a trajectory depends on beside the bodies, the interaction, the device and the schedule.
struct Parameters {
  spatial::Precision precision = spatial::Precision::mixed;
  double dt = 0;               ///< time of a step
  double cutoff = 0, skin = 0; ///< pairs::ListOptions
  std::array<double, 3> box{}; ///< periods, from 0
  Thermostat thermostat;
  bool tail = false; ///< energy and pressure with those of Lennard-Jones pairs beyond the cutoff
  Sampling sampling;
};

/// Throws UsageError when dt, cutoff or a period is not positive, or nothing in the precision.
void require_sound(const Parameters& parameters);

/// Throws UsageError, naming body and component, unless all is finite and all masses are the
/// same.
void require_sound(const spatial::Bodies& bodies, const Parameters& parameters);

/// Sums over all bodies. A pair's energy and virial, d . F, count once.
struct Diagnostics {
  Index bodies = 0;
  double kinetic = 0, potential = 0, virial = 0, volume = 1;
  std::array<double, 3> momentum{};
  double freedom = 0; ///< degrees of it

  [[nodiscard]] double energy() const { return kinetic + potential; }
  /// Boltzmann's constant is 1.
  [[nodiscard]] double temperature() const { return freedom > 0 ? 2 * kinetic / freedom : 0; }
  [[nodiscard]] double pressure() const { return (2 * kinetic + virial) / (3 * volume); }
};

struct State {
  Index step = 0;
  double time = 0;
  spatial::Bodies bodies; ///< wherever they have come, over all periods
  /// The same in the box, to the last bit what a run goes on from; empty before the first step, and
  /// in snapshots that have `bodies` alone.
  std::array<std::vector<double>, 3> in_box;
  /// Where bodies were when the lists were built; empty where they are yet to be.
  std::array<std::vector<double>, 3> listed;
  std::vector<double> potential, virial; ///< of each body: half of its pairs'
  double heat = 0;                       ///< energy that rescaling velocities has brought
  Samples samples;
};

/// 3 N - 3, the momentum being fixed; 3 N where Langevin's thermostat changes it.
[[nodiscard]] double degrees_of_freedom(Index bodies, const Parameters& parameters);

/// Energy and virial that pairs of Lennard-Jones beyond the cutoff add for so many
/// bodies, where they are spread evenly: 8/3 pi N rho (rc^-9 / 3 - rc^-3) and 16 pi N rho (2/3
/// rc^-9 - rc^-3).
struct Tail {
  double energy = 0, virial = 0;
};
[[nodiscard]] Tail tail_of(Index bodies, const Parameters& parameters);

[[nodiscard]] Diagnostics diagnose(const State& state, const Parameters& parameters);

/// A hash of every bit that the rest of a trajectory depends on, and of `run`.
[[nodiscard]] std::uint64_t checksum(std::uint64_t run, const Parameters& parameters,
                                     const State& state);

/// Bodies of mass 1 on a face-centred cubic lattice at a density, 4 c^3 of them, with velocities as
/// Maxwell's at a temperature, at rest as a whole, and exactly that temperature. Throws UsageError
/// for another number, with the next that are.
[[nodiscard]] spatial::Bodies lattice(Index count, double density, double temperature,
                                      std::uint64_t seed);

/// The period of a cube of so many bodies at a density.
[[nodiscard]] double period_of(Index count, double density);

} // namespace ridge::md
