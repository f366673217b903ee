// A hash of text for names of cache entries: what an entry holds is compared in full when it is
// loaded, so that two texts of one hash cost a compilation and no wrong kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridge::launch {

/// FNV-1a (Fowler, Noll and Vo) of 64 bits.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t hash = 0xcbf29ce484222325ull) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

/// A sum that another 64 bits were mixed into: the xorshift and multiply steps of splitmix64
/// (Steele, Lea and Flood 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0xbf58476d1ce4e5b9ull;
  return sum ^ (sum >> 31);
}

/// As digest, some ten times as quick; other digits.
[[nodiscard]] std::string digest_of_words(std::string_view bytes);

/// 32 hexadecimal digits.
[[nodiscard]] std::string digest(std::string_view text);

} // namespace ridge::launch
