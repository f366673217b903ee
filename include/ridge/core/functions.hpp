// Functions that a kernel may use beside + - * / and comparisons: docs/kernel_language.md. All
// kernels see it, as every pattern's header includes it.
//
// Each function takes packs, plain numbers, and both together, and gives a pack where one is given.
// Those of packs are found by the type of what they are given; of plain numbers alone they are
// `ridge::exp(rate)`, say. Of numbers that are whole they give a double.
#pragma once

#include <ridge/core/fma.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/core/pack_math.hpp>
#include <ridge/core/pack_math_more.hpp>
#include <ridge/core/rsqrt.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ridge {

namespace detail {

template <class... X>
inline constexpr bool are_values = ((is_pack<X> || Number<X>)&&...);
/// Packs and numbers, at least one of each.
template <class... X>
inline constexpr bool are_mixed = (is_pack<X> || ...) && (Number<X> || ...) && are_values<X...>;

template <class X>
inline constexpr bool is_plain = true;
template <class T, int N, class A>
inline constexpr bool is_plain<Pack<T, N, A>> = std::is_same_v<A, abi::Array>;
/// The type of a choice by lanes of P between X and Y: a pack that is no array if there is one.
template <class P, class X, class Y>
using Chosen =
    std::conditional_t<!is_plain<P>, P,
                       std::conditional_t<!is_plain<X>, X, std::conditional_t<!is_plain<Y>, Y, P>>>;

template <class X, class... More>
struct PackAmong {
  using type = typename PackAmong<More...>::type;
};
template <class X, class... More>
requires is_pack<X>
struct PackAmong<X, More...> {
  using type = X;
};
/// The first that is a pack.
template <class... X>
using PackOf = typename PackAmong<X...>::type;

/// The type that functions of numbers are computed in.
template <class... X>
using Real = std::conditional_t<(std::is_same_v<X, float> && ...), float, double>;

/// The common type of two numbers.
template <class X, class Y>
using Common = decltype(X() + Y());

template <class X>
RIDGE_FN auto lane_of(const X& x, [[maybe_unused]] int i) {
  if constexpr (is_pack<X>) {
    return x[i];
  } else {
    return x;
  }
}

} // namespace detail

/// `f` of the numbers of each lane: for functions that packs have not. Lane by lane it is as slow
/// as that sounds on a cpu.
template <class F, class T, int N, class A, class... More>
RIDGE_FN Pack<T, N, A> by_lane(const F& f, const Pack<T, N, A>& x, const More&... more) {
  Pack<T, N, A> y;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    y.set(i, static_cast<T>(f(x[i], static_cast<T>(detail::lane_of(more, i))...)));
  return y;
}
template <class F, detail::Number X, class... More>
RIDGE_FN auto by_lane(const F& f, X x, More... more) {
  using R = detail::Real<X, More...>;
  return static_cast<R>(f(static_cast<R>(x), static_cast<R>(more)...));
}

// Choices.

/// Lane by lane `a` where the comparison held, else `b`. Numbers are values of its lanes.
template <class T, int N, class A, class X, class Y>
requires detail::are_values<X, Y> RIDGE_FN auto select(const Mask<T, N, A>& m, const X& a,
                                                       const Y& b) {
  using P = detail::Chosen<Pack<T, N, A>, X, Y>;
  return select(m, P(a), P(b));
}
/// By a condition that is the same for all items.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> select(bool condition, const Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return condition ? a : b;
}
template <class X, class Y>
requires detail::are_mixed<X, Y> RIDGE_FN auto select(bool condition, const X& a, const Y& b) {
  using P = detail::PackOf<X, Y>;
  return condition ? P(a) : P(b);
}
template <detail::Number X, detail::Number Y>
RIDGE_FN auto select(bool condition, X a, Y b) {
  using R = detail::Common<X, Y>;
  return condition ? static_cast<R>(a) : static_cast<R>(b);
}

/// Whether a comparison held in any lane, or in all of them.
template <class T, int N, class A>
RIDGE_FN bool any(const Mask<T, N, A>& m) {
  bool held = false;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    held = held || m[i];
  return held;
}
template <class T, int N, class A>
RIDGE_FN bool all(const Mask<T, N, A>& m) {
  bool held = true;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    held = held && m[i];
  return held;
}
RIDGE_FN bool any(bool held) {
  return held;
}
RIDGE_FN bool all(bool held) {
  return held;
}

/// The lesser and the greater, as std::min and std::max: of equal ones, or where one is NaN, the
/// first.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> min(const Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return select(b < a, b, a);
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> max(const Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return select(a < b, b, a);
}
template <class X, class Y>
requires detail::are_mixed<X, Y> RIDGE_FN auto min(const X& a, const Y& b) {
  using P = detail::PackOf<X, Y>;
  return min(P(a), P(b));
}
template <class X, class Y>
requires detail::are_mixed<X, Y> RIDGE_FN auto max(const X& a, const Y& b) {
  using P = detail::PackOf<X, Y>;
  return max(P(a), P(b));
}
template <detail::Number X, detail::Number Y>
RIDGE_FN auto min(const X& a, const Y& b) {
  using R = detail::Common<X, Y>;
  return static_cast<R>(b) < static_cast<R>(a) ? static_cast<R>(b) : static_cast<R>(a);
}
template <detail::Number X, detail::Number Y>
RIDGE_FN auto max(const X& a, const Y& b) {
  using R = detail::Common<X, Y>;
  return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a);
}

