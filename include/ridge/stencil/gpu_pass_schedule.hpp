// The schedule of several sweeps in one pass on a GPU.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil {

/// Persistent blocks march through the planes with all sweeps at once, planes of the sweeps in
/// between in registers. A warp is a row of the tile, 16 bytes a lane, `rows` of them; what sweeps
/// need of the tiles beside is computed twice.
struct GpuPassSchedule {
  int sweeps = 4;
  int rows = 0;
  int warps = 0;
  Store store = Store::plain;

  friend bool operator==(const GpuPassSchedule&, const GpuPassSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("sweeps", &GpuPassSchedule::sweeps, text::in_range(2, 4, 2, 3, 4),
                    "sweeps of one pass; what is left of the steps takes a shorter one"),
        text::field("rows", &GpuPassSchedule::rows, text::in_range(0, 6, 0, 2, 3, 4),
                    "rows of the tile that a thread computes; 0: what is usual for the sweeps"),
        text::field("warps", &GpuPassSchedule::warps, text::in_range(0, 16, 0, 8, 16),
                    "warps of a block, one above the other; 0: what is usual for the sweeps, of 64 "
                    "lanes half as many"),
        text::field("store", &GpuPassSchedule::store,
                    text::one_of(Store::plain, Store::nontemporal),
                    "results through the caches, or past them")};
  }

  static std::string problem(const GpuPassSchedule& s) {
    if (s.rows * s.warps == 0 || s.rows * s.warps > 2 * s.sweeps) return {};
    return "tiles of " + std::to_string(s.rows * s.warps) +
           " rows have no results after sweeps=" + std::to_string(s.sweeps) +
           ", which take one row on each side each; rows times warps is " +
           std::to_string(2 * s.sweeps + 1) + " or more";
  }
};

} // namespace ridge::stencil
