// Values that are computed only where some item needs them.
#pragma once

#include <ridge/core/functions.hpp>

#include <type_traits>

namespace ridge {

/// any(m) of a register's lanes in one or two instructions.
template <class T, int N, class A>
RIDGE_FN bool any_lane(const Mask<T, N, A>& m) {
#if defined(RIDGE_TARGET_CPU) && defined(__AVX__)
  if constexpr (requires { m.bits; }) {
    constexpr int bytes = N * static_cast<int>(sizeof(T));
#if defined(__AVX512F__)
    if constexpr (bytes == 64) {
      __m512i bits;
      std::memcpy(&bits, &m.bits, 64);
      return _mm512_test_epi64_mask(bits, bits) != 0;
    }
#endif
    if constexpr (bytes == 32) {
      __m256i bits;
      std::memcpy(&bits, &m.bits, 32);
      return _mm256_testz_si256(bits, bits) == 0;
    }
    if constexpr (bytes == 16) {
      __m128i bits;
      std::memcpy(&bits, &m.bits, 16);
      return _mm_testz_si128(bits, bits) == 0;
    }
  }
#endif
  return any(m);
}

/// select(m, inside(), otherwise) to the bit, but `inside` is computed only where m holds for one
/// of the items computed together: a pack of a cpu, a warp of a GPU. It must have no effects. All
/// its items are computed then: where neighbours differ, some in vain (docs/doctor.md,
/// divergent-branches).
template <class T, int N, class A, class F, class Y>
RIDGE_FN auto branch(const Mask<T, N, A>& m, const F& inside, const Y& otherwise) {
  using R = decltype(select(m, inside(), otherwise));
  if constexpr (requires { m.sure; }) { // bounds of rounding: the other way is possible, too
    return select(m, inside(), otherwise);
  } else {
    R value(otherwise);
    if (any_lane(m)) value = select(m, inside(), value);
    return value;
  }
}
template <class F, class Y>
RIDGE_FN auto branch(bool m, const F& inside, const Y& otherwise) {
  using R = decltype(select(m, inside(), otherwise));
  return m ? R(inside()) : R(otherwise);
}

} // namespace ridge
