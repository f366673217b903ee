// A double beside a bound: how far the same computation in T may be from it. What checks allow a
// point, without asking the user for a scale.
//
// A functor that is generic over its value type runs on it as on any pack. Each operation adds its
// rounding, relative to the operands of a sum, so that other orders of additions are within the
// bound too, and passes on the bounds of its operands by its derivatives. A choice between two
// values whose condition rounding may turn allows both. Bounds are infinite where rounding may
// change anything, as that of a quotient by what may be 0.
//
// Functions of packs that are not below take one as a plain double: then only the rounding of
// their result is allowed. For host code.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/pack_math.hpp>
#include <ridge/core/quick_math.hpp>
#include <ridge/core/rsqrt.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace ridge {

namespace abi {
template <class T>
struct Bounded {};
} // namespace abi

/// The error of an operation in T, relative to its result or operands: several roundings, as
/// those of functions and quotients on GPUs are.
template <class T>
inline constexpr double bounded_unit = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// The change by rounding x to T, at most.
template <class T>
[[nodiscard]] inline double rounding_of(double x) {
  return bounded_unit<T> * std::abs(x) + static_cast<double>(std::numeric_limits<T>::denorm_min());
}

/// Whether a comparison held, and whether it does so for all values within the bounds.
template <class T>
struct Mask<double, 1, abi::Bounded<T>> : Mask<double, 1, abi::Array> {
  bool sure = true;
  Mask() = default;
  Mask(const Mask<double, 1, abi::Array>& plain) : Mask<double, 1, abi::Array>(plain) {}
  Mask(bool holds, bool is_sure) : Mask<double, 1, abi::Array>{{holds}}, sure(is_sure) {}

  friend Mask operator&&(const Mask& a, const Mask& b) {
    return {a[0] && b[0], (a.sure && b.sure) || a.surely(false) || b.surely(false)};
  }
  friend Mask operator||(const Mask& a, const Mask& b) {
    return {a[0] || b[0], (a.sure && b.sure) || a.surely(true) || b.surely(true)};
  }
  friend Mask operator!(const Mask& a) { return {!a[0], a.sure}; }

private:
  [[nodiscard]] bool surely(bool holds) const { return sure && this->lane[0] == holds; }
};

template <class T>
struct Pack<double, 1, abi::Bounded<T>> : Pack<double, 1, abi::Array> {
  using Plain = Pack<double, 1, abi::Array>;
  using MaskType = Mask<double, 1, abi::Bounded<T>>;
  double bound;

  Pack() = default;
  Pack(double value, double its_bound) : Plain(value), bound(its_bound) {}
  /// A number of the kernel's, which T may not hold exactly.
  template <class U>
  requires std::is_arithmetic_v<U> Pack(U number) : Plain(number), bound(of_number(lane[0])) {}
  Pack(const Plain& plain) : Plain(plain), bound(rounding_of<T>(lane[0])) {}

  void set(int /*i*/, double value) { *this = Pack(value); }
  [[nodiscard]] static Pack load(const double* from) { return {*from, 0}; }
  template <class F>
  [[nodiscard]] static Pack make(F f) {
    return Plain(f(0));
  }
  template <class F>
  [[nodiscard]] static MaskType test(F f) {
    return {f(0), true};
  }

  friend Pack operator+(const Pack& a, const Pack& b) {
    return {a.lane[0] + b.lane[0], sum_bound(a, b)};
  }
  friend Pack operator-(const Pack& a, const Pack& b) {
    return {a.lane[0] - b.lane[0], sum_bound(a, b)};
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    const double product = a.lane[0] * b.lane[0];
    return {product, std::abs(a.lane[0]) * b.bound + std::abs(b.lane[0]) * a.bound +
                         a.bound * b.bound + rounding_of<T>(product)};
  }
  friend Pack operator/(const Pack& a, const Pack& b) {
    const double quotient = a.lane[0] / b.lane[0];
    const double room = std::abs(b.lane[0]) - b.bound;
    return {quotient,
            room > 0 ? (a.bound + std::abs(quotient) * b.bound) / room + rounding_of<T>(quotient)
                     : unbounded};
  }
  friend Pack operator-(const Pack& a) { return {-a.lane[0], a.bound}; }

