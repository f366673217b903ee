// Keys of places along Hilbert's curve: places whose keys are close are close in space.
#pragma once

#include <ridge/core/config.hpp>

#include <cstdint>

namespace ridge::spatial {

/// Bits a dimension, of which three fit 64.
inline constexpr int most_levels = 21;

/// Every third bit of the result is one of the 21 of `v`.
RIDGE_FN constexpr std::uint64_t spread_bits(std::uint32_t v) {
  std::uint64_t x = v & 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/// The key of a cell of a grid of 2^levels cells a dimension: 3 * levels bits, three a level, the
/// coarsest first, so that cells of one octant have keys that begin alike. J. Skilling,
/// "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004).
RIDGE_FN constexpr std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                             int levels) {
  // As of the finest grid, whose bits are known: the loop has no conditions of its own.
  const int finer = most_levels - levels;
  std::uint32_t at[3] = {x << finer, y << finer, z << finer};
  RIDGE_UNROLL
  for (int level = most_levels - 1; level > 0; --level) {
    const std::uint32_t bit = std::uint32_t{1} << level;
    const std::uint32_t below = bit - 1;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      if ((at[c] & bit) != 0) {
        at[0] ^= below;
      } else {
        const std::uint32_t swapped = (at[0] ^ at[c]) & below;
        at[0] ^= swapped;
        at[c] ^= swapped;
      }
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  // A bit is flipped as often as higher ones of at[2] are set.
  std::uint32_t flipped = at[2] >> 1;
  for (int distance = 1; distance < most_levels; distance *= 2)
    flipped ^= flipped >> distance;
  for (auto& coordinate : at)
    coordinate ^= flipped;
  const std::uint64_t key = spread_bits(at[0]) << 2 | spread_bits(at[1]) << 1 | spread_bits(at[2]);
  return key >> 3 * finer;
}

/// How many whole levels two keys have in common.
RIDGE_FN constexpr int common_levels(std::uint64_t a, std::uint64_t b, int levels) {
  const std::uint64_t differ = a ^ b;
  if (differ == 0) return levels;
#if defined(__CUDA_ARCH__)
  const int highest = 63 - __clzll(static_cast<long long>(differ));
#else
  const int highest = 63 - __builtin_clzll(differ);
#endif
  return levels - 1 - highest / 3;
}

} // namespace ridge::spatial
