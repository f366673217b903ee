// Comparing many sweeps with the reference, on boxes of the field small enough for it.
#pragma once

#include <ridge/stencil/bounded_sweeps.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace ridge::stencil {

/// A box of a field and what of it the reference is right for: what lies nearer to where it was cut
/// out than the values from beyond can come in the steps taken is not.
struct CheckedBox {
  Index begin[3], end[3];             ///< of the box
  Index right_begin[3], right_end[3]; ///< of what is compared
  Boundaries boundaries;              ///< untouched where it is cut
};

/// Boxes at the low corner, in the middle and at the high corner. Along a periodic axis the box is
/// in the middle.
[[nodiscard]] std::vector<CheckedBox> checked_boxes(Index3 extents, Offset radius,
                                                    const Boundaries& boundaries, Index steps);

/// As many steps, at most `steps`, as the reference can follow in about a second.
[[nodiscard]] Index checked_steps(Offset radius, Index steps);

/// Input 0 after so many steps by the reference, from packed fields of the extents, one an input:
/// right where it is wanted.
using EvolutionReference =
    std::function<BoundedField(std::vector<std::vector<double>> fields, Index3 extents,
                               const Boundaries&, const PointBox& wanted, Index steps)>;

/// Checks sweeps in precision T.
template <class T, class K>
[[nodiscard]] EvolutionReference reference_of(const K& kernel) {
  return [kernel](std::vector<std::vector<double>> fields, Index3 extents,
                  const Boundaries& boundaries, const PointBox& wanted, Index steps) {
    BoundedSweeps<K, T> reference(
        SweepsReference<K>(kernel, std::move(fields), extents, boundaries), wanted, steps);
    for (Index s = 0; s < steps; ++s)
      reference.step();
    return reference.result();
  };
}

/// Compares `sweeps` of a kernel of these traits, which took `steps` from inputs where input i
/// holds `random_value(i + 1, index)` of the packed index.
template <class T>
[[nodiscard]] Check check_sweeps(Queue& queue, Sweeps& sweeps, const EvolutionReference& reference,
                                 const Traits& traits, const Boundaries& boundaries, Index3 n,
                                 Index steps, double tolerance);

} // namespace ridge::stencil
