// How the numbers of site tensors are stored: as they are, as the first two rows of a matrix of
// SU(3), or in 16 bits with a scale.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/view.hpp>
#include <ridge/lattice/stored/grid.hpp>
#include <ridge/lattice/tensor.hpp>

#include <cstdint>

namespace ridge::lattice {

/// Numbers of 16 bits, two in a word: round(32767 x / m), where m is the largest magnitude of the
/// site (tensors with a scale) or 1 (links). The error is at most m / 65534 a number.
struct Fixed16 {};

template <class Number>
struct StoredNumber {
  using Real = Number;           ///< what is computed with
  using Element = Number;        ///< what memory holds
  static constexpr int each = 1; ///< numbers of an element
  static constexpr bool fixed = false;
};
template <>
struct StoredNumber<Fixed16> {
  using Real = float;
  using Element = std::uint32_t;
  static constexpr int each = 2;
  static constexpr bool fixed = true;
};

/// Elements of a site: `Reals` of its numbers, and a word of scale for spinors in 16 bits.
template <class Tensor, class Number, int Reals>
struct StoredCode {
  using Real = typename StoredNumber<Number>::Real;
  using Element = typename StoredNumber<Number>::Element;
  static constexpr int reals = Reals;
  static constexpr int elements = Reals / StoredNumber<Number>::each;
  static constexpr bool fixed = StoredNumber<Number>::fixed;
  /// Links have magnitudes of at most 1.
  static constexpr bool scaled = fixed && components_of<Tensor> != 9;
  static constexpr bool two_rows = components_of<Tensor> == 9 && Reals == 12;
  static constexpr int words = elements + (scaled ? 1 : 0); ///< elements with the scale
  /// Fields of spinors have a value for each value of the fifth dimension; links have one a site.
  static constexpr bool inner = components_of<Tensor> != 9;
  static constexpr int site_bytes = words * static_cast<int>(sizeof(Element));
};

/// A stored field as kernels see it. `Site` is a tensor, const where it is read only.
template <class Site, class Number, int Reals = reals_of<std::remove_const_t<Site>>>
struct StoredView {
  using Tensor = std::remove_const_t<Site>;
  using Code = StoredCode<Tensor, Number, Reals>;
  using Real = typename Code::Real;
  using Element = std::conditional_t<std::is_const_v<Site>, const typename Code::Element,
                                     typename Code::Element>;
  Span<Element> elements;
  int lanes = 1; ///< of a group

  StoredView() = default;
  RIDGE_FN StoredView(const Span<Element>& e, int lanes_) : elements(e), lanes(lanes_) {}
  template <class Other>
  requires std::is_same_v<const Other, Site>
      RIDGE_FN StoredView(const StoredView<Other, Number, Reals>& v) // NOLINT
      : elements(v.elements), lanes(v.lanes) {}
};

/// Index of element `e` of a lane of a group of `lanes`, where `chunk` elements of a lane lie
/// together; those that fill no chunk follow as a shorter one, and then the scale.
template <class Code>
[[nodiscard]] RIDGE_FN Index element_at(Index group, int lane, int lanes, int chunk, int e) {
  const Index base = group * lanes * Code::words;
  if (e >= Code::elements) return base + Index{Code::elements} * lanes + lane; // the scale
  const int whole = Code::elements / chunk * chunk;
  if (e < whole) return base + Index{e / chunk * chunk} * lanes + lane * chunk + e % chunk;
  return base + Index{whole} * lanes + lane * (Code::elements - whole) + (e - whole);
}

/// A tensor as it was stored: what it is is `scale` times `value`.
template <class Tensor, class V>
struct Scaled {
  Over<Tensor, V> value;
  V scale;
};

inline namespace RIDGE_TARGET_NAME {

RIDGE_FN float float_of_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
#endif
}
RIDGE_FN std::uint32_t bits_of_float(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  std::uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

/// The two numbers of a word, times 32767: put into the low bits of 2^23, since conversions of
/// integers take four times as long on GPUs.
RIDGE_FN void decode_word(std::uint32_t word, float& a, float& b) {
  const std::uint32_t q = word ^ 0x80008000U;
#if defined(__CUDA_ARCH__)
  a = __uint_as_float(__byte_perm(q, 0x4b000000U, 0x7610)) - 8421376.0F;
  b = __uint_as_float(__byte_perm(q, 0x4b000000U, 0x7632)) - 8421376.0F;
#else
  a = float_of_bits((q & 0xffffU) | 0x4b000000U) - 8421376.0F;
  b = float_of_bits((q >> 16) | 0x4b000000U) - 8421376.0F;
#endif
}
/// The word of a and b, whose magnitudes are at most 32767. Adding 1.5 2^23 rounds: the low bits
/// are the integer.
RIDGE_FN std::uint32_t encode_word(float a, float b) {
  const std::uint32_t low = bits_of_float(a + 12582912.0F), high = bits_of_float(b + 12582912.0F);
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, 0x5410);
#else
  return (low & 0xffffU) | (high << 16);
#endif
}

/// Row 2 of a matrix of SU(3) stored as `w` times the first two: conj(row 0 x row 1), divided by w.
template <class V>
RIDGE_FN void complete_rows(ColourMatrix<V>& m, const V& inverse) {
  RIDGE_UNROLL
  for (int k = 0; k < 3; ++k) {
    const Complex<V>&a = m(0, (k + 1) % 3), &b = m(1, (k + 2) % 3), &c = m(0, (k + 2) % 3),
          &d = m(1, (k + 1) % 3);
    const V re = a.re * b.re - a.im * b.im - c.re * d.re + c.im * d.im;
    const V im = c.re * d.im + c.im * d.re - a.re * b.im - a.im * b.re;
    m(2, k) = {re * inverse, im * inverse};
  }
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::lattice
