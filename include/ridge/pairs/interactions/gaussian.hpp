// Sums of Gaussian kernels: density estimation.
#pragma once

#include <ridge/core/pack_math.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

/// Targets: x, y, z. Sources: x, y, z, weight. Sum: the weighted kernels of all sources at the
/// target, weight exp(-r^2 / (2 h^2)) with h the bandwidth, not normalised: divide by
/// (2 pi)^(3/2) h^3 times all weights for a density. Among themselves bodies leave themselves out.
struct Gaussian {
  static constexpr int targets = 3, sources = 4, sums = 1, positions = 3;
  static constexpr double flops = 12;

  /// `bandwidth` is positive.
  constexpr explicit Gaussian(double bandwidth = 1) : exponent(-0.5 / (bandwidth * bandwidth)) {}

  double exponent; ///< -1 / (2 h^2)

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0];
    const V dy = target[1] - source[1];
    const V dz = target[2] - source[2];
    sum[0] += source[3] * exp((dx * dx + (dy * dy + dz * dz)) * V(exponent));
  }
};

} // namespace ridge::pairs