  friend MaskType operator<(const Pack& a, const Pack& b) {
    return {a.lane[0] < b.lane[0], apart(a, b)};
  }
  friend MaskType operator<=(const Pack& a, const Pack& b) {
    return {a.lane[0] <= b.lane[0], apart(a, b)};
  }
  friend MaskType operator==(const Pack& a, const Pack& b) {
    return {a.lane[0] == b.lane[0], apart(a, b)};
  }
  friend MaskType operator!=(const Pack& a, const Pack& b) { return !(a == b); }
  friend MaskType operator>(const Pack& a, const Pack& b) { return b < a; }
  friend MaskType operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    const Pack& chosen = m.lane[0] ? a : b;
    if (m.sure) return chosen;
    return {chosen.lane[0], std::max(a.bound, b.bound) + std::abs(a.lane[0] - b.lane[0])};
  }
  friend Pack select(const Mask<double, 1, abi::Array>& m, const Pack& a, const Pack& b) {
    return m.lane[0] ? a : b;
  }

  friend Pack& operator+=(Pack& a, const Pack& b) { return a = a + b; }
  friend Pack& operator-=(Pack& a, const Pack& b) { return a = a - b; }
  friend Pack& operator*=(Pack& a, const Pack& b) { return a = a * b; }
  friend Pack& operator/=(Pack& a, const Pack& b) { return a = a / b; }

  // With what a function gave that is not below.
  template <std::same_as<Plain> P>
  friend Pack operator+(const Pack& a, const P& b) {
    return a + Pack(b);
  }
  template <std::same_as<Plain> P>
  friend Pack operator+(const P& a, const Pack& b) {
    return Pack(a) + b;
  }
  template <std::same_as<Plain> P>
  friend Pack operator-(const Pack& a, const P& b) {
    return a - Pack(b);
  }
  template <std::same_as<Plain> P>
  friend Pack operator-(const P& a, const Pack& b) {
    return Pack(a) - b;
  }
  template <std::same_as<Plain> P>
  friend Pack operator*(const Pack& a, const P& b) {
    return a * Pack(b);
  }
  template <std::same_as<Plain> P>
  friend Pack operator*(const P& a, const Pack& b) {
    return Pack(a) * b;
  }
  template <std::same_as<Plain> P>
  friend Pack operator/(const Pack& a, const P& b) {
    return a / Pack(b);
  }
  template <std::same_as<Plain> P>
  friend Pack operator/(const P& a, const Pack& b) {
    return Pack(a) / b;
  }

  static constexpr double unbounded = std::numeric_limits<double>::infinity();

private:
  /// Whole numbers and halves are what they are in any precision.
  static double of_number(double number) {
    return static_cast<double>(static_cast<float>(number)) == number ? 0 : rounding_of<T>(number);
  }
  static double sum_bound(const Pack& a, const Pack& b) {
    return a.bound + b.bound + bounded_unit<T> * (std::abs(a.lane[0]) + std::abs(b.lane[0]));
  }
  /// Whether their order is theirs within the bounds; that of a value and itself is, as in x == x,
  /// which asks for NaN.
  static bool apart(const Pack& a, const Pack& b) {
    const double bounds = a.bound + b.bound;
    return &a == &b || !(std::abs(a.lane[0] - b.lane[0]) <= bounds) || bounds == 0;
  }
};

template <class T>
using BoundedPack = Pack<double, 1, abi::Bounded<T>>;

template <class T>
[[nodiscard]] BoundedPack<T> exp(const BoundedPack<T>& x) {
  const double value = std::exp(x.lane[0]);
  return {value, value * std::expm1(x.bound) + rounding_of<T>(value)};
}
template <class T>
[[nodiscard]] BoundedPack<T> log(const BoundedPack<T>& x) {
  const double value = std::log(x.lane[0]);
  const double room = x.lane[0] - x.bound;
  return {value, room > 0       ? x.bound / room + rounding_of<T>(value)
                 : x.bound == 0 ? rounding_of<T>(value)
                                : BoundedPack<T>::unbounded};
}
template <class T>
[[nodiscard]] BoundedPack<T> pow(const BoundedPack<T>& x, const BoundedPack<T>& y) {
  const double base = std::abs(x.lane[0]);
  const double value = std::pow(x.lane[0], y.lane[0]);
  const double logarithm = base > 0 ? std::abs(std::log(base)) : 0;
  // Powers are exponentials of products: their rounding grows with these.
  const double own = rounding_of<T>(value) * (1 + std::abs(y.lane[0]) * logarithm);
  if (x.bound == 0 && y.bound == 0) return {value, own};
  const double room = base - x.bound;
  if (!(room > 0)) {
    return {value,
            y.lane[0] > 0 ? std::pow(base + x.bound, y.lane[0]) + own : BoundedPack<T>::unbounded};
  }
  const double relative = std::abs(y.lane[0]) * x.bound / room + (logarithm + 1) * y.bound;
  return {value, std::abs(value) * std::expm1(relative) + own};
}
template <class T, class U>
requires std::is_arithmetic_v<U>
[[nodiscard]] BoundedPack<T> pow(const BoundedPack<T>& x, U y) {
  return pow(x, BoundedPack<T>(y));
}
template <class T>
[[nodiscard]] BoundedPack<T> sqrt(const BoundedPack<T>& x) {
  const double value = std::sqrt(x.lane[0]);
  const double room = x.lane[0] - x.bound;
  return {value,
          (room > 0 ? x.bound / std::sqrt(room) : std::sqrt(2 * x.bound)) + rounding_of<T>(value)};
}
template <class T>
[[nodiscard]] BoundedPack<T> sin(const BoundedPack<T>& x) {
  const double value = std::sin(x.lane[0]);
  return {value, x.bound + rounding_of<T>(value)};
}
template <class T>
[[nodiscard]] BoundedPack<T> cos(const BoundedPack<T>& x) {
  const double value = std::cos(x.lane[0]);
  return {value, x.bound + rounding_of<T>(value)};
}

