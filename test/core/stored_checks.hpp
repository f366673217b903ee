// Numbers in 16 bits against arithmetic in double.
#pragma once

#include <ridge/core/stored.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace ridge {

/// The nearest multiple of the spacing of S at x, ties to even.
template <class S>
double emulated_rounding(double x) {
  constexpr bool half = std::is_same_v<S, Fp16>;
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int spacing = std::max(exponent - (half ? 11 : 8), half ? -24 : -133);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
  const double most = half ? 65504 : 0x1.fep127;
  return std::abs(rounded) > most ? std::copysign(std::numeric_limits<double>::infinity(), x)
                                  : rounded;
}

/// What the bits mean.
template <class S>
double emulated_value(S stored) {
  constexpr int digits = std::is_same_v<S, Fp16> ? 10 : 7;
  constexpr int bias = std::is_same_v<S, Fp16> ? 15 : 127;
  const int bits = static_cast<std::uint16_t>(stored);
  const int fraction = bits & ((1 << digits) - 1);
  const int exponent = bits >> digits & (2 * bias + 1);
  double value = exponent == 2 * bias + 1
                     ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : std::numeric_limits<double>::infinity())
                     : std::ldexp(fraction + (exponent > 0 ? 1 << digits : 0),
                                  std::max(exponent, 1) - bias - digits);
  return bits >= 0x8000 ? -value : value;
}

/// The same number, the sign of zeros included; all NaNs are the same.
inline bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class S, int N>
void check_stored_packs() {
  std::mt19937 random(N);
  for (int i = 0; i < 20000; ++i) {
    Pack<float, N> numbers;
    for (int lane = 0; lane < N; ++lane) {
      const auto bits = static_cast<std::uint32_t>(random());
      const int exponent = static_cast<int>(random() % 46) - 28; // around fp16's range
      numbers.set(lane, i % 2 == 0 ? std::bit_cast<float>(bits)
                                   : std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits)),
                                                exponent - 31));
    }
    const Pack<S, N> stored = rounded_to<S>(numbers);
    const Pack<float, N> back = widened(stored);
    for (int lane = 0; lane < N; ++lane) {
      const double right = emulated_rounding<S>(numbers[lane]);
      ASSERT_TRUE(same_number(emulated_value(stored[lane]), right)) << numbers[lane];
      ASSERT_TRUE(same_number(back[lane], right)) << numbers[lane];
      ASSERT_EQ(rounded_to<S>(numbers[lane]) == stored[lane] || std::isnan(right), true);
    }
  }
}

template <class S>
void check_stored_numbers() {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto stored = static_cast<S>(static_cast<std::uint16_t>(bits));
    const float number = widened(stored);
    ASSERT_TRUE(same_number(number, emulated_value(stored))) << bits;
    const S back = rounded_to<S>(number);
    ASSERT_TRUE(back == stored || (std::isnan(number) && std::isnan(widened(back)))) << bits;
  }
  check_stored_packs<S, 1>();
  check_stored_packs<S, 2>();
  check_stored_packs<S, 8>();
  check_stored_packs<S, 16>();
  check_stored_packs<S, 32>();
}

} // namespace ridge
