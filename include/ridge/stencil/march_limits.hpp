// Limits of a march on a device, without compiling one.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/gpu_schedule.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::stencil {

/// Whether the device has a bulk copy engine: NVIDIA GPUs from compute capability 9.0 on, and the
/// emulated GPU.
[[nodiscard]] bool can_march(const Device& device);

/// Whether packs of points that do not march are worth trying: of kernels that read no planes.
[[nodiscard]] inline bool in_packs(const GpuSchedule& schedule, const Traits& traits) {
  return schedule.stage == Stage::none && traits.radius.z == 0;
}

/// Whether lanes can copy into shared memory asynchronously: on NVIDIA GPUs from compute capability
/// 8.0 on, and the emulated GPU.
[[nodiscard]] bool can_copy_asynchronously(const Device& device);

/// How marches by bulk copies load by default: as kernels ask, or so that they add up planes'
/// parts.
[[nodiscard]] Loads march_loads(const Traits& traits);

/// Whether planes of all inputs can come as tiles of so many threads in x and rows.
[[nodiscard]] bool can_tile(const Traits& traits, int threads_x, int rows);

/// Planes of the ring that stay from one output plane to the next: those above the point, and those
/// below unless all that is read there lies in the point's own column; none where planes' parts are
/// added up.
[[nodiscard]] Index planes_held(const Traits& traits, Loads loads);

/// Most shared memory of the rings of all inputs, for rows of any alignment; `packed` rows begin at
/// multiples of 128 bytes, under stage=tiles of 16, and take less. An input has as many planes
/// fewer than `ring=` as it keeps fewer from one output plane to the next.
[[nodiscard]] Index march_ring_bytes(const GpuSchedule& schedule, const Traits& traits,
                                     bool packed = false);

/// Most shared memory of a block under stage=window; none on AMD GPUs where points read no others
/// beside their own column.
[[nodiscard]] Index window_bytes(const GpuSchedule& schedule, const Traits& traits,
                                 DeviceKind kind);

/// Most shared memory beside the ring: barriers, and what is read of the result at the ends of
/// rows.
[[nodiscard]] Index march_fixed_bytes(const GpuSchedule& schedule);

} // namespace ridge::stencil
