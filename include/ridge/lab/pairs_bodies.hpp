// Random bodies for benchmarks and tests of the pairs pattern: the same for every device.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/pairs/reference.hpp>

#include <cmath>

namespace ridge::lab {

/// Positions uniform in the cube [-1, 1)^3, then `weights` spread evenly over six decades, all
/// exact in float; further components uniform in [-1, 1).
template <int N>
[[nodiscard]] pairs::HostBodies<N> random_bodies(Index count, std::uint64_t seed) {
  pairs::HostBodies<N> bodies;
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

} // namespace ridge::lab
