// What a run gathers as it goes: the radial distribution, and how far bodies come.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <vector>

namespace ridge::md {

/// What is sampled, and when: at the first step and at multiples of `every`.
struct Sampling {
  Index every = 0;        ///< steps; 0: nothing
  Index shells = 0;       ///< of the radial distribution, as wide as each other, up to the cutoff
  bool diffusion = false; ///< displacements and velocities beside those of the first sample

  [[nodiscard]] bool at(Index step) const { return every > 0 && step % every == 0; }
};

struct Samples {
  Index radial = 0; ///< how many samples `near` is of
  /// Bodies in each shell around a body, of all bodies and samples: each pair counts twice.
  std::vector<double> near;
  Index first_step = 0;
  std::vector<double> time; ///< since then
  /// Means over bodies: of (x - x0)^2, and of v . v0.
  std::vector<double> displacement, correlation;
  std::array<std::vector<double>, 3> position, velocity; ///< of the first sample: x0, v0
};

/// g(r) in each shell: what is near, over what would be if bodies were spread evenly.
[[nodiscard]] std::vector<double> radial_distribution(const Samples& samples, Index bodies,
                                                      double volume, double cutoff);
/// The middle of each shell.
[[nodiscard]] std::vector<double> shell_distances(const Samples& samples, double cutoff);

/// The coefficient of diffusion by Einstein: a sixth of the slope of the displacement, by least
/// squares over the second half of the samples. 0 of fewer than four.
[[nodiscard]] double diffusion_by_displacement(const Samples& samples);
/// By Green and Kubo: a third of the integral of the correlation, by trapezia.
[[nodiscard]] double diffusion_by_velocity(const Samples& samples);

} // namespace ridge::md
