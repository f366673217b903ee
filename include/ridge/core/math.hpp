// Mathematics that device kinds have instructions of their own for.
#pragma once

#include <ridge/core/pack.hpp>

#include <cmath>
#include <cstring>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/core/intrinsics.hpp>
#endif

namespace ridge {

/// 1/sqrt(x) by the one instruction the device has for it, for x normal and positive. Relative
/// error at most
///   cuda   2^-22.4 (rsqrt.approx.ftz.f32; subnormal x counts as 0)
///   hip    2^-23   (v_rsq_f32: 1 ulp)
///   cpu    2^-14 with AVX-512, 1.5 * 2^-12 with SSE and AVX (rsqrt14ps, rsqrtps)
///   else   2^-22   (a division and a square root)
RIDGE_FN float approximate_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_rsqf(x);
#elif defined(RIDGE_TARGET_CPU) && defined(__AVX512F__)
  return _mm_cvtss_f32(_mm_rsqrt14_ss(_mm_setzero_ps(), _mm_set_ss(x)));
#elif defined(RIDGE_TARGET_CPU) && defined(__x86_64__)
  return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x)));
#else
  return 1.0F / std::sqrt(x);
#endif
}

/// A first approximation in double, of relative error at most
///   cuda, hip   2^-19 (rsqrt.approx.ftz.f64, v_rsq_f64)
///   cpu         2^-14 with AVX-512 (rsqrt14pd)
///   else        2^-53 (a division and a square root)
RIDGE_FN double approximate_rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_rsq(x);
#elif defined(RIDGE_TARGET_CPU) && defined(__AVX512F__)
  return _mm_cvtsd_f64(_mm_rsqrt14_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// 1/x in the same way, within 2^-19.
///   cuda, hip   rcp.approx.ftz.f64, v_rcp_f64
///   else        a division in float
RIDGE_FN double approximate_reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_rcp(x);
#else
  return static_cast<double>(1.0F / static_cast<float>(x));
#endif
}

/// approximate_rsqrt of every lane.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> approximate_rsqrt(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return approximate_rsqrt(x.lane[i]); });
}

/// The square root, correctly rounded.
RIDGE_FN float square_root(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_sqrtf(x);
#else
  return std::sqrt(x);
#endif
}
RIDGE_FN double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_sqrt(x);
#else
  return std::sqrt(x);
#endif
}
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> square_root(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return square_root(x.lane[i]); });
}

#if defined(RIDGE_TARGET_CPU)

/// One instruction where there is one for N lanes.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> approximate_rsqrt(const Pack<T, N, abi::Native>& x) {
  Pack<T, N, abi::Native> y;
  // Does `instruction` to the lanes as one register.
  [[maybe_unused]] const auto as_register = [&](auto bits, auto instruction) {
    std::memcpy(&bits, &x.lanes, sizeof bits);
    bits = instruction(bits);
    std::memcpy(&y.lanes, &bits, sizeof bits);
    return y;
  };
#if defined(__AVX512F__)
  // Not _mm512_rsqrt14_ps: g++ 12 warns of its undefined merge source.
  if constexpr (sizeof(T) == 4 && N == 16) {
    return as_register(__m512{}, [](__m512 v) { return _mm512_maskz_rsqrt14_ps(0xffff, v); });
  }
  if constexpr (sizeof(T) == 8 && N == 8) {
    return as_register(__m512d{}, [](__m512d v) { return _mm512_maskz_rsqrt14_pd(0xff, v); });
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4 && N == 8) {
    return as_register(__m256{}, [](__m256 v) { return _mm256_rsqrt_ps(v); });
  }
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(T) == 4 && N == 4) {
    return as_register(__m128{}, [](__m128 v) { return _mm_rsqrt_ps(v); });
  }
#endif
  for (int i = 0; i < N; ++i)
    y.set(i, approximate_rsqrt(x[i]));
  return y;
}

/// Compilers make this the vector instruction.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> square_root(const Pack<T, N, abi::Native>& x) {
  Pack<T, N, abi::Native> y;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    y.lanes[i] = std::sqrt(x.lanes[i]);
  return y;
}

#endif

} // namespace ridge
