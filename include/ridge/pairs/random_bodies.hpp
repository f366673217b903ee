// Random bodies for benchmarks and tests of the pairs pattern: the same for every device.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/pairs/reference.hpp>

#include <cmath>

namespace ridge::pairs {

/// Positions uniform in the cube [-1, 1)^3, then `weights` spread evenly over six decades, all
/// exact in float; further components uniform in [-1, 1).
template <int N>
[[nodiscard]] HostBodies<N> random_bodies(Index count, std::uint64_t seed) {
  HostBodies<N> bodies;
  for (int c = 0; c < N; ++c) {
    bodies[c].resize(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      const double u = random_value(seed + static_cast<std::uint64_t>(c), i);
      const bool weight = c == 3;
      bodies[c][static_cast<std::size_t>(i)] =
          weight ? static_cast<double>(static_cast<float>(std::pow(10.0, 3 * u - 3))) : u;
    }
  }
  return bodies;
}

/// Atoms of a dense fluid, in units of sigma: near the corners of a cubic lattice of spacing 9/8,
/// up to 1/16 off along each axis, so that none is nearer than 1 to another. Multiples of 2^-10:
/// squared distances up to some 8 are exact in float, and a cutoff takes the same pairs in any
/// precision.
[[nodiscard]] inline HostBodies<3> random_atoms(Index count, std::uint64_t seed) {
  const auto edge = static_cast<Index>(std::ceil(std::cbrt(static_cast<double>(count))));
  HostBodies<3> atoms;
  for (int c = 0; c < 3; ++c) {
    atoms[c].resize(static_cast<std::size_t>(count));
    const Index stride = c == 0 ? 1 : c == 1 ? edge : edge * edge;
    for (Index i = 0; i < count; ++i) {
      const double off = std::round(64 * random_value(seed + static_cast<std::uint64_t>(c), i));
      const auto corner = static_cast<double>(i / stride % edge);
      atoms[c][static_cast<std::size_t>(i)] = 1.125 * corner + off / 1024;
    }
  }
  return atoms;
}

} // namespace ridge::pairs
