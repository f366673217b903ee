// A new interaction, as somebody would add one: this file is all that there is of it.
#pragma once

#include <ridge/lab/kernels/pairs_entry.hpp>

namespace ridge::lab {

/// Springs of their own stiffness from each source: the forces, and half of the energies.
struct Springs {
  static constexpr int targets = 3, sources = 4, sums = 4, positions = 3, vector = 3;
  static constexpr double flops = 17;
  double length = 0.5;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = source[0] - target[0];
    const V dy = source[1] - target[1];
    const V dz = source[2] - target[2];
    sum[0] += source[3] * dx;
    sum[1] += source[3] * dy;
    sum[2] += source[3] * dz;
    sum[3] += V(length) * source[3] * (dx * dx + dy * dy + dz * dz);
  }
};

struct SpringsEntry : InteractionEntry<Springs> {
  static constexpr const char* name = "springs";
  static constexpr const char* meaning = "springs between all bodies";
  static constexpr bool in_lab = true;
};

namespace built_in {
using springs = Interactions<SpringsEntry>;
}

} // namespace ridge::lab
