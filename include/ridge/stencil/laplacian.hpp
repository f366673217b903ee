// The finite-difference Laplacian, the weighted 27-point box, and any linear stencil.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/spacing.hpp>
#include <ridge/stencil/footprint.hpp>

#include <array>
#include <type_traits>

namespace ridge::stencil {

using ridge::Spacing;

/// Weights of the central second difference of even `order`, at distances 0 to order / 2, for unit
/// spacing (Fornberg 1988, table 1).
template <int Order>
constexpr std::array<double, Order / 2 + 1> second_difference() {
  static_assert(Order == 2 || Order == 4 || Order == 6 || Order == 8,
                "the built-in orders are 2, 4, 6 and 8");
  if constexpr (Order == 2) {
    return {-2.0, 1.0};
  } else if constexpr (Order == 4) {
    return {-5.0 / 2, 4.0 / 3, -1.0 / 12};
  } else if constexpr (Order == 6) {
    return {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
  } else {
    return {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  }
}

/// A weight in both precisions, for lanes that compute in fp32 and have no time to round it.
struct Weight {
  double exact = 0;
  float rounded = 0;

  Weight() = default;
  RIDGE_FN constexpr Weight(double w) // NOLINT(google-explicit-constructor): as a double
      : exact(w), rounded(static_cast<float>(w)) {}
  RIDGE_FN constexpr operator double() const {
    return exact;
  } // NOLINT(google-explicit-constructor)
  RIDGE_FN constexpr Weight& operator*=(double by) { return *this = Weight(exact * by); }
};

/// Sum of the second differences along the first `Rank` axes. Operations a point: one
/// multiplication for the centre and, for each pair of opposite neighbours, an addition, a
/// multiplication and an addition: 10 for the 7-point stencil.
template <int Order, int Rank>
struct Laplacian {
  static constexpr int radius = Order / 2;
  static constexpr auto footprint = star<radius, Rank>();
  static constexpr double flops = 1 + 3.0 * Rank * radius;
  static constexpr bool linear = true;
  static constexpr bool by_axis = true;

  /// Where lanes wait for instructions, not for memory (docs/design/stencils_on_gpus.md).
  using Number = std::conditional_t<Order == 8, Weight, double>;

  Number centre = 0;
  /// Weights of the neighbours at distance i + 1 along x, y and z.
  std::array<Number, radius> x{}, y{}, z{};

  Laplacian() = default;
  explicit Laplacian(Spacing h) {
    constexpr auto weights = second_difference<Order>();
    const double inverse[3] = {1 / (h.x * h.x), 1 / (h.y * h.y), 1 / (h.z * h.z)};
    std::array<Number, radius>* const axes[3] = {&x, &y, &z};
    for (int axis = 0; axis < Rank; ++axis) {
      centre = centre + weights[0] * inverse[axis];
      for (int r = 0; r < radius; ++r)
        (*axes[axis])[r] = weights[r + 1] * inverse[axis];
    }
  }

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    auto sum = times<N>(centre, u(0, 0, 0));
    RIDGE_UNROLL
    for (int r = 1; r <= radius; ++r)
      sum += times<N>(x[r - 1], u(-r, 0, 0) + u(r, 0, 0));
    if constexpr (Rank > 1) {
      RIDGE_UNROLL
      for (int r = 1; r <= radius; ++r)
        sum += times<N>(y[r - 1], u(0, -r, 0) + u(0, r, 0));
    }
    if constexpr (Rank > 2) {
      RIDGE_UNROLL
      for (int r = 1; r <= radius; ++r)
        sum += times<N>(z[r - 1], u(0, 0, -r) + u(0, 0, r));
    }
    return sum;
  }

private:
  /// Whether neighbours ask for weights in their own precision.
  template <class N>
  static constexpr bool rounds() {
    if constexpr (Order == 8 && requires { N::rounded_weights; }) {
      return N::rounded_weights;
    } else {
      return false;
    }
  }
  template <class N, class V>
  static RIDGE_FN auto times(const Number& weight, const V& value) {
    if constexpr (rounds<N>()) {
      return weight.rounded * value;
    } else {
      return static_cast<double>(weight) * value;
    }
  }
};

/// A weighted sum over all 27 points within 1: centre, 6 faces, 12 edges, 8 corners. Operations a
/// point: 26 additions and 4 multiplications.
struct Box27 {
  static constexpr auto footprint = box<1>();
  static constexpr double flops = 30;
  static constexpr bool linear = true;

  /// By the number of axes along which the neighbour differs from the point.
  std::array<double, 4> weight{};

  Box27() = default;
  /// The 27-point Laplacian of equal spacing `h`: weights -128, 14, 3 and 1 over 30 h^2 (O'Reilly
  /// and Beck 2006): exact for quadratics, with an error that is the same in all directions.
  explicit Box27(double h)
      : weight{-128.0 / (30 * h * h), 14.0 / (30 * h * h), 3.0 / (30 * h * h), 1.0 / (30 * h * h)} {
  }

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    const auto along_x = [&](int y, int z) { return u(-1, y, z) + u(1, y, z); };
    const auto faces = along_x(0, 0) + (u(0, -1, 0) + u(0, 1, 0)) + (u(0, 0, -1) + u(0, 0, 1));
    const auto edges = (along_x(-1, 0) + along_x(1, 0)) + (along_x(0, -1) + along_x(0, 1)) +
                       (u(0, -1, -1) + u(0, 1, -1)) + (u(0, -1, 1) + u(0, 1, 1));
    const auto corners = (along_x(-1, -1) + along_x(1, -1)) + (along_x(-1, 1) + along_x(1, 1));
    return weight[0] * u(0, 0, 0) + weight[1] * faces + weight[2] * edges + weight[3] * corners;
  }
};

/// Any linear stencil: `Offsets` is a footprint, `weights` holds one number an offset.
template <auto Offsets>
struct Linear {
  static constexpr auto footprint = Offsets;
  static constexpr double flops = 2.0 * Offsets.size - 1;
  static constexpr bool linear = true;

  std::array<double, Offsets.size> weights{};

  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    constexpr auto& o = Offsets.offsets;
    auto sum = weights[0] * u(o[0].x, o[0].y, o[0].z);
    RIDGE_UNROLL
    for (int i = 1; i < Offsets.size; ++i)
      sum += weights[i] * u(o[i].x, o[i].y, o[i].z);
    return sum;
  }
};

} // namespace ridge::stencil
