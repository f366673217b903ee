// Random numbers that are a function of seed and index alone: the same on every device, under every
// layout and schedule.
#pragma once

#include <ridge/core/config.hpp>

#include <cstdint>

namespace ridge {

/// The splitmix64 finaliser (Steele, Lea, Flood 2014): a bijection of 64-bit integers.
RIDGE_FN constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1), a multiple of 2^-23: exact in float and in double, so that a field of either
/// precision holds the same numbers.
RIDGE_FN constexpr double random_value(std::uint64_t seed, std::int64_t index) {
  const std::uint64_t bits = mix_bits(seed ^ mix_bits(static_cast<std::uint64_t>(index)));
  return static_cast<double>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-23;
}

} // namespace ridge
