// Sums whose bits do not depend on the order of additions, after Demmel and Nguyen (2015) with bins
// in fixed places, and Rump's error-free extraction.
//
// The real axis has bins of 40 bits: unit u_j = 2^(40 j - 34), so that the least number of all,
// 2^-1074, is u_-26. An accumulator has a top bin j such that all values so far are below
// 1.5 * 2^38 u_j, and holds the sum of all values rounded to multiples of u_(j-2): exactly, as
// multiples of u_j, u_(j-1) and u_(j-2). Which j that is depends on the greatest magnitude alone,
// and a value that a lower top bin has split falls into the same multiples: any order, and any
// partition, gives the same integers. They lose less than 2^-80 of the greatest magnitude a value.
//
// The anchors of bins for magnitudes of 2^964 and more would be infinite. Such accumulators hold
// all of their words times 2^-160, and the anchor negative: then nothing has room, and each value
// is scaled before it is split.
#pragma once

#include <ridge/core/pack.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// Seldom run, and long for packs, lane by lane: inlined everywhere they were most of what a
// reduction for the cpu takes to compile.
#if defined(__CUDACC__) || defined(__HIP__)
#define RIDGE_SELDOM_FN RIDGE_FN
#else
#define RIDGE_SELDOM_FN [[gnu::noinline]]
#endif

namespace ridge::lattice {

namespace detail {

/// Keeps the compiler from joining what made `x` with what uses it to one fused operation, whose
/// rounding would differ.
template <class T>
requires std::is_floating_point_v<T> RIDGE_FN T opaque(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    return __dadd_rn(x, -0.0);
  } else {
    return __fadd_rn(x, -0.0f);
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  asm volatile("" : "+v"(x));
  return x;
#elif defined(__x86_64__)
  asm("" : "+x"(x));
  return x;
#else
  volatile T held = x;
  return held;
#endif
}

template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> opaque(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return opaque(x.lane[i]); });
}

#if defined(RIDGE_TARGET_CPU)
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> opaque(Pack<T, N, abi::Native> x) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * N;
  constexpr int piece = simd_bytes < bytes ? simd_bytes : bytes;
  typedef T Register __attribute__((vector_size(piece)));
  Register parts[bytes / piece];
  std::memcpy(parts, &x.lanes, sizeof parts);
  for (Register& part : parts) {
#if defined(__x86_64__)
    asm("" : "+v"(part));
#endif
  }
  std::memcpy(&x.lanes, parts, sizeof parts);
  return x;
}
#endif

/// True when `test` holds in every lane.
RIDGE_FN bool all_of(bool test) {
  return test;
}
template <class T, int N>
RIDGE_FN bool all_of(const Mask<T, N, abi::Array>& test) {
  bool all = true;
  for (int i = 0; i < N; ++i)
    all = all && test.lane[i];
  return all;
}
#if defined(RIDGE_TARGET_CPU)
template <class T, int N>
RIDGE_FN bool all_of(const Mask<T, N, abi::Native>& test) {
#if defined(__x86_64__)
  constexpr int bytes = static_cast<int>(sizeof(test.bits));
  if constexpr (sizeof(T) == 8 && bytes >= simd_bytes) {
    typedef std::int64_t Register __attribute__((vector_size(simd_bytes)));
    Register parts[bytes / simd_bytes];
    std::memcpy(parts, &test.bits, sizeof parts);
    for (int i = 1; i < bytes / simd_bytes; ++i)
      parts[0] &= parts[i];
#if defined(__AVX512DQ__)
    __m512i bits;
    std::memcpy(&bits, parts, sizeof bits);
    return _mm512_movepi64_mask(bits) == 0xff;
#elif defined(__AVX__) && !defined(__AVX512F__)
    __m256d bits;
    std::memcpy(&bits, parts, sizeof bits);
    return _mm256_movemask_pd(bits) == 0xf;
#elif !defined(__AVX__)
    __m128d bits;
    std::memcpy(&bits, parts, sizeof bits);
    return _mm_movemask_pd(bits) == 0x3;
#endif
  }
#endif
  bool all = true;
  for (int i = 0; i < N; ++i)
    all = all && test[i];
  return all;
}
#endif

