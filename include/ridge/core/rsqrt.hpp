// 1/sqrt(x) in three grades, the same call on every device.
#pragma once

#include <ridge/core/math.hpp>

namespace ridge {

/// How exact a reciprocal square root is. The kernel chooses; each device does what it must.
///   approximate   the device's one instruction: see approximate_rsqrt
///   refined       relative error at most 2^-22 in float and 2^-50 in double: the instruction where
///                 it is as good, with a step of Newton's or Householder's iteration where not
///   exact         a square root and a division, each rounded as IEEE 754 says
enum class Grade { approximate, refined, exact };

namespace detail {

/// Bits that approximate_rsqrt has right, for float and double.
template <class T>
RIDGE_FN constexpr int approximate_bits() {
#if defined(RIDGE_TARGET_CUDA)
  return sizeof(T) == 4 ? 22 : 19;
#elif defined(RIDGE_TARGET_HIP)
  return sizeof(T) == 4 ? 23 : 19;
#elif defined(RIDGE_TARGET_CPU) && defined(__AVX512F__)
  return 13;
#elif defined(RIDGE_TARGET_CPU) && defined(__x86_64__)
  return sizeof(T) == 4 ? 11 : 53;
#else
  return sizeof(T) == 4 ? 22 : 53;
#endif
}

/// One step of Householder's iteration for y ~ 1/sqrt(x): with e = 1 - x y^2, the series
/// y (1 + e/2 + 3/8 e^2 + 5/16 e^3) cut after the power `Order` of e.
template <int Order, class V>
RIDGE_FN V improve_rsqrt(const V& x, const V& y) {
  const V e = V(1) - (x * y) * y;
  if constexpr (Order == 1) {
    return y + (y * V(0.5)) * e;
  } else if constexpr (Order == 2) {
    return y + (y * e) * (e * V(0.375) + V(0.5));
  } else {
    return y + (y * e) * (e * (e * V(0.3125) + V(0.375)) + V(0.5));
  }
}

} // namespace detail

/// 1/sqrt(x) of each lane, x normal and positive. V is a pack or a plain float or double.
template <Grade G, class V>
RIDGE_FN V rsqrt(const V& x) {
  using T = Element<V>;
  if constexpr (G == Grade::exact) {
    return V(1) / square_root(x);
  } else {
    const V y = approximate_rsqrt(x);
    constexpr int have = detail::approximate_bits<T>();
    constexpr int want = sizeof(T) == 4 ? 22 : 50;
    if constexpr (G == Grade::approximate || have >= want) {
      return y;
    } else {
      // A step of order k leaves about (k + 1) times the bits.
      constexpr int order = 2 * have >= want ? 1 : 3 * have >= want ? 2 : 3;
      return detail::improve_rsqrt<order>(x, y);
    }
  }
}

/// Vector operations beside the first approximation that rsqrt of this grade takes on this device
/// kind; for ceilings.
template <Grade G, class T>
RIDGE_FN constexpr int rsqrt_steps() {
  constexpr int have = detail::approximate_bits<T>();
  constexpr int want = sizeof(T) == 4 ? 22 : 50;
  if (G != Grade::refined || have >= want) return 0;
  return 2 * have >= want ? 4 : 3 * have >= want ? 5 : 6;
}

} // namespace ridge
