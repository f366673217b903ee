#include "exact.hpp"

#include <ridge/core/error.hpp>

#include <cmath>

namespace ridge::solve::detail {

namespace {

/// y - f x; most f of a grid's equations are 0.
void subtract(double* y, double f, const double* x, std::size_t count) {
  if (f == 0) return;
  for (std::size_t i = 0; i < count; ++i)
    y[i] -= f * x[i];
}

void divide(double* y, double by, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    y[i] /= by;
}

/// A = L L^T in place, of which the upper half counts, and L^T is left. By rows, as all below.
void factorize(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* row = &a[j * n];
    for (std::size_t k = 0; k < j; ++k)
      subtract(row + j, a[k * n + j], &a[k * n + j], n - j);
    if (!(row[j] > 0)) throw Failure("the coarsest grid's equations have no solution");
    divide(row + j, std::sqrt(row[j]), n - j);
  }
}

/// The inverse of A, of which the upper half counts.
void invert_symmetric(std::vector<double>& a, std::size_t n) {
  factorize(a, n);
  std::vector<double> x(n * n, 0); // the inverse of L, then the lower half of A's
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &x[i * n];
    row[i] = 1;
    for (std::size_t k = 0; k < i; ++k)
      subtract(row, a[k * n + i], &x[k * n], k + 1);
    divide(row, a[i * n + i], i + 1);
  }
  for (std::size_t i = n; i-- > 0;) {
    double* row = &x[i * n];
    for (std::size_t k = i + 1; k < n; ++k)
      subtract(row, a[i * n + k], &x[k * n], i + 1);
    divide(row, a[i * n + i], i + 1);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < i; ++c)
      x[c * n + i] = x[i * n + c];
  a = std::move(x);
}

} // namespace

std::vector<double> inverse_of(const std::vector<Axis>& axes, double shift, bool singular,
                               const std::vector<double>& k,
                               const std::vector<unsigned char>& land) {
  const int nx = axes[0].points();
  const int ny = axes[1].points();
  const int nz = axes[2].points();
  const auto n =
      static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  // Times volumes the equations are symmetric.
  std::vector<double> s(n * n, 0);
  std::vector<double> volume(n);
  const auto index = [&](int x, int y, int z) {
    return static_cast<std::size_t>(x + nx * (y + ny * z));
  };
  const auto is_land = [&](std::size_t i) { return !land.empty() && land[i] != 0; };
  double trace = 0;
  double all = 0;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const std::size_t i = index(x, y, z);
        if (is_land(i)) continue;
        const int at[3] = {x, y, z};
        double v = 1;
        for (std::size_t d = 0; d < 3; ++d)
          v *= axes[d].volume[static_cast<std::size_t>(at[d])];
        volume[i] = v;
        double diagonal = shift;
        for (std::size_t d = 0; d < 3; ++d) {
          const Axis& axis = axes[d];
          const auto own = static_cast<std::size_t>(at[d]);
          for (int side = 0; side < 2; ++side) {
            double weight = side == 0 ? axis.low[own] : axis.high[own];
            if (weight == 0) continue;
            if (!k.empty()) {
              const auto at_k = [&](int kx, int ky, int kz) {
                return k[static_cast<std::size_t>((kx + 1) +
                                                  (nx + 2) * ((ky + 1) + (ny + 2) * (kz + 1)))];
              };
              int beside[3] = {x, y, z};
              beside[d] += side == 0 ? -1 : 1;
              const double here = at_k(x, y, z);
              const double there = at_k(beside[0], beside[1], beside[2]);
              weight *= 2 * here * (there / (here + there));
            }
            if (!axis.has_neighbour(at[d], side)) {
              diagonal += weight;
              continue;
            }
            int there[3] = {x, y, z};
            there[d] = (at[d] + (side == 0 ? axis.points() - 1 : 1)) % axis.points();
            const std::size_t j = index(there[0], there[1], there[2]);
            if (is_land(j)) continue;
            diagonal += weight;
            s[i * n + j] -= v * weight;
          }
        }
        s[i * n + i] += v * diagonal;
        trace += v * diagonal;
        all += v;
      }
    }
  }
  if (singular) {
    const double scale = trace / (all * all);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        s[i * n + j] += scale * volume[i] * volume[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (is_land(i)) s[i * n + i] = 1; // u is 0
  invert_symmetric(s, n);
  for (std::size_t i = 0; i < n; ++i) { // column i takes the volume of what it is multiplied with
    for (std::size_t row = 0; row < n; ++row)
      s[i * n + row] *= volume[i];
  }
  return s;
}

} // namespace ridge::solve::detail
