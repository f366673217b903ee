// Sums whose bits do not depend on the order of additions, after Demmel and Nguyen (2015) with bins
// in fixed places, and Rump's error-free extraction.
//
// The real axis has bins of 40 bits: unit u_j = 2^(40 j). An accumulator has a top bin j such that
// all values so far are below 1.5 * 2^38 u_j, and holds the sum of all values rounded to multiples
// of u_(j-2): exactly, as multiples of u_j, u_(j-1) and u_(j-2). Which j that is depends on the
// greatest magnitude alone, and a value that a lower top bin has split falls into the same
// multiples: any order, and any partition, gives the same integers. They lose less than 2^-80 of
// the greatest magnitude a value.
//
// Magnitudes of 2^958 and more count as infinite; parts below 2^-960 count as 0.
#pragma once

#include <ridge/core/pack.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

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
#if defined(__AVX512DQ__)
  if constexpr (sizeof(test.bits) == 64 && sizeof(T) == 8) {
    __m512i bits;
    std::memcpy(&bits, &test.bits, 64);
    return _mm512_movepi64_mask(bits) == 0xff;
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
  static constexpr double lowest_anchor = 0x1.8p-828; // j = -22
  static constexpr double largest_anchor = 0x1.8p972; // j = 23

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

  RIDGE_FN void merge(BinnedSum other) {
    settle();
    other.settle();
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<V>; ++i) {
      while (detail::element(w[0], i) < detail::element(other.w[0], i))
        shift(i);
      while (detail::element(other.w[0], i) < detail::element(w[0], i))
        other.shift(i);
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
    const double unit = w[0] / 0x1.8p52;
    constexpr int digits = 4;
    std::int64_t d[digits] = {};
    double scale = 1 / unit;
    for (int k = 1; k <= 3; ++k) { // digit 3 - k has units u_(j + 1 - k)
      d[3 - k] += static_cast<std::int64_t>(w[k] * scale);
      d[4 - k] += static_cast<std::int64_t>(w[k + 3] * (scale * next_bin));
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
    return negative ? -sum : sum;
  }

  /// Raises the top bin above x, or takes x aside when it is beyond all bins.
  RIDGE_FN void make_room(V& x) {
    using detail::element;
    using detail::set_element;
    for (int i = 0; i < lanes_of<V>; ++i) {
      const double value = element(x, i);
      if (!(std::fabs(value) < largest_anchor * 0x1p-14)) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double aside = value != value ? value : value < 0 ? -infinity : infinity;
        set_element(w[7], i, element(w[7], i) + aside);
        set_element(x, i, 0.0);
        continue;
      }
      while (!(std::fabs(value) < element(w[0], i) * 0x1p-14))
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
  /// The next bin up becomes the top one of lane i.
  RIDGE_FN void shift(int i) {
    using detail::element;
    using detail::set_element;
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
