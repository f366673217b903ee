// a * b + c in one rounding, where the device has an instruction for it.
#pragma once

#include <ridge/core/pack.hpp>

namespace ridge {

/// a * b + c of each lane. On GPUs always one fused operation: compilers that look for packed
/// instructions first may leave a product and a sum apart. Elsewhere as the compiler contracts it.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> fma(const Pack<T, N, abi::Array>& a,
                                    const Pack<T, N, abi::Array>& b,
                                    const Pack<T, N, abi::Array>& c) {
#if defined(__CUDACC_RTC__) // which has no builtins
  return Pack<T, N, abi::Array>::make(
      [&](int i) { return ::fma(a.lane[i], b.lane[i], c.lane[i]); });
#elif defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return Pack<T, N, abi::Array>::make([&](int i) {
    if constexpr (sizeof(T) == 4) {
      return __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]);
    } else {
      return __builtin_fma(a.lane[i], b.lane[i], c.lane[i]);
    }
  });
#else
  return a * b + c;
#endif
}

#if defined(RIDGE_TARGET_CPU)
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> fma(const Pack<T, N, abi::Native>& a,
                                     const Pack<T, N, abi::Native>& b,
                                     const Pack<T, N, abi::Native>& c) {
  return a * b + c;
}
#endif

} // namespace ridge
