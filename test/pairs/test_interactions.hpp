// Interactions of the tests' own: what a user would write.
#pragma once

#include <ridge/pairs/interactions/biot_savart.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>

namespace ridge::pairs::test {

/// Every component has a part of its own in every sum, so that a swapped or shifted one shows; it
/// is of all forms.
struct Mixture {
  static constexpr int targets = 2, sources = 3, sums = 3;
  static constexpr double flops = 10;
  double weight = 0.25;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    sum[0] += source[2] * (source[0] - target[1]);
    sum[1] += weight * target[0] * source[1];
    sum[2] += source[0] + 3 * target[1] - source[2];
  }
  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const {
    (*this)(a, b, sum_a);
    V sum_b[sums];
    for (V& sum : sum_b)
      sum = V(0);
    (*this)(b, a, sum_b);
    for (int c = 0; c < sums; ++c)
      less_b[c] -= sum_b[c];
  }
};

/// The same, compiled for other variants.
struct Odd : Mixture {};

/// An interaction of more components that would reach to infinity: a cutoff is not its own.
struct Charges {
  static constexpr int targets = 4, sources = 5, sums = 4, positions = 3, vector = 3;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    const V weight = source[4] * target[3] / (V(1) + dx * dx + (dy * dy + dz * dz));
    sum[0] += dx * weight;
    sum[1] += dy * weight;
    sum[2] += dz * weight;
    sum[3] += source[3];
  }
};

/// A sum of Gaussian kernels: the density of the sources at the target, which may be one of them.
struct Density {
  static constexpr int targets = 1, sources = 1, sums = 1, positions = 1;
  double half_inverse_variance = 2;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V d = source[0] - target[0];
    // 1/(1 + x/8)^8, which is exp(-x) to a few percent and needs no library.
    const V base = V(1) / (V(1) + d * d * V(half_inverse_variance / 8));
    const V second = base * base;
    sum[0] += second * second * second * second;
  }
};

} // namespace ridge::pairs::test
