// Matrices in the fifth dimension.
#include <ridge/core/error.hpp>
#include <ridge/gauge/fifth_matrix.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace ridge::gauge {

namespace {

using Square = std::vector<double>;

Square product_of(const Square& x, const Square& y, std::size_t n) {
  Square z(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j)
        z[i * n + j] += x[i * n + k] * y[k * n + j];
  return z;
}

Square transposed_of(const Square& x, std::size_t n) {
  Square z(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      z[i * n + j] = x[j * n + i];
  return z;
}

Square inverse_of(Square x, std::size_t n, const char* what) {
  Square z(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    z[i * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      pivot = std::abs(x[i * n + k]) > std::abs(x[pivot * n + k]) ? i : pivot;
    if (!(std::abs(x[pivot * n + k]) > 1e-12))
      throw UsageError(std::string(what) + " is singular in the fifth dimension");
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(x[pivot * n + j], x[k * n + j]);
      std::swap(z[pivot * n + j], z[k * n + j]);
    }
    const double by = 1 / x[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      x[k * n + j] *= by;
      z[k * n + j] *= by;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double times = x[i * n + k];
      if (i == k || times == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        x[i * n + j] -= times * x[k * n + j];
        z[i * n + j] -= times * z[k * n + j];
      }
    }
  }
  return z;
}

std::size_t order_of(const FifthMatrix& x) {
  return static_cast<std::size_t>(x.n);
}

} // namespace

FifthMatrix::FifthMatrix(int values, double diagonal)
    : n(values), upper(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0), lower(upper) {
  for (std::size_t i = 0; i < upper.size(); i += static_cast<std::size_t>(n) + 1)
    upper[i] = lower[i] = diagonal;
}

FifthMatrix fifth_hop(int values, double mass) {
  FifthMatrix hop(values, 0);
  const auto n = static_cast<std::size_t>(values);
  for (std::size_t s = 0; s < n; ++s) {
    hop.upper[s * n + (s + n - 1) % n] = s == 0 ? -mass : 1;
    hop.lower[s * n + (s + 1) % n] = s + 1 == n ? -mass : 1;
  }
  return hop;
}

FifthMatrix combined(double a, const FifthMatrix& x, double b, const FifthMatrix& y) {
  FifthMatrix z = x;
  for (std::size_t i = 0; i < z.upper.size(); ++i) {
    z.upper[i] = a * x.upper[i] + b * y.upper[i];
    z.lower[i] = a * x.lower[i] + b * y.lower[i];
  }
  return z;
}

FifthMatrix product(const FifthMatrix& x, const FifthMatrix& y) {
  FifthMatrix z = x;
  z.upper = product_of(x.upper, y.upper, order_of(x));
  z.lower = product_of(x.lower, y.lower, order_of(x));
  return z;
}

FifthMatrix transposed(const FifthMatrix& x) {
  FifthMatrix z = x;
  z.upper = transposed_of(x.upper, order_of(x));
  z.lower = transposed_of(x.lower, order_of(x));
  return z;
}

FifthMatrix inverse(const FifthMatrix& x, const char* what) {
  FifthMatrix z = x;
  z.upper = inverse_of(x.upper, order_of(x), what);
  z.lower = inverse_of(x.lower, order_of(x), what);
  return z;
}

} // namespace ridge::gauge
