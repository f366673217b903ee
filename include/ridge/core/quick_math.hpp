// Division and powers for kernels that compute more than they wait for memory: of numbers that are
// normal, as their results are, and less exact than the toolkits', whose functions also have to
// know what zero, infinities and very small numbers are.
//
// Errors, in units in the last place: quotient 2; power 3 + 1.5 |y log2(x)|. On the cpu they are
// those of a / b and exp(y log(x)).
#pragma once

#include <ridge/core/math.hpp>
#include <ridge/core/pack_math.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace ridge {

namespace detail {

/// log2(m) = s P(s^2) with s = (m - 1) / (m + 1), for m from sqrt(1/2) to sqrt(2): within 1e-16.
/// 2^f = 1 + f Q(f) for f from -1/2 to 1/2: within 1e-16. Interpolated at the zeros of Chebyshev's
/// polynomials; where 21 bits suffice no more are given, as instructions have room for these.
struct Log2Series {
  static constexpr int count = 7;
  static constexpr double coefficient(int k) {
    constexpr double all[count] = {0x1.71547652b82ffp+1, 0x1.ec709dc39ca29p-1, 0x1.2776c516a3242p-1,
                                   0x1.a617567db1b8cp-2, 0x1.484faa8a538bfp-2, 0x1.0bb7eae67835ep-2,
                                   0x1.f1811p-3};
    return all[k];
  }
};
struct Exp2Series {
  static constexpr int count = 11;
  static constexpr double coefficient(int k) {
    constexpr double all[count] = {
        0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,  0x1.3b2ab6fba1ddap-7,
        0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
        0x1.b525p-24,          0x1.e6064p-28,         0x1.e9d4p-32};
    return all[k];
  }
};

/// The sum of coefficient(k) x^k.
template <class Series, int K = 0>
RIDGE_FN double sum_of(double x) {
  constexpr double c = Series::coefficient(K);
  if constexpr (K + 1 < Series::count) {
    return std::fma(x, sum_of<Series, K + 1>(x), c);
  } else {
    return c;
  }
}

/// 1/x within 1 unit in the last place.
RIDGE_FN double quick_reciprocal(double x) {
  const double y = approximate_reciprocal(x);
  const double error = std::fma(-x, y, 1.0);
  return std::fma(y, std::fma(error, error, error), y);
}

RIDGE_FN std::uint64_t bits_of(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
RIDGE_FN double of_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

RIDGE_FN double quick_power(double x, double y) {
  constexpr std::uint32_t half_root = 0x3fe6a09e;   // the upper half of sqrt(1/2)
  constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52: sums are whole numbers
  constexpr double two_to_52 = 4503601774854144.0;  // 2^52 + 2^31
  const std::uint64_t bits = bits_of(x);
  const auto upper = static_cast<std::uint32_t>(bits >> 32);
  const auto k = static_cast<std::int32_t>(upper - half_root) >> 20; // x = 2^k m
  const double m =
      of_bits(bits - (static_cast<std::uint64_t>(static_cast<std::uint32_t>(k) << 20) << 32));
  const double exponent =
      of_bits(std::uint64_t{0x43300000} << 32 | (static_cast<std::uint32_t>(k) ^ 0x80000000U)) -
      two_to_52;
  const double s = (m - 1.0) * quick_reciprocal(m + 1.0);
  const double t = y * std::fma(s, sum_of<Log2Series>(s * s), exponent);
  const double shifted = t + to_integer;
  const double f = t - (shifted - to_integer);
  const double power = std::fma(f, sum_of<Exp2Series>(f), 1.0);
  return of_bits(bits_of(power) + (bits_of(shifted) << 52));
}

} // namespace detail

/// a / b.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> quotient(const Pack<T, N, A>& a, const Pack<T, N, A>& b) {
#if defined(RIDGE_TARGET_CPU)
  return a / b;
#else
  if constexpr (std::is_same_v<T, double>) {
    return Pack<T, N, A>::make([&](int i) { return a[i] * detail::quick_reciprocal(b[i]); });
  } else {
    return a / b;
  }
#endif
}

/// x to the power of y, where x is positive.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> power_of_positive(const Pack<T, N, A>& x, T y) {
#if defined(RIDGE_TARGET_CPU)
  return exp(y * log(x));
#else
  if constexpr (std::is_same_v<T, double>) {
    return Pack<T, N, A>::make([&](int i) { return detail::quick_power(x[i], y); });
  } else {
    return exp(y * log(x));
  }
#endif
}

} // namespace ridge
