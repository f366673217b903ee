// Whether a GPU takes passes of several sweeps by default between faces that move.
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

/// Whether a pass under this settled schedule is faster than single sweeps, by what was measured
/// on GPUs of compute capability 9.0 (docs/design/sweeps.md). `units`: multiprocessors, of which
/// each holds one block.
[[nodiscard]] bool pass_pays_between_moving_faces(const GpuPassSchedule& pass, const Traits& traits,
                                                  const Boundaries& boundaries, Index3 extents,
                                                  int units);

/// Whether passes of fields in 16 bits round points beyond faces as often as single sweeps do: as
/// has_exact_images, of boundaries.
[[nodiscard]] bool round_alike(const Traits& traits, const Boundaries& boundaries);

} // namespace ridge::stencil
