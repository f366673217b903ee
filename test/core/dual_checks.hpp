// Dual numbers against derivatives in closed form, at every operation that kernels know; used by
// dual_test.cpp (packs as arrays) and dual_native.cpp.
#pragma once

#include <ridge/core/branch.hpp>
#include <ridge/core/dual.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace ridge {

template <class V>
class DualChecks {
public:
  using D = DualOf<V>;
  using T = Element<V>;

  void run() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(-1.4, 1.4);
    std::uniform_real_distribution<double> positive(0.2, 3);
    for (int i = 0; i < 200; ++i) {
      smooth(any(random), any(random));
      of_positive(positive(random), positive(random));
    }
    special();
  }

private:
  /// `f` of dual numbers at (x, y): its value is that of packs, to the bit, its derivatives are
  /// (by_x, by_y), each seeded alone and both together.
  template <class F>
  void expect(const char* name, const F& f, double x, double y, double by_x, double by_y) {
    const V vx(x);
    const V vy(y);
    const V plain = V(f(vx, vy));
    const auto check = [&](const D& result, double right, const char* seeded) {
      const std::string where = std::string(name) + " at " + std::to_string(x) + ", " +
                                std::to_string(y) + " by " + seeded;
      const double derivative = result.active ? static_cast<double>(result.derivative[lane]) : 0;
      const double terms = std::abs(by_x) + std::abs(by_y) + 1;
      if (std::isfinite(right)) {
        EXPECT_NEAR(derivative, right, 60 * std::numeric_limits<T>::epsilon() * terms) << where;
      } else {
        EXPECT_EQ(derivative, right) << where;
      }
      const T value = result.value[lane];
      EXPECT_TRUE(value == plain[lane] || (std::isnan(value) && std::isnan(plain[lane])))
          << where << ": " << value << " where " << plain[lane] << " is right";
    };
    check(f(D(vx, V(1)), D(vy)), by_x, "x");
    check(f(D(vx), D(vy, V(1))), by_y, "y");
    check(f(D(vx, V(2)), D(vy, V(-3))), 2 * by_x - 3 * by_y, "both");
    EXPECT_FALSE(D(f(D(vx), D(vy))).active) << name;
  }

  void smooth(double x, double y) {
    x = static_cast<T>(x), y = static_cast<T>(y);
    expect(
        "+", [](auto a, auto b) { return a + b + 2; }, x, y, 1, 1);
    expect(
        "-", [](auto a, auto b) { return 3 - (a - b) - 1.5; }, x, y, -1, 1);
    expect(
        "*", [](auto a, auto b) { return 0.5 * a * b; }, x, y, y / 2, x / 2);
    expect(
        "/", [](auto a, auto b) { return a / (b * b + 1); }, x, y, 1 / (y * y + 1),
        -2 * x * y / ((y * y + 1) * (y * y + 1)));
    expect(
        "1/", [](auto a, auto b) { return 2 / (a + b + 9); }, x, y,
        -2 / ((x + y + 9) * (x + y + 9)), -2 / ((x + y + 9) * (x + y + 9)));
    expect(
        "unary -", [](auto a, auto b) { return -(a * b); }, x, y, -y, -x);
    expect(
        "compound",
        [](auto a, auto b) {
          auto c = a;
          c += b, c -= 0.25, c *= a, c /= 4.0;
          return c;
        },
        x, y, (2 * x + y - 0.25) / 4, x / 4);
    expect(
        "abs", [](auto a, auto b) { return abs(a) * b; }, x, y, std::copysign(y, x * y),
        std::abs(x));
    expect(
        "exp", [](auto a, auto b) { return exp(a * b); }, x, y, y * std::exp(x * y),
        x * std::exp(x * y));
    expect(
        "sin", [](auto a, auto b) { return sin(a) + b; }, x, y, std::cos(x), 1);
    expect(
        "cos", [](auto a, auto b) { return cos(a) * b; }, x, y, -std::sin(x) * y, std::cos(x));
    expect(
        "tan", [](auto a, auto b) { return tan(a * 0.5) + b; }, x, y,
        0.5 / std::pow(std::cos(x / 2), 2), 1);
    expect(
        "tanh", [](auto a, auto b) { return tanh(a) - b; }, x, y, 1 - std::pow(std::tanh(x), 2),
        -1);
    expect(
        "fma", [](auto a, auto b) { return fma(a, b, a); }, x, y, y + 1, x);
    expect(
        "fma of numbers", [](auto a, auto b) { return fma(2, a, b); }, x, y, 2, 1);
    expect(
        "pow(2, y)", [](auto a, auto b) { return pow(2.0, b) + a; }, x, y, 1,
        std::log(2) * std::pow(2, y));
    expect(
        "pow(x, 3)", [](auto a, auto b) { return pow(a, 3) * b; }, x, y, 3 * x * x * y, x * x * x);
    const double h = std::hypot(x, y);
    expect(
        "hypot", [](auto a, auto b) { return hypot(a, b); }, x, y, x / h, y / h);
    expect(
        "hypot of a number", [](auto a, auto b) { return hypot(a, 0.5) + b; }, x, y,
        x / std::hypot(x, 0.5), 1);
    whole_and_chosen(x, y);
  }

  void whole_and_chosen(double x, double y) {
    const bool less = x < y;
    expect(
        "floor", [](auto a, auto b) { return floor(7 * a) * b; }, x, y, 0,
        std::floor(static_cast<T>(7) * static_cast<T>(x)));
    expect(
        "ceil", [](auto a, auto b) { return ceil(a) * b; }, x, y, 0, std::ceil(x));
    expect(
        "trunc", [](auto a, auto b) { return trunc(a) * b; }, x, y, 0, std::trunc(x));
    expect(
        "min", [](auto a, auto b) { return min(a, 2 * b); }, x, y, 2 * y < x ? 0 : 1,
        2 * y < x ? 2 : 0);
    expect(
        "max", [](auto a, auto b) { return max(a, b) + max(a, 9) + min(-9, b); }, x, y,
        less ? 0 : 1, less ? 1 : 0);
    expect(
        "select", [](auto a, auto b) { return select(a < b, a * a, b * 3); }, x, y,
        less ? 2 * x : 0, less ? 0 : 3);
    expect(
        "select of numbers", [](auto a, auto b) { return select(a < b, 1, 2) * a; }, x, y,
        less ? 1 : 2, 0);
    expect(
        "select of one", [](auto a, auto b) { return select(!(a >= b) || a == b, b, 0); }, x, y, 0,
        x <= y ? 1 : 0);
    expect(
        "select by a bool", [](auto a, auto b) { return select(true, a, b); }, x, y, 1, 0);
    expect(
        "and", [](auto a, auto b) { return select(a <= b && b > 0, b, a); }, x, y,
        less && y > 0 ? 0 : 1, less && y > 0 ? 1 : 0);
    expect(
        "branch",
        [](auto a, auto b) {
          return branch(
              a != b, [&] { return a * b; }, 0);
        },
        x, y, y, x);
    expect(
        "any",
        [](auto a, auto b) {
          auto sum = a;
          if (any(a < b)) sum += select(a < b, b, 0);
          return sum;
        },
        x, y, 1, less ? 1 : 0);
  }

  void of_positive(double x, double y) {
    x = static_cast<T>(x), y = static_cast<T>(y);
    expect(
        "log", [](auto a, auto b) { return log(a) * b; }, x, y, y / x, std::log(x));
    expect(
        "sqrt", [](auto a, auto b) { return sqrt(a) * b; }, x, y, y / (2 * std::sqrt(x)),
        std::sqrt(x));
    expect(
        "pow", [](auto a, auto b) { return pow(a, b); }, x, y, y * std::pow(x, y - 1),
        std::log(x) * std::pow(x, y));
    expect(
        "rsqrt", [](auto a, auto b) { return rsqrt<Grade::exact>(a) + b; }, x, y,
        -0.5 * std::pow(x, -1.5), 1);
    expect(
        "quotient", [](auto a, auto b) { return quotient(a, b); }, x, y, 1 / y, -x / (y * y));
    expect(
        "power_of_positive", [](auto a, auto b) { return power_of_positive(a, T(1.5)) + b; }, x, y,
        1.5 * std::sqrt(x), 1);
  }

  /// Where derivatives are a choice, or infinite.
  void special() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    expect(
        "abs", [](auto a, auto b) { return abs(a) + b; }, 0, 1, 0, 1);
    expect(
        "min of equal ones", [](auto a, auto b) { return min(a, b); }, 1, 1, 1, 0);
    expect(
        "max of equal ones", [](auto a, auto b) { return max(a, b); }, 1, 1, 1, 0);
    expect(
        "pow(0, 1)", [](auto a, auto b) { return pow(a, b); }, 0, 1, 1, 0);
    expect(
        "pow(0, 2)", [](auto a, auto b) { return pow(a, b); }, 0, 2, 0, 0);
    expect(
        "pow(0, 0)", [](auto a, auto b) { return pow(a, 0) + b; }, 0, 1, 0, 1);
    expect(
        "hypot(0, 0)", [](auto a, auto b) { return hypot(a, b); }, 0, 0, 0, 0);
    const D root = sqrt(D(V(0), V(1)));
    EXPECT_EQ(static_cast<double>(root.derivative[lane]), infinity);
  }

  static constexpr int lane = lanes_of<V> - 1;
};

} // namespace ridge
