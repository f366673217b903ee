// Pack held in a vector register of the cpu, through the compiler's vector types.
#pragma once

#include <ridge/core/intrinsics.hpp>
#include <ridge/core/pack.hpp>

#include <cassert>
#include <cstdint>
#include <cstring>

namespace ridge {

/// Bytes of the widest vector register this translation unit may use.
#if defined(__AVX512F__)
inline constexpr int simd_bytes = 64;
#elif defined(__AVX__)
inline constexpr int simd_bytes = 32;
#else
inline constexpr int simd_bytes = 16;
#endif

/// The pack that fills one vector register.
template <class T>
using NativePack = Pack<T, simd_bytes / static_cast<int>(sizeof(T)), abi::Native>;

namespace detail {
template <int Bytes>
struct IntegerOf;
template <>
struct IntegerOf<4> {
  using type = std::int32_t;
};
template <>
struct IntegerOf<8> {
  using type = std::int64_t;
};

#if defined(__AVX512VL__)
/// Stores the elements of a register whose bits are set in `mask`.
template <int ElementBytes, class Register>
RIDGE_FN void store_masked(void* to, const Register& lanes, std::uint32_t mask) {
  if constexpr (sizeof(Register) == 64) {
    __m512i bits;
    std::memcpy(&bits, &lanes, 64);
    if constexpr (ElementBytes == 8) {
      _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), bits);
    } else {
      _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), bits);
    }
  } else {
    __m256i bits;
    std::memcpy(&bits, &lanes, 32);
    if constexpr (ElementBytes == 8) {
      _mm256_mask_storeu_epi64(to, static_cast<__mmask8>(mask), bits);
    } else {
      _mm256_mask_storeu_epi32(to, static_cast<__mmask8>(mask), bits);
    }
  }
}
#endif

#if defined(__SSE2__)
/// Stores a register of so many bytes past the caches.
template <int Bytes>
RIDGE_FN void stream_bytes(char* to, const char* from) {
#if defined(__AVX512F__)
  if constexpr (Bytes == 64) {
    __m512i bits;
    std::memcpy(&bits, from, 64);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), bits);
  }
#endif
#if defined(__AVX__)
  if constexpr (Bytes == 32) {
    __m256i bits;
    std::memcpy(&bits, from, 32);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), bits);
  }
#endif
  if constexpr (Bytes == 16) {
    __m128i bits;
    std::memcpy(&bits, from, 16);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), bits);
  }
}
#endif
} // namespace detail

template <class T, int N>
struct Mask<T, N, abi::Native> {
  using Integer = typename detail::IntegerOf<sizeof(T)>::type;
  typedef Integer Register __attribute__((vector_size(sizeof(T) * N)));
  Register bits;
  RIDGE_FN bool operator[](int i) const { return bits[i] != 0; }

  friend RIDGE_FN Mask operator&&(const Mask& a, const Mask& b) { return Mask{a.bits & b.bits}; }
  friend RIDGE_FN Mask operator||(const Mask& a, const Mask& b) { return Mask{a.bits | b.bits}; }
  friend RIDGE_FN Mask operator!(const Mask& a) { return Mask{~a.bits}; }
};

template <class T, int N>
struct Pack<T, N, abi::Native> {
  using MaskType = Mask<T, N, abi::Native>;
  typedef T Register __attribute__((vector_size(sizeof(T) * N)));
  Register lanes;

  Pack() = default;
  RIDGE_FN explicit Pack(Register r) : lanes(r) {}
  /// One value in every lane, from any number.
  template <class U>
  requires std::is_arithmetic_v<U> RIDGE_FN Pack(U value)
      : lanes(static_cast<T>(value) - Register{}) {}

  [[nodiscard]] RIDGE_FN T operator[](int i) const { return lanes[i]; }
  RIDGE_FN void set(int i, T value) { lanes[i] = value; }

