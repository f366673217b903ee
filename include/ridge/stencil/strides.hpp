// How far apart the rows and planes of a stencil's fields lie.
//
// Where they are a power of two apart, or nearly so, all rows that a stencil reads for one point
// fall into few sets of a cpu's L1 and push each other out (docs/design/stencils_on_cpus.md).
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/stencil/rows_at.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::stencil {

/// Elements between neighbours in y and in z, and from a line to the first point.
struct Strides {
  Index row = 0, plane = 0;
  Index misfit = 0;

  /// Strides of a packed field.
  [[nodiscard]] static constexpr Strides packed(Index3 n) { return {n.x, n.x * n.y, 0}; }
  template <class View>
  [[nodiscard]] static constexpr Strides of(const View& view) {
    return {view.row, view.plane, misfit_of(view.data, sizeof(*view.data))};
  }
  friend constexpr bool operator==(const Strides&, const Strides&) = default;
};

/// As executors see the rows of fields that lie so, each of them.
[[nodiscard]] inline RowsAt rows_at(const Traits& traits, const Strides& s) {
  return rows_at(s.row | s.plane, s.misfit, traits.element_bytes, traits.radius);
}

/// The most rows whose lines at one x lie within four sets of an L1 of 64 while a row of results is
/// computed: rows that are a few lines off push each other out, too. The most of any input.
[[nodiscard]] int rows_in_a_set(const Traits& traits, const Strides& strides);

/// Ways of 64 lines each; 0 where the L1 is not known.
[[nodiscard]] int ways_of_l1(const DeviceFacts& facts);

/// Whether those are more than the L1 has ways.
[[nodiscard]] bool crowded(const DeviceFacts& facts, const Traits& traits, const Strides& strides);

/// How far apart a field of Ridge's own has its rows and planes: as given on all devices but the
/// cpu, and there where that crowds no set of the L1 and several planes at once need no more;
/// otherwise an odd number of lines that is no page's, nor nearly so.
[[nodiscard]] Strides spread(const Device& device, const Traits& traits, Index3 extents,
                             const Strides& given);

} // namespace ridge::stencil
