// The default schedule of a stencil on a GPU where it does not march, and when it does.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/stencil/gpu_schedule.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::stencil {

/// Whether tiles of eight rows of a kernel fit the registers of all GPUs.
[[nodiscard]] bool tile_fits(const Traits& traits);

/// Whether fields are large enough for a march, on a GPU that can. Points are faster where all
/// arrays are about as large as the cache, and where a march computes one value a thread (measured
/// on an H200, docs/design/stencils_on_gpus.md).
[[nodiscard]] bool is_large_for_march(const DeviceFacts& facts, const Traits& traits, Index3 n,
                                      const Strides& strides);

/// Points on such a GPU: single ones, a few rows of them, or windows (measured likewise).
[[nodiscard]] GpuSchedule points_beside_marches(const DeviceFacts& facts, const Traits& traits,
                                                Index3 n);

/// Points, in tiles where the kernel is compiled for them. Where three planes do not fit the
/// last-level cache, sub-domains in y of which three planes do.
[[nodiscard]] GpuSchedule points_default(const Device& device, const Traits& traits, Index3 n,
                                         const Strides& strides);

} // namespace ridge::stencil