/// `f` of numbers within their bounds, where it is monotone in each of them between these.
template <class F, class T, class... More>
[[nodiscard]] BoundedPack<T> by_lane(const F& f, const BoundedPack<T>& x, const More&... more) {
  const BoundedPack<T> given[] = {x, BoundedPack<T>(more)...};
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const double value = static_cast<double>(f(given[I][0]...));
    double bound = 0;
    for (const BoundedPack<T>& moved : given) {
      if (moved.bound == 0) continue;
      double most = 0;
      for (const double by : {-moved.bound, moved.bound}) {
        const double there =
            static_cast<double>(f((given[I][0] + (&given[I] == &moved ? by : 0.0))...));
        const double change = std::abs(there - value);
        most = std::isnan(change) ? BoundedPack<T>::unbounded : std::max(most, change);
      }
      bound += most;
    }
    return BoundedPack<T>(value, bound + rounding_of<T>(value));
  }
  (std::make_index_sequence<1 + sizeof...(More)>{});
}
template <class T>
[[nodiscard]] BoundedPack<T> abs(const BoundedPack<T>& x) {
  return {std::abs(x.lane[0]), x.bound};
}
template <class T>
[[nodiscard]] BoundedPack<T> floor(const BoundedPack<T>& x) {
  return by_lane([](double v) { return std::floor(v); }, x);
}
template <class T>
[[nodiscard]] BoundedPack<T> ceil(const BoundedPack<T>& x) {
  return by_lane([](double v) { return std::ceil(v); }, x);
}
template <class T>
[[nodiscard]] BoundedPack<T> trunc(const BoundedPack<T>& x) {
  return by_lane([](double v) { return std::trunc(v); }, x);
}
template <class T>
[[nodiscard]] BoundedPack<T> tan(const BoundedPack<T>& x) {
  const double value = std::tan(x.lane[0]);
  // Its derivative is 1 + tan^2. Where a pole may lie within the bounds it is anything.
  const double at_most = (std::abs(value) + 1) * x.bound;
  return {value, at_most < 0.5
                     ? 2 * (1 + value * value) * x.bound / (1 - at_most) + rounding_of<T>(value)
                     : BoundedPack<T>::unbounded};
}
template <class T>
[[nodiscard]] BoundedPack<T> tanh(const BoundedPack<T>& x) {
  return by_lane([](double v) { return std::tanh(v); }, x);
}
template <class T>
[[nodiscard]] BoundedPack<T> hypot(const BoundedPack<T>& x, const BoundedPack<T>& y) {
  const double value = std::hypot(x.lane[0], y.lane[0]);
  return {value, x.bound + y.bound + rounding_of<T>(value)};
}
template <class T>
[[nodiscard]] BoundedPack<T> square_root(const BoundedPack<T>& x) {
  return sqrt(x);
}
template <class T>
[[nodiscard]] BoundedPack<T> fma(const BoundedPack<T>& a, const BoundedPack<T>& b,
                                 const BoundedPack<T>& c) {
  return a * b + c;
}

/// Exact, with what this grade may be off on any device.
template <Grade G, class T>
requires std::is_floating_point_v<T>
[[nodiscard]] BoundedPack<T> rsqrt(const BoundedPack<T>& x) {
  constexpr double off = G == Grade::approximate ? (sizeof(T) == 4 ? 0x1p-11 : 0x1p-13) : 0;
  const double value = 1 / std::sqrt(x.lane[0]);
  const double room = x.lane[0] - x.bound;
  return {value, (room > 0 ? std::abs(value) * x.bound / room
                           : (x.bound > 0 ? BoundedPack<T>::unbounded : 0)) +
                     off * std::abs(value) + rounding_of<T>(value)};
}
template <class T>
[[nodiscard]] BoundedPack<T> approximate_rsqrt(const BoundedPack<T>& x) {
  return rsqrt<Grade::approximate>(x);
}
template <class T>
[[nodiscard]] BoundedPack<T> quotient(const BoundedPack<T>& a, const BoundedPack<T>& b) {
  return a / b;
}
template <class T>
[[nodiscard]] BoundedPack<T> power_of_positive(const BoundedPack<T>& x, double y) {
  return pow(x, y);
}

} // namespace ridge
