// Elements: ranges whose first dimensions are the points of elements, as spectral elements have
// them. Operations contract values along such a dimension with a matrix, as derivatives do:
//
//   static constexpr std::array dimensions{points(4), points(4), independent()};
//
//   struct Gradient {
//     static constexpr std::array accesses{read(u), write(along_i), write(along_j)};
//     Matrix<4> derivative = derivative_matrix<4>();
//     template <class At>
//     RIDGE_FN void operator()(const At& at) const {
//       at.set(along_i, at.contract_x(derivative, u)); // the sum over j of derivative[i][j] u[j]
//       at.set(along_j, at.contract_y(derivative, u));
//     }
//   };
//
// An item of a run is a whole element then: what operations pass on stays in registers, or on a
// cpu's stack.
#pragma once

#include <ridge/core/config.hpp>

#include <array>

namespace ridge::chain {

/// Most points of an element along a dimension: a lane of a GPU holds so many values of each array.
inline constexpr int most_points = 16;

/// An N x N matrix, as lanes and packs of both precisions take it: by rows and by columns.
template <int N>
struct Matrix {
  double rows[N][N] = {};
  double columns[N][N] = {};
  float rows_single[N][N] = {};
  float columns_single[N][N] = {};

  constexpr void set(int i, int j, double value) {
    rows[i][j] = columns[j][i] = value;
    rows_single[i][j] = columns_single[j][i] = static_cast<float>(value);
  }
  template <class T>
  [[nodiscard]] RIDGE_FN T at(int i, int j) const {
    if constexpr (sizeof(T) == 4) {
      return rows_single[i][j];
    } else {
      return rows[i][j];
    }
  }
  /// Where column j begins.
  template <class T>
  [[nodiscard]] RIDGE_FN const T* column(int j) const {
    if constexpr (sizeof(T) == 4) {
      return columns_single[j];
    } else {
      return columns[j];
    }
  }
  [[nodiscard]] constexpr Matrix transposed() const {
    Matrix t;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j)
        t.set(i, j, rows[j][i]);
    }
    return t;
  }
};

namespace detail {
struct Legendre {
  double value, derivative;
};
/// The Legendre polynomial of degree `n` at x, and its derivative, by their recurrence.
constexpr Legendre legendre(int n, double x) {
  double before = 1;
  double value = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  // Inside of (-1, 1).
  return {value, n * (x * value - before) / (x * x - 1)};
}
} // namespace detail

/// The N Gauss-Lobatto points of [-1, 1]: its ends, and where the derivative of the Legendre
/// polynomial of degree N - 1 is zero. N is at least 2.
template <int N>
constexpr std::array<double, static_cast<std::size_t>(N)> gauss_lobatto_points() {
  static_assert(N >= 2 && N <= most_points);
  std::array<double, static_cast<std::size_t>(N)> x{};
  constexpr int degree = N - 1;
  x.front() = -1;
  x.back() = 1;
  // Deflated Newton steps from the left: each zero found is divided out.
  for (int i = 1; i < degree; ++i) {
    double at = x[static_cast<std::size_t>(i - 1)] + 0.1 / degree;
    for (int step = 0; step < 100; ++step) {
      const detail::Legendre p = detail::legendre(degree, at);
      // (1 - x^2) P'' = 2 x P' - n (n + 1) P
      const double second =
          (2 * at * p.derivative - degree * (degree + 1) * p.value) / (1 - at * at);
      double found = 0;
      for (int j = 1; j < i; ++j)
        found += 1 / (at - x[static_cast<std::size_t>(j)]);
      const double change = p.derivative / (second - p.derivative * found);
      at -= change;
      if ((change < 0 ? -change : change) < 1e-16) break;
    }
    x[static_cast<std::size_t>(i)] = at;
  }
  return x;
}

/// Derivatives at the Gauss-Lobatto points of what the values there determine, a polynomial of
/// degree N - 1: exact for it. D[i][j] = P(x_i) / (P(x_j) (x_i - x_j)), with P the Legendre
/// polynomial of degree N - 1.
template <int N>
constexpr Matrix<N> derivative_matrix() {
  constexpr auto x = gauss_lobatto_points<N>();
  constexpr int degree = N - 1;
  const auto value = [&](int i) {
    const double at = x[static_cast<std::size_t>(i)];
    if (i == 0) return degree % 2 == 0 ? 1.0 : -1.0;
    return i == degree ? 1.0 : detail::legendre(degree, at).value;
  };
  Matrix<N> d;
  for (int i = 0; i < N; ++i) {
    double sum = 0;
    for (int j = 0; j < N; ++j) {
      if (i == j) continue;
      const double entry =
          value(i) / (value(j) * (x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(j)]));
      d.set(i, j, entry);
      sum += entry;
    }
    d.set(i, i, -sum); // derivatives of constants are zero
  }
  return d;
}

} // namespace ridge::chain
