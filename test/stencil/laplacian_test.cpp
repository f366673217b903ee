// The built-in operators against calculus: through the reference, which calls them point by point.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/reference.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace ridge::stencil {
namespace {

using Function = std::function<double(double, double, double)>;

/// The operator's value at the middle of a grid on which `u` is sampled with spacing `h`.
template <class K>
double applied(const K& kernel, const Function& u, Spacing h) {
  constexpr Offset r = radius_of<K>();
  const Index3 n{2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1};
  std::vector<double> in(static_cast<std::size_t>(n.x * n.y * n.z));
  std::vector<double> out(in.size(), 0);
  const View<double> view(in.data(), n);
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x) {
        view.data[view.at(x, y, z)] =
            u(static_cast<double>(x - r.x) * h.x, static_cast<double>(y - r.y) * h.y,
              static_cast<double>(z - r.z) * h.z);
      }
    }
  }
  apply_reference<K, double>(kernel, {View<const double>(view)}, View<double>(out.data(), n));
  return out[static_cast<std::size_t>(view.at(r.x, r.y, r.z))];
}

constexpr Spacing uneven{0.5, 0.75, 1.25};

template <int Order>
void expect_exact_for_polynomials() {
  // Order p differentiates x^(p + 1) exactly. At 0, the second derivative of x^2 is 2, of others 0.
  for (int degree = 0; degree <= Order + 1; ++degree) {
    const double expected = degree == 2 ? 2 : 0;
    const Laplacian<Order, 3> kernel(uneven);
    const auto power = [&](double v) { return std::pow(v, degree); };
    EXPECT_NEAR(applied(
                    kernel, [&](double x, double, double) { return power(x); }, uneven),
                expected, 1e-9)
        << Order << " x^" << degree;
    EXPECT_NEAR(applied(
                    kernel, [&](double, double y, double) { return power(y); }, uneven),
                expected, 1e-9)
        << Order << " y^" << degree;
    EXPECT_NEAR(applied(
                    kernel, [&](double, double, double z) { return power(z); }, uneven),
                expected, 1e-9)
        << Order << " z^" << degree;
  }
}

TEST(Laplacian, DifferentiatesPolynomialsOfItsOrderExactly) {
  expect_exact_for_polynomials<2>();
  expect_exact_for_polynomials<4>();
  expect_exact_for_polynomials<6>();
  expect_exact_for_polynomials<8>();
}

template <int Order>
double error_on_waves(double h) {
  const Function u = [](double x, double y, double z) {
    return std::sin(x + 0.3) * std::cos(0.7 * y) * std::exp(0.4 * z);
  };
  const double exact = (-1 - 0.49 + 0.16) * u(0, 0, 0);
  return std::abs(applied(Laplacian<Order, 3>({h, h, h}), u, {h, h, h}) - exact);
}

TEST(Laplacian, ConvergesWithItsOrder) {
  EXPECT_NEAR(std::log2(error_on_waves<2>(0.2) / error_on_waves<2>(0.1)), 2, 0.1);
  EXPECT_NEAR(std::log2(error_on_waves<4>(0.2) / error_on_waves<4>(0.1)), 4, 0.1);
  EXPECT_NEAR(std::log2(error_on_waves<6>(0.4) / error_on_waves<6>(0.2)), 6, 0.2);
  EXPECT_NEAR(std::log2(error_on_waves<8>(0.8) / error_on_waves<8>(0.4)), 8, 0.3);
}

TEST(Laplacian, OfTwoDimensionsIgnoresTheThird) {
  const auto u = [](double x, double y, double) { return x * x - 3 * y * y; };
  EXPECT_NEAR(applied(Laplacian<4, 2>(uneven), u, uneven), 2 - 6, 1e-12);
  EXPECT_NEAR(applied(Laplacian<6, 1>(uneven), u, uneven), 2, 1e-12);
}

TEST(Laplacian, CountsTenOperationsForSevenPoints) {
  EXPECT_EQ((Laplacian<2, 3>::flops), 10);
  EXPECT_EQ((Laplacian<8, 3>::flops), 37);
}

TEST(Box27, IsTheLaplacianOfQuadraticsAndMixedTerms) {
  const double h = 0.3;
  const auto u = [](double x, double y, double z) {
    return x * x + 2 * y * y - 4 * z * z + x * y - y * z + 3 * x + 1;
  };
  EXPECT_NEAR(applied(Box27(h), u, {h, h, h}), 2 + 4 - 8, 1e-12);
}

TEST(Linear, WeighsEachOffset) {
  constexpr Footprint<3> offsets{{{{0, 0, 0}, {1, -1, 0}, {0, 0, 2}}}};
  Linear<offsets> kernel;
  kernel.weights = {2, -3, 5};
  const auto u = [](double x, double y, double z) { return 1 + x + 10 * y + 100 * z; };
  EXPECT_NEAR(applied(kernel, u, {1, 1, 1}), 2 * 1 - 3 * (1 + 1 - 10) + 5 * (1 + 200), 1e-12);
}

} // namespace
} // namespace ridge::stencil
