// fp32 numbers beside those of 16 bits: as two elements of memory, the high and the low halves of
// their bits.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/core/stored.hpp>

#include <cstdint>

namespace ridge {

/// The number of two halves.
template <class S>
  requires is_stored<S>
RIDGE_FN float joined(S high, S low) {
  const auto upper = static_cast<std::uint32_t>(static_cast<std::uint16_t>(high));
  const auto lower = static_cast<std::uint32_t>(static_cast<std::uint16_t>(low));
  return detail::same_bytes<float>(upper << 16U | lower);
}
template <class S, int N, class Abi>
RIDGE_FN Pack<float, N, Abi> joined(const Pack<S, N, Abi>& high, const Pack<S, N, Abi>& low) {
  Pack<float, N, Abi> numbers;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    const auto upper = static_cast<std::uint32_t>(static_cast<std::uint16_t>(high[i]));
    const auto lower = static_cast<std::uint32_t>(static_cast<std::uint16_t>(low[i]));
    numbers.set(i, detail::same_bytes<float>(upper << 16U | lower));
  }
  return numbers;
}

#if defined(RIDGE_TARGET_CPU)
template <class S, int N>
RIDGE_FN Pack<float, N, abi::Native> joined(const Pack<S, N, abi::Native>& high,
                                            const Pack<S, N, abi::Native>& low) {
  typedef std::uint16_t Halves __attribute__((vector_size(2 * N)));
  typedef std::uint32_t Words __attribute__((vector_size(4 * N)));
  const auto word = [](const Pack<S, N, abi::Native>& half) {
    return __builtin_convertvector(detail::same_bytes<Halves>(half.lanes), Words);
  };
  const Words words = word(high) << 16U | word(low);
  using Numbers = Pack<float, N, abi::Native>;
  return Numbers(detail::same_bytes<typename Numbers::Register>(words));
}
#endif

/// The high or the low half of a number.
template <class S>
  requires is_stored<S>
RIDGE_FN S half_of(float number, bool high) {
  const auto bits = detail::same_bytes<std::uint32_t>(number);
  return static_cast<S>(static_cast<std::uint16_t>(high ? bits >> 16U : bits));
}

} // namespace ridge
