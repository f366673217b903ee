// What kernels that were written in Python are compiled with: functions under NumPy's names, which
// give what NumPy gives at zeros of both signs, infinities and NaN, too. Values are packs, or
// doubles where a value is the same for all items.
#pragma once

#include <ridge/core/pack_math.hpp>
#include <ridge/core/pack_math_more.hpp>
#include <ridge/core/rsqrt.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace ridge::python {

/// A number as a value of the type of `x`, of its precision and with as many lanes.
template <class V>
RIDGE_FN V like(const V& /*x*/, double number) {
  return V(number);
}

template <class V>
RIDGE_FN V like(const V& /*x*/, const V& value) {
  return value;
}

/// Where a block of instructions may end. g++ takes time by the square of a block's length, as long
/// kernels are one: a jump to the next line, which is no instruction, ends it.
RIDGE_FN void begin_block() {
#if defined(RIDGE_TARGET_CPU) && defined(__GNUC__) && !defined(__clang__)
  asm goto("" : : : : next);
next:;
#endif
}

namespace detail {

RIDGE_FN double select(bool condition, double a, double b) {
  return condition ? a : b;
}
RIDGE_FN double sqrt(double x) {
  return ::sqrt(x);
}

/// `f` of each lane, as one number.
template <class F, class T, int N, class A, class... More>
RIDGE_FN Pack<T, N, A> each(F f, const Pack<T, N, A>& x, const More&... more) {
  Pack<T, N, A> y;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    y.set(i, static_cast<T>(f(x[i], more[i]...)));
  return y;
}
template <class F, class... More>
RIDGE_FN double each(F f, double x, More... more) {
  return f(x, more...);
}

template <class V>
inline constexpr double infinity = std::numeric_limits<Element<V>>::infinity();

} // namespace detail

/// The absolute value; that of -0 is 0.
template <class V>
RIDGE_FN V absolute(const V& x) {
  return detail::each([](auto v) { return ::fabs(v); }, x);
}
#if defined(RIDGE_TARGET_CPU)
/// Without the sign's bit: one operation a register.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> absolute(const Pack<T, N, abi::Native>& x) {
  using Values = Pack<T, N, abi::Native>;
  using Bits = typename Mask<T, N, abi::Native>::Register;
  constexpr auto all_but_sign =
      std::numeric_limits<typename Mask<T, N, abi::Native>::Integer>::max();
  return Values((typename Values::Register)((Bits)x.lanes & all_but_sign));
}
#endif

/// The greatest whole number that is not greater; the zero of x's sign for a zero.
template <class V>
RIDGE_FN V floor(const V& x) {
  return detail::each([](auto v) { return ::floor(v); }, x);
}
#if defined(RIDGE_TARGET_CPU) && defined(__AVX512F__)
/// By hand, as sqrt of packs: one instruction a register.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> floor(const Pack<T, N, abi::Native>& x) {
  Pack<T, N, abi::Native> y;
  if constexpr (sizeof(x.lanes) == 64 && sizeof(T) == 8) {
    const __m512d r = _mm512_maskz_roundscale_pd(0xff, (__m512d)x.lanes,
                                                 _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    std::memcpy(&y.lanes, &r, 64);
  } else if constexpr (sizeof(x.lanes) == 64) {
    const __m512 r = _mm512_maskz_roundscale_ps(0xffff, (__m512)x.lanes,
                                                _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    std::memcpy(&y.lanes, &r, 64);
  } else {
    y = detail::each([](auto v) { return ::floor(v); }, x);
  }
  return y;
}
#endif

template <class V>
RIDGE_FN V ceil(const V& x) {
  return -floor(-x);
}

/// The whole number next to x towards zero.
template <class V>
RIDGE_FN V trunc(const V& x) {
  using detail::select;
  return select(x < V(0), ceil(x), floor(x));
}

/// The lesser of both; NaN where one is NaN.
template <class V>
RIDGE_FN V minimum(const V& a, const V& b) {
  using detail::select;
  return select(a <= b, a, select(a <= a, b, a));
}
template <class V>
RIDGE_FN V maximum(const V& a, const V& b) {
  using detail::select;
  return select(b <= a, a, select(a <= a, b, a));
}
/// As minimum and maximum with a number that is not NaN: one comparison.
template <class V>
RIDGE_FN V at_most(const V& x, double most) {
  using detail::select;
  return select(V(most) < x, V(most), x);
}
template <class V>
RIDGE_FN V at_least(const V& x, double least) {
  using detail::select;
  return select(x < V(least), V(least), x);
}

/// -1, 0 or 1; NaN of NaN.
template <class V>
RIDGE_FN V sign(const V& x) {
  using detail::select;
  return select(x < V(0), V(-1), select(V(0) < x, V(1), x + V(0))); // -0 + 0 is 0
}

/// The power -0.5 of x, at zeros and infinities, too. The root is that of packs, correctly rounded.
template <class V>
RIDGE_FN V inverse_root(const V& x) {
  using detail::select, detail::sqrt;
  return select(x <= V(-detail::infinity<V>), V(0), V(1) / (sqrt(x) + V(0)));
}

RIDGE_FN double tan(double x) {
  return ::tan(x);
}
RIDGE_FN double tanh(double x) {
  return ::tanh(x);
}
RIDGE_FN double hypot(double x, double y) {
  return ::hypot(x, y);
}
using ridge::hypot, ridge::tan, ridge::tanh;

/// What is left of a / b rounded down, as Python's %: of the sign of b.
template <class V>
RIDGE_FN V remainder(const V& a, const V& b) {
  return detail::each(
      [](auto x, auto y) {
        using T = decltype(x);
        const T rest = static_cast<T>(::fmod(x, y));
        if (rest == 0) return static_cast<T>(::copysign(T(0), y));
        return (y < 0) != (rest < 0) ? static_cast<T>(rest + y) : rest;
      },
      a, b);
}

/// a / b rounded down, as Python's //: of the exact quotient, not of the rounded one.
template <class V>
RIDGE_FN V floor_divide(const V& a, const V& b) {
  return detail::each(
      [](auto x, auto y) {
        using T = decltype(x);
        if (y == 0) return static_cast<T>(x / y);
        const T rest = static_cast<T>(::fmod(x, y));
        T quotient = static_cast<T>((x - rest) / y);
        if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
        if (quotient == 0) return static_cast<T>(::copysign(T(0), static_cast<T>(x / y)));
        const T whole = static_cast<T>(::floor(quotient));
        return quotient - whole > T(0.5) ? whole + 1 : whole;
      },
      a, b);
}

} // namespace ridge::python
