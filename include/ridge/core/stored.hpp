// Numbers that are stored in 16 bits and computed with in fp32. In memory they are their bits, as
// integers of a type for each format; loads widen them, stores round to the nearest, ties to even.
#pragma once

#include <ridge/core/pack.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/core/intrinsics.hpp>
#endif

namespace ridge {

/// IEEE's half precision: 11 bits of a number, magnitudes from 6e-8 to 65504.
using Fp16 = std::uint16_t;
/// The first half of an fp32: 8 bits of a number, magnitudes as of fp32.
using Bf16 = std::int16_t;

template <class S>
inline constexpr bool is_stored = std::is_same_v<S, Fp16> || std::is_same_v<S, Bf16>;

/// The change by rounding to S, at most: relative to the number, and of the smallest numbers.
template <class S>
inline constexpr double stored_unit = std::is_same_v<S, Fp16> ? 0x1p-11 : 0x1p-8;
template <class S>
inline constexpr double stored_least = std::is_same_v<S, Fp16> ? 0x1p-25 : 0x1p-134;

namespace detail {

template <class To, class From>
RIDGE_FN To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
#if defined(RIDGE_TARGET_CUDA)
  ::memcpy(&to, &from, sizeof(To));
#else
  __builtin_memcpy(&to, &from, sizeof(To));
#endif
  return to;
}

RIDGE_FN float widened_fp16(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = bits >> 10U & 31U;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 31) {
    const std::uint32_t quiet = fraction != 0 ? 0x400000U : 0U;
    return same_bytes<float>(sign | 0x7f800000U | quiet | fraction << 13U);
  }
  if (exponent == 0) {
    const auto small = static_cast<float>(fraction) * 0x1p-24F;
    return same_bytes<float>(sign | same_bytes<std::uint32_t>(small));
  }
  return same_bytes<float>(sign | (exponent + 112U) << 23U | fraction << 13U);
}

RIDGE_FN std::uint32_t rounded_to_fp16(float number) {
  const auto bits = same_bytes<std::uint32_t>(number);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | 0x7e00U | (magnitude >> 13U & 0x3ffU);
  if (magnitude >= 0x477ff000U) return sign | 0x7c00U; // from 65520 on: infinity
  if (magnitude < 0x38800000U) {                       // a multiple of 2^-24, as 0.5 + 2^-24 is
    const float shifted = same_bytes<float>(magnitude) + 0.5F;
    return sign | (same_bytes<std::uint32_t>(shifted) - 0x3f000000U);
  }
  return sign | ((magnitude + 0xfffU + (magnitude >> 13U & 1U) - (112U << 23U)) >> 13U);
}

RIDGE_FN std::uint32_t rounded_to_bf16(float number) {
  const auto bits = same_bytes<std::uint32_t>(number);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return bits >> 16U | 0x40U;
  return (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
}

} // namespace detail

RIDGE_FN float widened(Fp16 stored) {
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__)
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(stored));
  return number;
#elif defined(RIDGE_TARGET_HIP) && defined(__HIP_DEVICE_COMPILE__)
  return static_cast<float>(detail::same_bytes<_Float16>(stored));
#elif defined(RIDGE_TARGET_CPU) && defined(__F16C__)
  return _cvtsh_ss(stored);
#else
  return detail::widened_fp16(stored);
#endif
}
RIDGE_FN float widened(Bf16 stored) {
  return detail::same_bytes<float>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(stored))
                                   << 16U);
}

/// The nearest number that S holds; beyond its range, infinity.
template <class S>
RIDGE_FN S rounded_to(float number) {
  static_assert(is_stored<S>);
  if constexpr (std::is_same_v<S, Fp16>) {
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__)
    Fp16 stored;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(stored) : "f"(number));
    return stored;
#elif defined(RIDGE_TARGET_HIP) && defined(__HIP_DEVICE_COMPILE__)
    return detail::same_bytes<Fp16>(static_cast<_Float16>(number));
#elif defined(RIDGE_TARGET_CPU) && defined(__F16C__)
    return static_cast<Fp16>(_cvtss_sh(number, _MM_FROUND_TO_NEAREST_INT));
#else
    return static_cast<Fp16>(detail::rounded_to_fp16(number));
#endif
  } else {
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    Fp16 stored;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(stored) : "f"(number));
    return static_cast<Bf16>(stored);
#else
    return static_cast<Bf16>(static_cast<std::uint16_t>(detail::rounded_to_bf16(number)));
#endif
  }
}

/// The number that an element of memory stands for.
template <class T>
RIDGE_FN auto number_of(T element) {
  if constexpr (is_stored<T>) {
    return widened(element);
  } else {
    return element;
  }
}
/// The type of that number: float for storage in 16 bits. By no call of std::declval, which clang
/// does not take in functions for HIP devices alone.
template <class T>
using NumberOf = std::conditional_t<is_stored<std::remove_cv_t<T>>, float, std::remove_cv_t<T>>;
/// A number as an element of memory, rounded where that is 16 bits.
template <class T>
RIDGE_FN T element_of(NumberOf<T> number) {
  if constexpr (is_stored<T>) {
    return rounded_to<T>(number);
  } else {
    return number;
  }
}
/// A number as memory of T brings it back.
template <class T, class N>
RIDGE_FN N as_stored(N number) {
  if constexpr (is_stored<T>) {
    return widened(rounded_to<T>(number));
  } else {
    return number;
  }
}

