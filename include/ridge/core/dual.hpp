// Dual numbers: packs with a derivative beside their value, for functors that are generic over
// their values. A functor that is called with them gives its result and how that changes with what
// was seeded.
//
// A value that nothing seeded knows so (`active`), and a derivative that is zero for that reason is
// never computed with: once a functor is compiled into its caller, what is left are the derivatives
// alone, without products by zero, which compilers must not leave out.
//
// Choices take the derivative of the value that was taken: select, min and max (of equal ones the
// first), branch. That of abs at 0 is 0; floor, ceil, trunc and comparisons have none. by_lane does
// not compile: nothing is known of its function.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/quick_math.hpp>

#include <type_traits>

namespace ridge {

namespace abi {
/// Values of abi A with derivatives.
template <class A>
struct Dual {};
} // namespace abi

template <class T, int N, class A>
struct Mask<T, N, abi::Dual<A>> : Mask<T, N, A> {
  using Plain = Mask<T, N, A>;
  RIDGE_FN Mask(const Plain& plain) : Plain(plain) {} // NOLINT(google-explicit-constructor)

  [[nodiscard]] RIDGE_FN const Plain& plain() const { return *this; }
  friend RIDGE_FN Mask operator&&(const Mask& a, const Mask& b) { return a.plain() && b.plain(); }
  friend RIDGE_FN Mask operator||(const Mask& a, const Mask& b) { return a.plain() || b.plain(); }
  friend RIDGE_FN Mask operator!(const Mask& a) { return !a.plain(); }
};

template <class T, int N, class A>
struct Pack<T, N, abi::Dual<A>> {
  using Plain = Pack<T, N, A>;
  using MaskType = Mask<T, N, abi::Dual<A>>;
  Plain value;
  Plain derivative; ///< 0 where it is not active
  bool active;

  Pack() = default;
  template <class U>
  requires std::is_arithmetic_v<U> RIDGE_FN Pack(U number) // NOLINT(google-explicit-constructor)
      : value(number), derivative(0), active(false) {}
  RIDGE_FN Pack(const Plain& plain) // NOLINT(google-explicit-constructor)
      : value(plain), derivative(0), active(false) {}
  RIDGE_FN Pack(const Plain& plain, const Plain& its_derivative, bool is_active = true)
      : value(plain), derivative(its_derivative), active(is_active) {}

  friend RIDGE_FN Pack operator+(const Pack& a, const Pack& b) {
    const Plain sum = a.value + b.value;
    if (a.active && b.active) return {sum, a.derivative + b.derivative};
    return {sum, a.active ? a.derivative : b.derivative, a.active || b.active};
  }
  friend RIDGE_FN Pack operator-(const Pack& a, const Pack& b) {
    const Plain difference = a.value - b.value;
    if (a.active && b.active) return {difference, a.derivative - b.derivative};
    if (b.active) return {difference, -b.derivative};
    return {difference, a.derivative, a.active};
  }
  friend RIDGE_FN Pack operator*(const Pack& a, const Pack& b) {
    const Plain product = a.value * b.value;
    if (a.active && b.active) return {product, a.derivative * b.value + a.value * b.derivative};
    if (a.active) return {product, a.derivative * b.value};
    if (b.active) return {product, a.value * b.derivative};
    return product;
  }
  friend RIDGE_FN Pack operator/(const Pack& a, const Pack& b) {
    const Plain quotient = a.value / b.value;
    if (a.active && b.active) return {quotient, (a.derivative - quotient * b.derivative) / b.value};
    if (a.active) return {quotient, a.derivative / b.value};
    if (b.active) return {quotient, -quotient * b.derivative / b.value};
    return quotient;
  }
  friend RIDGE_FN Pack operator-(const Pack& a) {
    if (a.active) return {-a.value, -a.derivative};
    return -a.value;
  }

  friend RIDGE_FN MaskType operator<(const Pack& a, const Pack& b) { return a.value < b.value; }
  friend RIDGE_FN MaskType operator<=(const Pack& a, const Pack& b) { return a.value <= b.value; }
  friend RIDGE_FN MaskType operator==(const Pack& a, const Pack& b) { return a.value == b.value; }
  friend RIDGE_FN MaskType operator!=(const Pack& a, const Pack& b) { return a.value != b.value; }
  friend RIDGE_FN MaskType operator>(const Pack& a, const Pack& b) { return b < a; }
  friend RIDGE_FN MaskType operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend RIDGE_FN Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    const Plain chosen = select(m.plain(), a.value, b.value);
    if (!a.active && !b.active) return chosen;
    return {chosen, select(m.plain(), a.derivative, b.derivative)};
  }
};

