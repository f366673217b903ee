// exp, log, pow, sqrt, sin, cos, tan, tanh and hypot of packs against long double, in units in the last place.
#include <ridge/core/extents.hpp>
#include <ridge/core/pack_math.hpp>
#include <ridge/core/pack_math_more.hpp>
#include <ridge/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge {
namespace {

/// Distance of `got` from `right` in units in the last place of T at `right`.
template <class T>
double ulps(T got, long double right) {
  const T rounded = static_cast<T>(right);
  const T next = std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(std::abs(static_cast<long double>(got) - right) /
                             (static_cast<long double>(next) - std::abs(rounded)));
}

template <class T, int N, class F, class Reference>
double worst_of(double low, double high, F f, Reference reference) {
  using P = Pack<T, N, abi::Native>;
  double worst = 0;
  for (Index i = 0; i < 20000; i += N) {
    P x(0);
    for (int l = 0; l < N; ++l) {
      const double u = 0.5 + 0.5 * random_value(7, i + l);
      x.set(l, static_cast<T>(low + (high - low) * u));
    }
    const P y = f(x);
    for (int l = 0; l < N; ++l)
      worst = std::max(worst, ulps<T>(y[l], reference(static_cast<long double>(x[l]))));
  }
  return worst;
}

template <class T, int N>
void expect_accurate() {
  const auto within = [](double worst, double bound, const char* what) {
    EXPECT_LE(worst, bound) << what << " of " << N << " values of " << sizeof(T) << " bytes";
    EXPECT_GT(worst, 0) << what;
  };
  const double most = sizeof(T) == 4 ? 80 : 700;
  within(worst_of<T, N>(
             -most, most, [](auto x) { return exp(x); }, [](long double x) { return std::exp(x); }),
         1.0, "exp");
  within(worst_of<T, N>(
             1e-6, 1e6, [](auto x) { return log(x); }, [](long double x) { return std::log(x); }),
         1.0, "log");
  within(worst_of<T, N>(
             1e-3, 1e3, [](auto x) { return pow(x, 1.40027894); },
             [](long double x) {
               return std::pow(x, static_cast<long double>(static_cast<T>(1.40027894)));
             }),
         1.0, "pow");
  within(worst_of<T, N>(
             0, 1e9, [](auto x) { return sqrt(x); }, [](long double x) { return std::sqrt(x); }),
         0.5 + 1e-9, "sqrt");
  within(worst_of<T, N>(
             -30, 30, [](auto x) { return sin(x); }, [](long double x) { return std::sin(x); }),
         1.0, "sin");
  within(worst_of<T, N>(
             -30, 30, [](auto x) { return cos(x); }, [](long double x) { return std::cos(x); }),
         1.0, "cos");
  within(worst_of<T, N>(
             -30, 30, [](auto x) { return tan(x); }, [](long double x) { return std::tan(x); }),
         1.0, "tan");
  within(worst_of<T, N>(
             -5, 5, [](auto x) { return tanh(x); }, [](long double x) { return std::tanh(x); }),
         1.0, "tanh");
  within(worst_of<T, N>(
             -30, 30, [](auto x) { return hypot(x, decltype(x)(3)); },
             [](long double x) { return std::hypot(x, 3.0L); }),
         0.51, "hypot");
}

TEST(PackMath, IsAsAccurateAsStated) {
  expect_accurate<double, lanes_of<NativePack<double>>>();
  expect_accurate<double, 1>();
  expect_accurate<float, lanes_of<NativePack<float>>>();
  expect_accurate<float, 2>();
  expect_accurate<double, 8>();
  expect_accurate<float, 16>();
}

TEST(PackMath, GivesEachValueTheSameWhereverItIs) {
  using Whole = NativePack<double>;
  Whole x(0);
  for (int l = 0; l < lanes_of<Whole>; ++l)
    x.set(l, 0.3 + 0.4 * l);
  const Whole y = pow(x, 0.7);
  for (int l = 0; l < lanes_of<Whole>; ++l) {
    const Pack<double, 1, abi::Native> one(x[l]);
    EXPECT_EQ(pow(one, 0.7)[0], y[l]);
  }
}

TEST(PackMath, KnowsTheEdges) {
  using P = Pack<double, 1, abi::Native>;
  EXPECT_EQ(exp(P(-1e5))[0], 0.0);
  EXPECT_EQ(exp(P(1e5))[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(log(P(0.0))[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(log(P(-1.0))[0]));
  EXPECT_EQ(pow(P(0.0), 0.0)[0], 1.0);
  EXPECT_TRUE(std::isnan(sqrt(P(-1.0))[0]));
}

} // namespace
} // namespace ridge