/// Packs of them.
template <class S, int N>
RIDGE_FN Pack<float, N, abi::Array> widened(const Pack<S, N, abi::Array>& stored) {
  Pack<float, N, abi::Array> numbers;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    numbers.lane[i] = widened(stored.lane[i]);
  return numbers;
}
template <class S, int N>
RIDGE_FN Pack<S, N, abi::Array> rounded_to(const Pack<float, N, abi::Array>& numbers) {
  Pack<S, N, abi::Array> stored;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    stored.lane[i] = rounded_to<S>(numbers.lane[i]);
  return stored;
}

#if defined(RIDGE_TARGET_CPU)
namespace detail {
/// Calls `f` for each register of `bytes` numbers of a pack: where it begins.
template <int N, int Each, class F>
RIDGE_FN void each_part(const F& f) {
  RIDGE_UNROLL
  for (int i = 0; i < N; i += Each)
    f(i);
}
} // namespace detail

template <class S, int N>
RIDGE_FN Pack<float, N, abi::Native> widened(const Pack<S, N, abi::Native>& stored) {
  using Numbers = Pack<float, N, abi::Native>;
  if constexpr (std::is_same_v<S, Bf16>) {
    typedef std::uint16_t Halves __attribute__((vector_size(2 * N)));
    typedef std::uint32_t Words __attribute__((vector_size(4 * N)));
    const auto halves = detail::same_bytes<Halves>(stored.lanes);
    const Words words = __builtin_convertvector(halves, Words) << 16U;
    return Numbers(detail::same_bytes<typename Numbers::Register>(words));
  } else {
    Numbers numbers;
    [[maybe_unused]] const char* const from = reinterpret_cast<const char*>(&stored.lanes);
    [[maybe_unused]] char* const to = reinterpret_cast<char*>(&numbers.lanes);
#if defined(__AVX512F__)
    if constexpr (N % 16 == 0) {
      detail::each_part<N, 16>([&](int i) {
        __m256i part;
        std::memcpy(&part, from + 2 * i, 32);
        const __m512 wide = _mm512_maskz_cvtph_ps(0xffff, part);
        std::memcpy(to + 4 * i, &wide, 64);
      });
      return numbers;
    }
#endif
#if defined(__F16C__) && defined(__AVX__)
    if constexpr (N % 8 == 0) {
      detail::each_part<N, 8>([&](int i) {
        __m128i part;
        std::memcpy(&part, from + 2 * i, 16);
        const __m256 wide = _mm256_cvtph_ps(part);
        std::memcpy(to + 4 * i, &wide, 32);
      });
      return numbers;
    }
#endif
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      numbers.set(i, widened(stored[i]));
    return numbers;
  }
}

template <class S, int N>
RIDGE_FN Pack<S, N, abi::Native> rounded_to(const Pack<float, N, abi::Native>& numbers) {
  using Stored = Pack<S, N, abi::Native>;
  if constexpr (std::is_same_v<S, Bf16>) {
    typedef std::uint16_t Halves __attribute__((vector_size(2 * N)));
    typedef std::uint32_t Words __attribute__((vector_size(4 * N)));
    const auto words = detail::same_bytes<Words>(numbers.lanes);
    const auto nearest = (words + 0x7fffU + (words >> 16U & 1U)) >> 16U;
    const auto odd = (words >> 16U) | 0x40U; // NaN stays NaN
    const auto chosen = (words & 0x7fffffffU) > 0x7f800000U ? odd : nearest;
    return Stored(
        detail::same_bytes<typename Stored::Register>(__builtin_convertvector(chosen, Halves)));
  } else {
    Stored stored;
    [[maybe_unused]] const char* const from = reinterpret_cast<const char*>(&numbers.lanes);
    [[maybe_unused]] char* const to = reinterpret_cast<char*>(&stored.lanes);
#if defined(__AVX512F__)
    if constexpr (N % 16 == 0) {
      detail::each_part<N, 16>([&](int i) {
        __m512 wide;
        std::memcpy(&wide, from + 4 * i, 64);
        const __m256i part = _mm512_maskz_cvtps_ph(0xffff, wide, _MM_FROUND_TO_NEAREST_INT);
        std::memcpy(to + 2 * i, &part, 32);
      });
      return stored;
    }
#endif
#if defined(__F16C__) && defined(__AVX__)
    if constexpr (N % 8 == 0) {
      detail::each_part<N, 8>([&](int i) {
        __m256 wide;
        std::memcpy(&wide, from + 4 * i, 32);
        const __m128i part = _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT);
        std::memcpy(to + 2 * i, &part, 16);
      });
      return stored;
    }
#endif
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      stored.set(i, rounded_to<S>(numbers[i]));
    return stored;
  }
}
#endif

/// The pack of fp32 numbers that belongs to a pack of stored ones.
template <class V>
using WidenedPack = decltype(widened(std::declval<V>()));

} // namespace ridge
