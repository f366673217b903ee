// exp, log, pow, sqrt, sin and cos of packs.
//
// Errors, in units in the last place of the result:
//   cpu    sqrt 0.5; the others 1.0 (SLEEF's u10 functions, for every lane and for packs of one
//          lane too, so that a result does not depend on where a pack begins)
//   cuda, hip, emulated GPU   those of the toolkit's or C library's functions of a single number
//          (CUDA, fp64: exp 1, log 1, pow 2, sin 2, cos 2, sqrt 0.5)
#pragma once

#include <ridge/core/pack.hpp>

#include <cmath>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/core/pack_math_native.hpp>
#endif

namespace ridge {

template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> exp(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::exp(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> log(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::log(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> pow(const Pack<T, N, abi::Array>& x,
                                    const Pack<T, N, abi::Array>& y) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::pow(x.lane[i], y.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> sqrt(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::sqrt(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> sin(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::sin(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> cos(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::cos(x.lane[i]); });
}

/// x to the power of one number.
template <class T, int N, class A, class U>
requires std::is_arithmetic_v<U> RIDGE_FN Pack<T, N, A> pow(const Pack<T, N, A>& x, U y) {
  return pow(x, Pack<T, N, A>(y));
}

} // namespace ridge
