// Which passes of several sweeps a GPU takes by default.
#pragma once

#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/pass_plan.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::stencil {

/// The part of what so many blocks compute, until the last one ends, that are results of the pass:
/// tiles hold halos, jobs warm up, and blocks wait for the last one. Extents are those of fields
/// with their shells.
[[nodiscard]] double pass_use(const PassTiles& tiles, Index3 extents, int blocks);

/// Sweeps of a pass by default, of those that were measured on an H100 (docs/design/sweeps.md).
/// `moving`: some faces' shell changes from sweep to sweep.
[[nodiscard]] int pass_sweeps(const Traits& traits, bool moving, Index3 extents);

/// Whether a pass under this settled schedule is faster than single sweeps, by what was measured
/// on GPUs of compute capability 9.0 (docs/design/sweeps.md): between faces that move, and of
/// fields in 16 bits. `units`: multiprocessors, of which each holds one block.
[[nodiscard]] bool pass_pays(const GpuPassSchedule& pass, const Traits& traits,
                             const Boundaries& boundaries, bool moving, Index3 extents, int units);

/// Whether passes of fields in 16 bits round points beyond faces as often as single sweeps do: as
/// has_exact_images, of boundaries.
[[nodiscard]] bool round_alike(const Traits& traits, const Boundaries& boundaries);

/// True where a neumann face has values of its own, which passes do not take.
[[nodiscard]] bool has_inflow_values(const Boundaries& boundaries);

} // namespace ridge::stencil
