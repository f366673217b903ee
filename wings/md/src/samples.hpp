// Samples that a run gathers as it goes: the radial distribution, and how far bodies come.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <vector>

namespace ridge::md {

/// Kinds of samples, and their times: at the first step and at multiples of `every`.
struct Sampling {
  Index every = 0;        ///< steps; 0: nothing
  Index shells = 0;       ///< of the radial distribution, as wide as each other, up to the cutoff
  bool diffusion = false; ///< displacements and velocities beside those of an origin, the first
                          ///< sample, and
  Index window = 0;       ///< steps after which the next origin is taken; 0: there is one

  [[nodiscard]] bool at(Index step) const { return every > 0 && step % every == 0; }
};

struct Samples {
  Index radial = 0; ///< how many samples `near` is of
  /// Bodies in each shell around a body, of all bodies and samples: each pair counts twice.
  std::vector<double> near;
  Index origin = 0;         ///< step of the last origin
  std::vector<double> time; ///< since an origin
  /// Means over bodies and over so many origins: of (x - x0)^2, and of v . v0, relative to the mean
  /// of all bodies.
  std::vector<double> origins, displacement, correlation;
  std::array<std::vector<double>, 3> position, velocity; ///< of the last origin: x0, v0

  /// Takes the means of one more origin at the `at`-th time since it.
  void add(std::size_t at, double since, double square, double product);
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