RIDGE_FN double absolute(double x) {
  return std::fabs(x);
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> absolute(const Pack<T, N, A>& x) {
  return select(x < Pack<T, N, A>(0.0), -x, x);
}
RIDGE_FN double element(double x, int /*i*/) {
  return x;
}
template <class T, int N, class A>
RIDGE_FN T element(const Pack<T, N, A>& x, int i) {
  return x[i];
}
RIDGE_FN void set_element(double& x, int /*i*/, double value) {
  x = value;
}
template <class T, int N, class A>
RIDGE_FN void set_element(Pack<T, N, A>& x, int i, T value) {
  x.set(i, value);
}

} // namespace detail

template <class V>
struct BinnedSum {
  /// The anchor 1.5 * 2^52 u_j of the top bin; its multiples and those of the two bins below; what
  /// was carried out of each, in multiples of 2^40 units; infinities and NaNs.
  static constexpr int words = 8;
  static constexpr int period = 1024;
  V w[words];

  static constexpr double bin = 0x1p40, next_bin = 0x1p-40;
  static constexpr double lowest_anchor = 0x1.8p-942; // j = -24
  static constexpr double largest_anchor = 0x1.8p978; // j = 24; above it words are scaled
  static constexpr double down = 0x1p-160, up = 0x1p160;

  RIDGE_FN void clear() {
    w[0] = V(lowest_anchor);
    RIDGE_UNROLL
    for (int i = 1; i < words; ++i)
      w[i] = V(0.0);
  }

  RIDGE_FN void add(V x) {
    if (!has_room(x)) make_room(x);
    add_below_top(x);
  }
  /// True when x needs no higher bin.
  [[nodiscard]] RIDGE_FN bool has_room(const V& x) const {
    return detail::all_of(detail::absolute(x) < w[0] * V(0x1p-14));
  }
  /// Takes an x that has room: no branch, so that a device works on several at once.
  RIDGE_FN void add_below_top(V x) {
    V anchor = w[0];
    RIDGE_UNROLL
    for (int k = 1; k <= 3; ++k) {
      const V part = (anchor + x) - anchor;
      w[k] += part;
      x -= part;
      anchor = anchor * V(next_bin);
    }
  }
  RIDGE_FN void add_product(const V& x, const V& y) { add(detail::opaque(x * y)); }

  /// Carries what is beyond 2^40 units.
  RIDGE_FN void settle() {
    V anchor = w[0] * V(bin);
    RIDGE_UNROLL
    for (int k = 1; k <= 3; ++k) {
      const V part = (anchor + w[k]) - anchor;
      w[k + 3] += part;
      w[k] -= part;
      anchor = anchor * V(next_bin);
    }
  }

  RIDGE_SELDOM_FN void merge(BinnedSum other) {
    settle();
    other.settle();
    if (!detail::all_of(w[0] <= other.w[0]) || !detail::all_of(other.w[0] <= w[0])) {
      raise(other.w[0]);
      other.raise(w[0]);
    }
    RIDGE_UNROLL
    for (int k = 1; k < words; ++k)
      w[k] += other.w[k];
    settle();
  }
  RIDGE_FN void negate() {
    RIDGE_UNROLL
    for (int k = 1; k < words; ++k)
      w[k] = -w[k];
  }
  [[nodiscard]] RIDGE_FN BinnedSum<double> lane(int i) const {
    BinnedSum<double> one;
    for (int k = 0; k < words; ++k)
      one.w[k] = detail::element(w[k], i);
    return one;
  }