namespace detail {

template <class V>
struct DualTraits;
template <class T, int N, class A>
struct DualTraits<Pack<T, N, A>> {
  using type = Pack<T, N, abi::Dual<A>>;
};

/// `value`, a function of x, whose derivative by x is `slope()`.
template <class T, int N, class A, class Slope>
RIDGE_FN Pack<T, N, abi::Dual<A>> by_slope(const Pack<T, N, abi::Dual<A>>& x,
                                           const Pack<T, N, A>& value, const Slope& slope) {
  if (!x.active) return value;
  return {value, Pack<T, N, A>(slope()) * x.derivative};
}

} // namespace detail

/// The dual numbers of a pack.
template <class V>
using DualOf = typename detail::DualTraits<V>::type;

template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> abs(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  return detail::by_slope(x, P(abs(x.value)), [&] {
    return select(x.value < P(0), P(-1), select(P(0) < x.value, P(1), P(0)));
  });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> floor(const Pack<T, N, abi::Dual<A>>& x) {
  return Pack<T, N, A>(floor(x.value));
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> exp(const Pack<T, N, abi::Dual<A>>& x) {
  const Pack<T, N, A> value = exp(x.value);
  return detail::by_slope(x, value, [&] { return value; });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> log(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  return detail::by_slope(x, P(log(x.value)), [&] { return P(1) / x.value; });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> sqrt(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  const P root = sqrt(x.value);
  return detail::by_slope(x, root, [&] { return P(0.5) / root; });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> square_root(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  const P root = square_root(x.value);
  return detail::by_slope(x, root, [&] { return P(0.5) / root; });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> sin(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  return detail::by_slope(x, P(sin(x.value)), [&] { return cos(x.value); });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> cos(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  return detail::by_slope(x, P(cos(x.value)), [&] { return -P(sin(x.value)); });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> tan(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  const P value = tan(x.value);
  return detail::by_slope(x, value, [&] { return value * value + P(1); });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> tanh(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  const P value = tanh(x.value);
  return detail::by_slope(x, value, [&] { return P(1) - value * value; });
}
/// The derivative of x^0 by x is 0 everywhere; where x^y is 0, that by y is.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> pow(const Pack<T, N, abi::Dual<A>>& x,
                                      const Pack<T, N, abi::Dual<A>>& y) {
  using P = Pack<T, N, A>;
  const P value = pow(x.value, y.value);
  const auto by_base = detail::by_slope(x, value, [&] {
    return select(y.value == P(0), P(0), y.value * P(pow(x.value, y.value - P(1))));
  });
  if (!y.active) return by_base;
  const P by_exponent = select(value == P(0), P(0), value * P(log(x.value))) * y.derivative;
  return {value, x.active ? by_base.derivative + by_exponent : by_exponent};
}
/// At 0 that of hypot is 0.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> hypot(const Pack<T, N, abi::Dual<A>>& x,
                                        const Pack<T, N, abi::Dual<A>>& y) {
  using P = Pack<T, N, A>;
  const P value = hypot(x.value, y.value);
  const auto part = [&](const P& along) { return select(value == P(0), P(0), along / value); };
  const auto by_x = detail::by_slope(x, value, [&] { return part(x.value); });
  if (!y.active) return by_x;
  const auto by_y = detail::by_slope(y, value, [&] { return part(y.value); });
  return {value, x.active ? by_x.derivative + by_y.derivative : by_y.derivative};
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> fma(const Pack<T, N, abi::Dual<A>>& a,
                                      const Pack<T, N, abi::Dual<A>>& b,
                                      const Pack<T, N, abi::Dual<A>>& c) {
  const auto sum = a * b + c;
  return {fma(a.value, b.value, c.value), sum.derivative, sum.active};
}
template <Grade G, class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> rsqrt(const Pack<T, N, abi::Dual<A>>& x) {
  using P = Pack<T, N, A>;
  const P value = rsqrt<G>(x.value);
  return detail::by_slope(x, value, [&] { return P(-0.5) * value * value * value; });
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> approximate_rsqrt(const Pack<T, N, abi::Dual<A>>& x) {
  return rsqrt<Grade::approximate>(x);
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> quotient(const Pack<T, N, abi::Dual<A>>& a,
                                           const Pack<T, N, abi::Dual<A>>& b) {
  const auto exact = a / b;
  return {quotient(a.value, b.value), exact.derivative, exact.active};
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, abi::Dual<A>> power_of_positive(const Pack<T, N, abi::Dual<A>>& x, T y) {
  using P = Pack<T, N, A>;
  const P value = power_of_positive(x.value, y);
  return detail::by_slope(x, value, [&] { return P(y) * value / x.value; });
}

template <class F, class T, int N, class A, class... More>
RIDGE_FN Pack<T, N, abi::Dual<A>> by_lane(const F& /*f*/, const Pack<T, N, abi::Dual<A>>& x,
                                          const More&... /*more*/) {
  static_assert(!std::is_same_v<F, F>,
                "by_lane has no derivative: nothing is known of its function; write it with the "
                "functions of docs/kernel_language.md");
  return x;
}

} // namespace ridge
