// The default schedule of a stencil that marches through z on a GPU.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/stencil/gpu_schedule.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/traits.hpp>

#include <optional>

namespace ridge::stencil {

/// From the multiprocessors' number and shared memory, the kernel's footprint and the extents: the
/// shape of the blocks, as long a ring of planes as lets several share a multiprocessor, and the
/// parts of the z axis that fill the GPU evenly. Nothing where no ring fits the shared memory, or
/// where joined packs would leave many lanes idle.
/// `loads=packs` lets lanes compute 16 bytes of rows that begin anywhere, `ascending` adds up
/// planes' parts. `asked` is stage=bulk or stage=tiles; without it the faster one.
[[nodiscard]] std::optional<GpuSchedule>
march_default(const DeviceFacts& facts, const Traits& traits, Index3 n, const Strides& strides,
              Loads loads = Loads::stencil, std::optional<Stage> asked = {});

/// Whether planes come as tiles by default: of tall footprints, and where blocks of copied rows
/// would be narrow.
[[nodiscard]] bool comes_as_tiles(const Traits& traits, Index3 n, const Strides& strides,
                                  Loads loads);

/// Inputs that are read around the point.
[[nodiscard]] int read_around(const Traits& traits);

/// Points where a march would compute one value a thread (docs/design/stencils_on_gpus.md): several
/// rows a lane (takes_rows_of_points), in fp64 single ones of several rows; nothing where it is
/// faster.
[[nodiscard]] std::optional<GpuSchedule> points_anywhere(const Traits& traits,
                                                         const Strides& strides);

/// That with windows of registers, for GPUs without a bulk copy engine; nothing where its shared
/// memory does not fit.
[[nodiscard]] std::optional<GpuSchedule> window_default(const DeviceFacts& facts, DeviceKind kind,
                                                        const Traits& traits, Index3 n,
                                                        const Strides& strides);

/// How a GPU copies into shared memory by itself.
enum class Copies { none, asynchronous, bulk };

/// Of these the default on a GPU; nothing where tiles of points are.
[[nodiscard]] std::optional<GpuSchedule> march_for(const DeviceFacts& facts, DeviceKind kind,
                                                   Copies copies, const Traits& traits, Index3 n,
                                                   const Strides& strides);

} // namespace ridge::stencil