  /// The integers as one number, carried through so that equal sums have equal digits.
  [[nodiscard]] RIDGE_FN double value() const {
    if (w[7] != w[7]) return std::numeric_limits<double>::quiet_NaN();
    if (w[7] != 0) return w[7];
    const bool scaled = w[0] < 0;
    const double anchor = scaled ? -w[0] : w[0];
    // The inverse of very small units would be infinite.
    const double lift = anchor < 0x1p-700 ? 0x1p200 : 1.0;
    const double unit = anchor * lift / 0x1.8p52;
    constexpr int digits = 4;
    std::int64_t d[digits] = {};
    double scale = 1 / unit;
    for (int k = 1; k <= 3; ++k) { // digit 3 - k has units u_(j + 1 - k)
      d[3 - k] += static_cast<std::int64_t>(w[k] * lift * scale);
      d[4 - k] += static_cast<std::int64_t>(w[k + 3] * lift * (scale * next_bin));
      scale *= bin;
    }
    carry(d);
    const bool negative = d[digits - 1] < 0;
    if (negative) {
      for (std::int64_t& digit : d)
        digit = -digit;
      carry(d);
    }
    double sum = static_cast<double>(d[digits - 1]);
    for (int k = digits - 2; k >= 0; --k)
      sum = sum * bin + static_cast<double>(d[k]);
    sum = sum * (unit * (next_bin * next_bin));
    sum = scaled ? sum * up : sum / lift;
    return negative ? -sum : sum;
  }

  /// Raises the top bin above x. Takes x aside when it is not finite, and adds it here when its
  /// accumulator is scaled: then what remains of x is 0.
  RIDGE_SELDOM_FN void make_room(V& x) {
    using detail::element;
    using detail::set_element;
    for (int i = 0; i < lanes_of<V>; ++i) {
      const double value = element(x, i);
      if (!(std::fabs(value) <= std::numeric_limits<double>::max())) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double aside = value != value ? value : value < 0 ? -infinity : infinity;
        set_element(w[7], i, element(w[7], i) + aside);
        set_element(x, i, 0.0);
        continue;
      }
      while (!fits(value, element(w[0], i)))
        shift(i);
      if (element(w[0], i) < 0) {
        add_scaled(value * down, i);
        set_element(x, i, 0.0);
      }
    }
  }
  /// Makes room for several x that will be added together.
  template <int N>
  RIDGE_FN void make_room_for_all(V (&x)[N]) {
    RIDGE_NO_UNROLL
    for (int pass = 0; pass < 2; ++pass) { // one may scale what had room before it
      RIDGE_UNROLL
      for (int n = 0; n < N; ++n)
        make_room(x[n]);
    }
  }
  /// Whether a value needs no higher bin than that of an anchor.
  static RIDGE_FN bool fits(double value, double anchor) {
    return anchor < 0 ? std::fabs(value * down) < -anchor * 0x1p-14
                      : std::fabs(value) < anchor * 0x1p-14;
  }
  /// The top bins become those of `top` where these are higher.
  RIDGE_SELDOM_FN void raise(const V& top) {
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<V>; ++i) {
      while (height(detail::element(w[0], i)) < height(detail::element(top, i)))
        shift(i);
    }
  }

private:
  static RIDGE_FN void carry(std::int64_t (&d)[4]) {
    constexpr std::int64_t mask = (std::int64_t{1} << 40) - 1;
    for (int k = 0; k < 3; ++k) {
      d[k + 1] += d[k] >> 40;
      d[k] &= mask;
    }
  }
  /// Orders anchors: those of scaled accumulators are above all others.
  static RIDGE_FN double height(double anchor) { return anchor < 0 ? -anchor * up : anchor; }
  /// Splits a value that is scaled and has room.
  RIDGE_FN void add_scaled(double x, int i) {
    using detail::element;
    using detail::set_element;
    double anchor = element(w[0], i);
    for (int k = 1; k <= 3; ++k) {
      const double part = (anchor + x) - anchor;
      set_element(w[k], i, element(w[k], i) + part);
      x -= part;
      anchor = anchor * next_bin;
    }
  }
  /// The next bin up becomes the top one of lane i.
  RIDGE_FN void shift(int i) {
    using detail::element;
    using detail::set_element;
    if (element(w[0], i) == largest_anchor) { // from here on all is scaled
      set_element(w[0], i, -largest_anchor * down);
      for (int k = 1; k < words - 1; ++k)
        set_element(w[k], i, element(w[k], i) * down);
    }
    set_element(w[0], i, element(w[0], i) * bin);
    for (int k = 3; k > 1; --k) {
      set_element(w[k], i, element(w[k - 1], i));
      set_element(w[k + 3], i, element(w[k + 2], i));
    }
    set_element(w[1], i, 0.0);
    set_element(w[4], i, 0.0);
  }
};

} // namespace ridge::lattice

#undef RIDGE_SELDOM_FN
