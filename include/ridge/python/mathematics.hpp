// Mathematics of kernels that were written in Python: functions under NumPy's names, which
// give what NumPy gives at zeros of both signs, infinities and NaN, too. Values are packs, or
// doubles where a value is the same for all items.
#pragma once

#include <ridge/core/branch.hpp>
#include <ridge/core/functions.hpp>

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

/// A part of a long kernel. Where a kernel is examined and not run for speed it is a function of
/// its own: compilers take time by the square of a function's length, and more.
#if defined(RIDGE_TARGET_CPU)
#define RIDGE_PART __attribute__((always_inline))
template <class F>
RIDGE_FN auto part(const F& compute) {
  return compute();
}
#else
#define RIDGE_PART
template <class F>
RIDGE_CALL auto part(const F& compute) {
  return compute();
}
#endif

/// The values that a part hands to those after it.
template <class First, class... Rest>
struct Values {
  First first;
  Values<Rest...> rest;
  RIDGE_FN Values(const First& one, const Rest&... others) : first(one), rest(others...) {}
};
template <class First>
struct Values<First> {
  First first;
  RIDGE_FN explicit Values(const First& one) : first(one) {}
};
template <class... V>
RIDGE_FN Values<V...> values(const V&... all) {
  return Values<V...>(all...);
}
template <int I, class... V>
RIDGE_FN const auto& value(const Values<V...>& all) {
  if constexpr (I == 0) {
    return all.first;
  } else {
    return value<I - 1>(all.rest);
  }
}

namespace detail {

RIDGE_FN double select(bool condition, double a, double b) {
  return condition ? a : b;
}
RIDGE_FN double sqrt(double x) {
  return ::sqrt(x);
}

/// `f` of each lane, as one number.
template <class F, class... V>
RIDGE_FN auto each(const F& f, const V&... x) {
  using ridge::by_lane;
  return by_lane(f, x...);
}

template <class V>
inline constexpr double infinity = std::numeric_limits<Element<V>>::infinity();

} // namespace detail

// As ridge/core/functions.hpp has them, for any values that there are functions of.

/// The absolute value; that of -0 is 0.
template <class V>
RIDGE_FN V absolute(const V& x) {
  using ridge::abs;
  return abs(x);
}
template <class V>
RIDGE_FN V floor(const V& x) {
  using ridge::floor;
  return floor(x);
}
template <class V>
RIDGE_FN V ceil(const V& x) {
  using ridge::ceil;
  return ceil(x);
}
/// The whole number next to x towards zero.
template <class V>
RIDGE_FN V trunc(const V& x) {
  using ridge::trunc;
  return trunc(x);
}
template <class V>
RIDGE_FN V tan(const V& x) {
  using ridge::tan;
  return tan(x);
}
template <class V>
RIDGE_FN V tanh(const V& x) {
  using ridge::tanh;
  return tanh(x);
}
template <class V>
RIDGE_FN V hypot(const V& x, const V& y) {
  using ridge::hypot;
  return hypot(x, y);
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

/// The rest of a / b rounded down, as Python's %: of the sign of b.
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
