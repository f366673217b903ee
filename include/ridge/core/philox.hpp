// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011):
// four random words that are a function of a counter and a key. Exact integers: the same
// everywhere.
#pragma once

#include <ridge/core/config.hpp>

#include <cstdint>

namespace ridge {

/// Four words.
struct PhiloxWords {
  std::uint32_t w[4];
};

RIDGE_FN constexpr PhiloxWords philox(const PhiloxWords& counter, std::uint64_t key) {
  PhiloxWords x = counter;
  auto key_low = static_cast<std::uint32_t>(key);
  auto key_high = static_cast<std::uint32_t>(key >> 32);
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53u} * x.w[0];
    const std::uint64_t b = std::uint64_t{0xcd9e8d57u} * x.w[2];
    x = {{static_cast<std::uint32_t>(b >> 32) ^ x.w[1] ^ key_low, static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32) ^ x.w[3] ^ key_high, static_cast<std::uint32_t>(a)}};
    key_low += 0x9e3779b9u;
    key_high += 0xbb67ae85u;
  }
  return x;
}

/// Uniform in (0, 1), an odd multiple of 2^-53: never 0 nor 1.
RIDGE_FN constexpr double uniform_of(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return static_cast<double>(static_cast<std::int64_t>(2 * bits + 1)) * 0x1p-53;
}

} // namespace ridge
