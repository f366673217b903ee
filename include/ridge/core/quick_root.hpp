// Roots and reciprocals for kernels that compute more than they wait for memory, as those of
// quick_math.hpp: without the branches that toolkits take for very small and very large numbers,
// which keep loads and other roots from being under way at the same time.
//
// Errors on GPUs, in units in the last place: 2, of normal numbers with normal results. On other
// devices they are sqrt(x) and 1 / x.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/quick_math.hpp>

#include <type_traits>

namespace ridge {

namespace detail {

/// Keeps the root of 0 from being 0 times infinity.
inline constexpr double least_of_root = 1e-280;

/// sqrt(x) of y ~ 1/sqrt(x), within 2^-19: Householder's iteration, as improve_rsqrt.
RIDGE_FN double improved_root(double x, double y) {
  const double root = x * y;
  const double e = std::fma(-root, y, 1.0);
  return std::fma(root * e, std::fma(e, 0.375, 0.5), root);
}
RIDGE_FN double quick_root_of(double x) {
  const double above_0 = x + least_of_root;
  return improved_root(above_0, approximate_rsqrt(above_0));
}
RIDGE_FN float quick_root_of(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_sqrtf(x);
#else
  return std::sqrt(x);
#endif
}

RIDGE_FN double quick_reciprocal_of(double x) {
  return quick_reciprocal(x);
}
RIDGE_FN float quick_reciprocal_of(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_rcpf(x);
#else
  return 1.0F / x;
#endif
}

#if defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
template <class V>
inline constexpr bool takes_quick_roots = false;
template <class T, int N>
inline constexpr bool takes_quick_roots<Pack<T, N, abi::Array>> = true;
#else
template <class V>
inline constexpr bool takes_quick_roots = false;
#endif

} // namespace detail

/// The greater of each lane; NaN where one is, if only on GPUs in float where the second one is.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> quick_max(const Pack<T, N, A>& a, const Pack<T, N, A>& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Pack<T, N, A>, Pack<float, N, abi::Array>>) {
    return Pack<T, N, A>::make([&](int i) {
      float y;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a.lane[i]), "f"(b.lane[i]));
      return y;
    });
  }
#endif
  return max(a, b);
}

/// sqrt(x) of each lane, x no less than 0; of 0 a number up to 1e-140.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> quick_root(const Pack<T, N, A>& x) {
  if constexpr (detail::takes_quick_roots<Pack<T, N, A>>) {
    return Pack<T, N, A>::make([&](int i) { return detail::quick_root_of(x.lane[i]); });
  } else {
    return sqrt(x);
  }
}

/// 1/x of each lane.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> quick_reciprocal(const Pack<T, N, A>& x) {
  using P = Pack<T, N, A>;
  if constexpr (detail::takes_quick_roots<P>) {
    return P::make([&](int i) { return detail::quick_reciprocal_of(x.lane[i]); });
  } else {
    return P(1) / x;
  }
}

} // namespace ridge