  /// N elements from any address.
  [[nodiscard]] static RIDGE_FN Pack load(const T* from) {
    Pack p;
    std::memcpy(&p.lanes, from, sizeof(Register));
    return p;
  }
  RIDGE_FN void store(T* to) const { std::memcpy(to, &lanes, sizeof(Register)); }
  /// Lanes [begin, end) only, where 0 <= begin <= end <= N, which builds without NDEBUG check;
  /// nothing else of `to` is touched.
  RIDGE_FN void store_part(T* to, int begin, int end) const {
    assert(0 <= begin && begin <= end && end <= N);
#if defined(__AVX512VL__)
    if constexpr (sizeof(Register) >= 32) {
      detail::store_masked<sizeof(T)>(to, lanes, (1U << end) - (1U << begin));
      return;
    }
#endif
    store_elements(*this, to, begin, end);
  }
  /// Past the caches where the machine can, in as many registers as it takes; `to` is aligned to
  /// the pack's size.
  RIDGE_FN void stream(T* to) const {
#if defined(__SSE2__)
    if constexpr (sizeof(Register) >= 16) {
      constexpr int bytes = sizeof(Register);
      constexpr int piece = simd_bytes < bytes ? simd_bytes : bytes;
      RIDGE_UNROLL
      for (int i = 0; i < bytes; i += piece) {
        detail::stream_bytes<piece>(reinterpret_cast<char*>(to) + i,
                                    reinterpret_cast<const char*>(&lanes) + i);
      }
      return;
    }
#endif
    store(to);
  }

  /// A call, and of a copy, so that the caller keeps what it computes in registers.
  [[gnu::noinline]] static void store_elements(Pack p, T* to, int begin, int end) {
    T elements[N];
    p.store(elements);
    std::memcpy(to + begin, elements + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
  }

  friend RIDGE_FN Pack operator+(const Pack& a, const Pack& b) {
    return Pack(a.lanes + b.lanes);
  }
  friend RIDGE_FN Pack operator-(const Pack& a, const Pack& b) {
    return Pack(a.lanes - b.lanes);
  }
  friend RIDGE_FN Pack operator*(const Pack& a, const Pack& b) {
    return Pack(a.lanes * b.lanes);
  }
  friend RIDGE_FN Pack operator/(const Pack& a, const Pack& b) {
    return Pack(a.lanes / b.lanes);
  }
  friend RIDGE_FN Pack operator-(const Pack& a) {
    return Pack(-a.lanes);
  }
  friend RIDGE_FN MaskType operator<(const Pack& a, const Pack& b) {
    return MaskType{a.lanes < b.lanes};
  }
  friend RIDGE_FN MaskType operator<=(const Pack& a, const Pack& b) {
    return MaskType{a.lanes <= b.lanes};
  }
  friend RIDGE_FN MaskType operator==(const Pack& a, const Pack& b) {
    return MaskType{a.lanes == b.lanes};
  }
  friend RIDGE_FN MaskType operator!=(const Pack& a, const Pack& b) {
    return MaskType{a.lanes != b.lanes};
  }
  friend RIDGE_FN MaskType operator>(const Pack& a, const Pack& b) {
    return b < a;
  }
  friend RIDGE_FN MaskType operator>=(const Pack& a, const Pack& b) {
    return b <= a;
  }
  friend RIDGE_FN Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    return Pack(m.bits ? a.lanes : b.lanes);
  }
};

/// Its values in double. By hand where a register of doubles takes one instruction: g++ 12
/// converts its quarters and puts them together.
template <int N>
RIDGE_FN Pack<double, N, abi::Native> widen(const Pack<float, N, abi::Native>& x) {
  using Doubles = Pack<double, N, abi::Native>;
#if defined(__AVX512F__)
  if constexpr (N % 8 == 0) {
    Doubles result;
    RIDGE_UNROLL
    for (int i = 0; i < N / 8; ++i) {
      __m256 part;
      std::memcpy(&part, reinterpret_cast<const char*>(&x.lanes) + i * 32, 32);
      // With a mask, since the compiler takes the plain form's unused operand for uninitialised.
      const __m512d doubles = _mm512_maskz_cvtps_pd(0xff, part);
      std::memcpy(reinterpret_cast<char*>(&result.lanes) + i * 64, &doubles, 64);
    }
    return result;
  }
#endif
  return Doubles(__builtin_convertvector(x.lanes, typename Doubles::Register));
}

/// Makes this thread's stores past the caches visible before what it does next.
inline void store_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace ridge
