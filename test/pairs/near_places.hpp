// Places of bodies for tests of near pairs.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/pairs/lists/box.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace ridge::pairs {

using Where = std::array<std::vector<double>, 3>;

/// Multiples of 1/64 in float and double alike, so that distances are exact.
inline Where scattered(Index count, std::array<double, 3> length, unsigned seed) {
  std::mt19937 random(seed);
  Where at;
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = 0; i < count; ++i)
      at[a].push_back(std::floor(length[a] * 64 * (random() / 4294967296.0)) / 64);
  }
  return at;
}

inline double squared_distance(const Where& at, const Box& box, std::size_t i, std::size_t j) {
  double squared = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    double d = at[a][i] - at[a][j];
    if (box.periodic[a]) d -= box.length[a] * std::round(d / box.length[a]);
    squared += d * d;
  }
  return squared;
}

} // namespace ridge::pairs
