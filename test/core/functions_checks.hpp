// Functions of values against those of the standard library, at special values too; used by
// functions_test.cpp (packs as arrays, plain numbers) and functions_native.cpp.
#pragma once

#include <ridge/core/functions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ridge {

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  return {T(0),           -T(0),        T(1),         T(-1),       T(0.5),        T(-0.5),
          T(1.5),         T(-2.5),      T(3),         T(0.1),      T(-1e4),       T(7e3) / T(3),
          L::min(),       -L::min(),    L::max(),     L::lowest(), L::infinity(), -L::infinity(),
          L::quiet_NaN(), L::epsilon(), T(4194304.5), -T(0.999)};
}

template <class T>
::testing::AssertionResult is_same(T got, T right) {
  const bool both_nan = std::isnan(got) && std::isnan(right);
  if (both_nan || (got == right && std::signbit(got) == std::signbit(right)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << got << " where " << right << " is right";
}
/// Within two units in the last place, beyond the greatest number too.
template <class T>
::testing::AssertionResult is_near(T got, T right) {
  const bool finite = std::isfinite(got) && std::isfinite(right);
  const T room =
      std::numeric_limits<T>::epsilon() * 2 * std::abs(right) + std::numeric_limits<T>::min();
  if (finite && std::abs(got - right) <= room) return ::testing::AssertionSuccess();
  if (!finite && ((std::isnan(got) && std::isnan(right)) || got == right))
    return ::testing::AssertionSuccess();
  if (std::isinf(got) && got * right > 0 && std::abs(right) >= std::numeric_limits<T>::max())
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << got << " where " << right << " is right";
}

/// V with `x` in one lane and other numbers in the others.
template <class V>
V with_lane(int lane, Element<V> x) {
  if constexpr (is_pack<V>) {
    V v(0.75);
    v.set(lane, x);
    return v;
  } else {
    return x;
  }
}
template <class V>
auto lane_value(const V& v, int lane) {
  if constexpr (is_pack<V>) {
    return v[lane];
  } else {
    return v;
  }
}

template <class V>
void check_unary(int lane) {
  using T = Element<V>;
  for (const T x : special_values<T>()) {
    SCOPED_TRACE(::testing::Message() << lanes_of<V> << " lanes, " << x);
    const V v = with_lane<V>(lane, x);
    const auto value = [&](const V& y) { return lane_value(y, lane); };
    EXPECT_TRUE(is_same<T>(value(ridge::abs(v)), std::abs(x))) << "abs";
    EXPECT_TRUE(is_same<T>(value(ridge::floor(v)), std::floor(x))) << "floor";
    EXPECT_TRUE(is_same<T>(value(ridge::ceil(v)), std::ceil(x))) << "ceil";
    EXPECT_TRUE(is_same<T>(value(ridge::trunc(v)), std::trunc(x))) << "trunc";
    EXPECT_TRUE(is_same<T>(value(ridge::sqrt(v)), std::sqrt(x))) << "sqrt";
    EXPECT_TRUE(is_near<T>(value(ridge::exp(v)), std::exp(x))) << "exp";
    EXPECT_TRUE(is_near<T>(value(ridge::log(v)), std::log(x))) << "log";
    EXPECT_TRUE(is_near<T>(value(ridge::tanh(v)), std::tanh(x))) << "tanh";
    if (std::isfinite(x) && std::abs(x) > T(1e5)) continue; // beyond what angles are
    EXPECT_TRUE(is_near<T>(value(ridge::sin(v)), std::sin(x))) << "sin";
    EXPECT_TRUE(is_near<T>(value(ridge::cos(v)), std::cos(x))) << "cos";
    EXPECT_TRUE(is_near<T>(value(ridge::tan(v)), std::tan(x))) << "tan";
  }
}

template <class V>
void check_binary(int lane) {
  using T = Element<V>;
  for (const T x : special_values<T>()) {
    for (const T y : special_values<T>()) {
      SCOPED_TRACE(::testing::Message() << lanes_of<V> << " lanes, " << x << ", " << y);
      const V v = with_lane<V>(lane, x), w = with_lane<V>(lane, y);
      const auto value = [&](const V& z) { return lane_value(z, lane); };
      // Packs, and either a number.
      for (const V& lesser : {V(ridge::min(v, w)), V(ridge::min(v, y)), V(ridge::min(x, w))})
        EXPECT_TRUE(is_same<T>(value(lesser), std::min(x, y))) << "min";
      for (const V& greater : {V(ridge::max(v, w)), V(ridge::max(v, y)), V(ridge::max(x, w))})
        EXPECT_TRUE(is_same<T>(value(greater), std::max(x, y))) << "max";
      for (const V& length : {V(ridge::hypot(v, w)), V(ridge::hypot(v, y)), V(ridge::hypot(x, w))})
        EXPECT_TRUE(is_near<T>(value(length), std::hypot(x, y))) << "hypot";
      for (const V& power : {V(ridge::pow(v, w)), V(ridge::pow(v, y)), V(ridge::pow(x, w))})
        EXPECT_TRUE(is_near<T>(value(power), std::pow(x, y))) << "pow";
      for (const V& one : {V(ridge::select(v == w, 1, 0)), V(ridge::select(v == y, V(1), 0)),
                           V(ridge::select(x != w, 0, V(1)))})
        EXPECT_EQ(value(one), x == y ? 1 : 0);
      EXPECT_TRUE(is_same<T>(value(V(ridge::select(v < w || v == y, v, w))), x <= y ? x : y));
      EXPECT_EQ(value(V(ridge::select(!(v < w) && w < v, 1, 0))), x > y ? 1 : 0);
      V sum = v;
      sum += y;
      sum *= 2;
      sum -= 1;
      sum /= y;
      EXPECT_TRUE(is_near<T>(value(sum), ((x + y) * 2 - 1) / y));
      const V three = V(ridge::by_lane([](auto a, auto b) { return std::fmod(a, b); }, v, y));
      EXPECT_TRUE(is_same<T>(value(three), std::fmod(x, y))) << "by_lane";
    }
  }
}

template <class V>
void check_functions() {
  for (const int lane : {0, lanes_of<V> - 1}) {
    check_unary<V>(lane);
    check_binary<V>(lane);
  }
  const V x(1.25);
  EXPECT_EQ(lane_value(V(ridge::fma(x, x, x)), 0), Element<V>(2.8125));
  EXPECT_EQ(lane_value(V(ridge::fma(x, 2, 1)), 0), Element<V>(3.5));
  EXPECT_EQ(lane_value(V(ridge::fma(0.5, 2.0F, x)), 0), Element<V>(2.25));
  EXPECT_EQ(lane_value(V(ridge::rsqrt<Grade::exact>(V(4))), 0), Element<V>(0.5));
  EXPECT_EQ(lane_value(V(ridge::select(true, x, 2)), 0), Element<V>(1.25));
  EXPECT_EQ(lane_value(V(ridge::select(false, x, 2)), 0), Element<V>(2));
  EXPECT_EQ(lane_value(V(ridge::select(true, x, V(3))), 0), Element<V>(1.25));
  const V one_differs = with_lane<V>(lanes_of<V> - 1, Element<V>(-1));
  EXPECT_TRUE(ridge::any(one_differs < 0));
  EXPECT_FALSE(ridge::any(one_differs > 1));
  EXPECT_EQ(ridge::all(one_differs < 0), lanes_of<V> == 1);
  EXPECT_TRUE(ridge::all(one_differs < 1));
}

} // namespace ridge
