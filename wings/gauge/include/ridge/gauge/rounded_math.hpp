// Functions of doubles whose every operation is rounded by itself: the same bits on every device,
// in kernels and on the host. Their errors are a few units in the last place.
#pragma once

#include <ridge/lattice/rounded.hpp>

#include <cmath>
#include <cstdint>

namespace ridge::gauge::inline RIDGE_TARGET_NAME {

using Exact = lattice::Rounded<double>;

RIDGE_FN Exact operator/(const Exact& a, const Exact& b) {
  return Exact(a.v / b.v); // IEEE: rounded once on every device
}
RIDGE_FN Exact square_root(const Exact& a) {
  return Exact(std::sqrt(a.v));
}

/// The sum of c[0] + c[1] z + ...
template <int N>
RIDGE_FN Exact polynomial(const double (&c)[N], const Exact& z) {
  Exact sum(c[N - 1]);
  RIDGE_UNROLL
  for (int k = N - 2; k >= 0; --k)
    sum = sum * z + Exact(c[k]);
  return sum;
}

/// The natural logarithm of a normal positive number.
RIDGE_CALL Exact logarithm(double x) {
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffffu) | std::uint64_t{0x3ff} << 52);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172.
  constexpr double odd[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                            1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
  const Exact s = (Exact(m) - Exact(1.0)) / (Exact(m) + Exact(1.0));
  const Exact twice = Exact(2.0) * s * polynomial(odd, s * s);
  return Exact(static_cast<double>(exponent)) * Exact(0.69314718055994530942) + twice;
}

struct CosSin {
  Exact cos, sin;
};
/// Cosine and sine of 2 pi x, 0 <= x < 1.
RIDGE_CALL CosSin cos_sin_of_turns(double x) {
  const double quarters = std::floor(4 * x + 0.5);
  const Exact angle = Exact(4 * x - quarters) * Exact(1.57079632679489661923);
  constexpr double even[] = {1.0,
                             -1.0 / 2,
                             1.0 / 24,
                             -1.0 / 720,
                             1.0 / 40320,
                             -1.0 / 3628800,
                             1.0 / 479001600,
                             -1.0 / 87178291200,
                             1.0 / 20922789888000};
  constexpr double odd[] = {1.0,
                            -1.0 / 6,
                            1.0 / 120,
                            -1.0 / 5040,
                            1.0 / 362880,
                            -1.0 / 39916800,
                            1.0 / 6227020800,
                            -1.0 / 1307674368000,
                            1.0 / 355687428096000};
  const Exact square = angle * angle;
  const Exact c = polynomial(even, square);
  const Exact s = angle * polynomial(odd, square);
  switch (static_cast<int>(quarters) & 3) {
  case 0:
    return {c, s};
  case 1:
    return {-s, c};
  case 2:
    return {-c, -s};
  default:
    return {s, -c};
  }
}

} // namespace ridge::gauge::inline RIDGE_TARGET_NAME