// Without a sign, and whole.

/// The magnitude; that of -0 is 0.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> abs(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return static_cast<T>(::fabs(x.lane[i])); });
}
/// The greatest whole number that is not greater; a zero of x's sign for a zero.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Array> floor(const Pack<T, N, abi::Array>& x) {
  return Pack<T, N, abi::Array>::make([&](int i) { return static_cast<T>(::floor(x.lane[i])); });
}

#if defined(RIDGE_TARGET_CPU)
/// Without the sign's bit: one operation a register.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> abs(const Pack<T, N, abi::Native>& x) {
  using Values = Pack<T, N, abi::Native>;
  using Bits = typename Mask<T, N, abi::Native>::Register;
  constexpr auto all_but_sign =
      std::numeric_limits<typename Mask<T, N, abi::Native>::Integer>::max();
  return Values((typename Values::Register)((Bits)x.lanes & all_but_sign));
}
/// By hand where the registers are the widest, as sqrt of packs: one instruction each.
template <class T, int N>
RIDGE_FN Pack<T, N, abi::Native> floor(const Pack<T, N, abi::Native>& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.lanes) == 64) {
    constexpr int how = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    Pack<T, N, abi::Native> y;
    if constexpr (sizeof(T) == 8) {
      const __m512d r = _mm512_maskz_roundscale_pd(0xff, (__m512d)x.lanes, how);
      std::memcpy(&y.lanes, &r, 64);
    } else {
      const __m512 r = _mm512_maskz_roundscale_ps(0xffff, (__m512)x.lanes, how);
      std::memcpy(&y.lanes, &r, 64);
    }
    return y;
  }
#endif
  return by_lane([](T v) { return std::floor(v); }, x);
}
#endif

/// The least whole number that is not less.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> ceil(const Pack<T, N, A>& x) {
  return -floor(-x);
}
/// The whole number next to x towards zero.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A> trunc(const Pack<T, N, A>& x) {
  return select(x < 0, ceil(x), floor(x));
}

// Functions of packs with numbers, which the headers above have of packs alone.

template <detail::Number X, class T, int N, class A>
RIDGE_FN Pack<T, N, A> pow(X x, const Pack<T, N, A>& y) {
  return pow(Pack<T, N, A>(x), y);
}
template <class X, class Y>
requires detail::are_mixed<X, Y> RIDGE_FN auto hypot(const X& x, const Y& y) {
  using P = detail::PackOf<X, Y>;
  return hypot(P(x), P(y));
}
template <class X, class Y, class Z>
requires detail::are_mixed<X, Y, Z> RIDGE_FN auto fma(const X& a, const Y& b, const Z& c) {
  using P = detail::PackOf<X, Y, Z>;
  return fma(P(a), P(b), P(c));
}

// Functions of numbers.

template <detail::Number X>
RIDGE_FN auto abs(X x) {
  return static_cast<detail::Real<X>>(::fabs(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto floor(X x) {
  return static_cast<detail::Real<X>>(::floor(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto ceil(X x) {
  return static_cast<detail::Real<X>>(::ceil(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto trunc(X x) {
  return static_cast<detail::Real<X>>(::trunc(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto sqrt(X x) {
  return static_cast<detail::Real<X>>(::sqrt(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto exp(X x) {
  return static_cast<detail::Real<X>>(::exp(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto log(X x) {
  return static_cast<detail::Real<X>>(::log(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto sin(X x) {
  return static_cast<detail::Real<X>>(::sin(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto cos(X x) {
  return static_cast<detail::Real<X>>(::cos(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto tan(X x) {
  return static_cast<detail::Real<X>>(::tan(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X>
RIDGE_FN auto tanh(X x) {
  return static_cast<detail::Real<X>>(::tanh(static_cast<detail::Real<X>>(x)));
}
template <detail::Number X, detail::Number Y>
RIDGE_FN auto pow(X x, Y y) {
  using R = detail::Real<X, Y>;
  return static_cast<R>(::pow(static_cast<R>(x), static_cast<R>(y)));
}
template <detail::Number X, detail::Number Y>
RIDGE_FN auto hypot(X x, Y y) {
  using R = detail::Real<X, Y>;
  return static_cast<R>(::hypot(static_cast<R>(x), static_cast<R>(y)));
}
template <detail::Number X, detail::Number Y, detail::Number Z>
RIDGE_FN auto fma(X a, Y b, Z c) {
  using R = detail::Real<X, Y, Z>;
  return fma(Pack<R, 1>(a), Pack<R, 1>(b), Pack<R, 1>(c))[0];
}

} // namespace ridge
