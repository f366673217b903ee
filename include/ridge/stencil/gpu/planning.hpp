// Host code's part of launches on GPUs: from a schedule and the extents to plans.
#pragma once

#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/device/tile_map.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/gpu_schedule.hpp>
#include <ridge/stencil/rows_at.hpp>
#include <ridge/stencil/variants.hpp>

#include <functional>
#include <vector>

namespace ridge::stencil::gpu {

/// A launch of a points kernel.
struct PointsLaunch {
  PointsPlan plan;
  LaunchShape shape;
};
/// The launches that cover a field of these extents: one for each sub-domain, and more where the
/// blocks are more than a grid can have. A lane has `vector` points in x; the first result of a row
/// is `x_first`.
[[nodiscard]] std::vector<PointsLaunch> plan_points(Index3 extents, const GpuSchedule& schedule,
                                                    Index x_first, int vector = 1);

/// How a points kernel loads from fields of such rows.
[[nodiscard]] Loads points_loads(const GpuSchedule& schedule, Rows rows);

/// The launch of a march.
struct MarchLaunch {
  MarchPlan plan;
  LaunchShape shape;
};
/// How many blocks of a shape the device holds at the same time.
using Resident = std::function<int(const LaunchShape&)>;
/// Over fields of these extents, which it sees from where their rows begin. Throws UsageError where
/// the schedule is not possible for this kernel, Failure where no block fits.
[[nodiscard]] MarchLaunch plan_march(Queue& queue, const MarchFacts& facts, Offset radius,
                                     Index3 extents, const RowsAt& rows,
                                     const GpuSchedule& schedule, const Resident& resident);

/// The variant of stage=bulk and stage=tiles for fields of such rows: rows that begin anywhere are
/// copied one by one.
[[nodiscard]] MarchVariant march_variant(const GpuSchedule& schedule, Store store, Rows rows);

/// The map of an input whose planes come as such tiles.
[[nodiscard]] TileMap march_tiles(const Device& device, const View<const char>& input,
                                  int element_bytes, TileExtent extent);

/// The variant of stage=window for fields of such rows.
[[nodiscard]] MarchVariant window_variant(const GpuSchedule& schedule, Store store, Rows rows);

/// Throws UsageError unless the device can march by bulk copies, and an input's rows begin where
/// bulk copies may.
void check_march(const Device& device);
void check_march_input(const void* data);
/// Throws UsageError where a kernel has more inputs than can come as tiles.
void check_tiled_inputs(int inputs);

} // namespace ridge::stencil::gpu
