// Gaussian kernels among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>

namespace ridge::lab {

struct GaussianEntry : InteractionEntry<pairs::Gaussian> {
  static constexpr const char* name = "gaussian";
  static constexpr const char* meaning = "weighted sums of Gaussian kernels of points";
  static constexpr bool in_lab = true;
  static pairs::Gaussian make() { return pairs::Gaussian(0.25); }
};

namespace built_in {
using gaussian = Interactions<GaussianEntry>;
}

} // namespace ridge::lab
