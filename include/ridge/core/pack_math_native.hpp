// The functions of ridge/core/pack_math.hpp of the cpu's vector registers, by a vector math
// library.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/core/pack_native.hpp>

#include <cmath>

namespace ridge {

namespace detail {

/// One call of the library a register; src/core/pack_math_kernels_cpu.cpp has them for registers of
/// `simd_bytes` bytes.
template <class T>
struct VectorMath {
  using Vector = NativePack<T>;
  using Register = typename Vector::Register;
  static Register exp(Register x);
  static Register log(Register x);
  static Register pow(Register x, Register y);
  static Register sin(Register x);
  static Register cos(Register x);
};

/// Calls `f` with registers that hold the lanes of `x`. What a smaller pack leaves of a register
/// repeats its first lane: no lane brings an exception or a slow path that the pack has not.
template <class T, int N, class F, class... Packs>
RIDGE_FN Pack<T, N, abi::Native> by_registers(F f, const Pack<T, N, abi::Native>& x,
                                              const Packs&... more) {
  using Whole = NativePack<T>;
  constexpr int width = lanes_of<Whole>;
  if constexpr (N == width) {
    return Pack<T, N, abi::Native>(f(x.lanes, more.lanes...));
  } else {
    Pack<T, N, abi::Native> result;
    for (int first = 0; first < N; first += width) {
      const auto part = [&](const Pack<T, N, abi::Native>& p) {
        Whole w(p[first]);
        for (int i = 1; i < width && first + i < N; ++i)
          w.set(i, p[first + i]);
        return w.lanes;
      };
      const Whole y(f(part(x), part(more)...));
      for (int i = 0; i < width && first + i < N; ++i)
        result.set(first + i, y[i]);
    }
    return result;
  }
}

} // namespace detail

template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> exp(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::VectorMath<T>::exp(r); }, x);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> log(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::VectorMath<T>::log(r); }, x);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> pow(const Pack<T, N, abi::Native>& x,
                                     const Pack<T, N, abi::Native>& y) {
  return detail::by_registers([](auto r, auto s) { return detail::VectorMath<T>::pow(r, s); }, x,
                              y);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> sin(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::VectorMath<T>::sin(r); }, x);
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> cos(const Pack<T, N, abi::Native>& x) {
  return detail::by_registers([](auto r) { return detail::VectorMath<T>::cos(r); }, x);
}
/// The compilers make one instruction a register of this loop.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> sqrt(const Pack<T, N, abi::Native>& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.lanes) == 64) {
    Pack<T, N, abi::Native> y;
    if constexpr (sizeof(T) == 8) {
      // Not _mm512_sqrt_pd: g++ 12 warns of its undefined merge source.
      const __m512d r = _mm512_maskz_sqrt_pd(0xff, (__m512d)x.lanes);
      std::memcpy(&y.lanes, &r, 64);
    } else {
      const __m512 r = _mm512_maskz_sqrt_ps(0xffff, (__m512)x.lanes);
      std::memcpy(&y.lanes, &r, 64);
    }
    return y;
  }
#endif
  Pack<T, N, abi::Native> y;
  for (int i = 0; i < N; ++i)
    y.set(i, std::sqrt(x[i]));
  return y;
}

} // namespace ridge
