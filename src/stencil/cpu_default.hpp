// The default schedule of a stencil on the cpu.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/schedule.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/traits.hpp>

#include <optional>

namespace ridge::stencil {

/// From the machine's caches, its kind of core, the kernel's footprint and the extents. At least
/// 2 KiB of the leading rows are prefetched; the planes of a block, those rows and the results
/// share the L2, of which two thirds are counted on. Several planes at once where that pays.
[[nodiscard]] CpuSchedule cpu_default(const DeviceFacts& facts, const Traits& traits, Index3 n,
                                      const Strides& strides);

/// Planes computed at once by default where the fields are beyond the caches.
[[nodiscard]] int cpu_depth(const DeviceFacts& facts, const Traits& traits, Index3 n,
                            const Strides& strides);

/// The pass that waves of order 2 in fp32 take by default on cores of the kind measured
/// (docs/design/sweeps.md): eight sweeps in blocks of 128 rows, where the rings of all threads fit
/// the cores' cache. Nothing elsewhere.
[[nodiscard]] std::optional<CpuPassSchedule>
pass_of_waves(const DeviceFacts& facts, const Traits& traits, Index3 n, int threads);

/// Whether passes of several sweeps are faster than single ones on so many threads: measured for
/// seven points in fp64, where many cores share what memory gives (docs/design/sweeps.md).
[[nodiscard]] bool passes_pay(const Traits& traits, Index3 n, int threads);

} // namespace ridge::stencil
