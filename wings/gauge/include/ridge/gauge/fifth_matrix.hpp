// Matrices in the fifth dimension, on the host: a square one for each chirality.
//
// Those of domain-wall operators are functions of one matrix, the hop in the fifth dimension:
//
//   (hop psi)_s = P_- psi_(s + 1) + P_+ psi_(s - 1), times -mass across the walls
//
// and so they commute.
#pragma once

#include <vector>

namespace ridge::gauge {

struct FifthMatrix {
  int n = 0;
  std::vector<double> upper, lower; ///< row s, column t at s * n + t; of P_+ and of P_-

  /// The unit matrix times `diagonal`.
  explicit FifthMatrix(int values, double diagonal = 1);
};

/// The hop in the fifth dimension, of `values` >= 2 values.
[[nodiscard]] FifthMatrix fifth_hop(int values, double mass);
/// a A + b B.
[[nodiscard]] FifthMatrix combined(double a, const FifthMatrix& x, double b, const FifthMatrix& y);
[[nodiscard]] FifthMatrix product(const FifthMatrix& x, const FifthMatrix& y);
[[nodiscard]] FifthMatrix transposed(const FifthMatrix& x);
/// Gauss and Jordan with pivots. Throws UsageError for a singular matrix: `what` says of what.
[[nodiscard]] FifthMatrix inverse(const FifthMatrix& x, const char* what);

} // namespace ridge::gauge
