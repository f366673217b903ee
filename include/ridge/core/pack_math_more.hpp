// tan, tanh and hypot of packs: functions that few kernels call.
//
// Errors, in units in the last place of the result: on the cpu 1.0 (SLEEF's u10 functions; hypot
// 0.51), elsewhere those of the toolkit's or C library's functions of a single number.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/core/pack_math.hpp>

#include <cmath>

namespace ridge {

#if defined(RIDGE_TARGET_CPU)

namespace detail {

/// As VectorMath; src/core/pack_math_kernels_cpu.cpp has them.
template <class T>
struct MoreVectorMath {
  using Register = typename NativePack<T>::Register;
  static Register tan(Register x);
  static Register tanh(Register x);
  static Register hypot(Register x, Register y);
};

} // namespace detail

template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> tan(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::MoreVectorMath<T>::tan(r); }, x);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> tanh(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::MoreVectorMath<T>::tanh(r); }, x);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> hypot(const Pack<T, N, abi::Native>& x,
                                       const Pack<T, N, abi::Native>& y) {
  return detail::by_registers([](auto r, auto s) { return detail::MoreVectorMath<T>::hypot(r, s); },
                              x, y);
}

#endif

template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> tan(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::tan(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> tanh(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::tanh(x.lane[i]); });
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> hypot(const Pack<T, N, abi::Array>& x,
                                      const Pack<T, N, abi::Array>& y) {
  return Pack<T, N, abi::Array>::make([&](int i) { return ::hypot(x.lane[i], y.lane[i]); });
}

} // namespace ridge
