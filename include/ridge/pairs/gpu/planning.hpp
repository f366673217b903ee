// Host code's part of direct summations on GPUs.
#pragma once

#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/pairs/gpu/plan.hpp>
#include <ridge/pairs/gpu/schedule.hpp>

namespace ridge::pairs::gpu {

struct DirectLaunch {
  DirectPlan plan;
  LaunchShape shape;
  Span<char> partial; ///< combine=last: memory for partial sums, in bytes
};
/// Throws UsageError where the schedule is not possible on the queue's device.
[[nodiscard]] DirectLaunch plan_direct(Queue& queue, const DirectFacts& facts, Index targets,
                                       Index sources, const GpuSchedule& schedule);

/// Throws UsageError unless the device has the shared memory that blocks ask for, and blocks are of
/// whole warps.
void check_shape(const Device& device, const LaunchShape& shape);

/// Memory of the queue that kernels count in.
[[nodiscard]] Span<unsigned> counters_of(Queue& queue, Index count);

} // namespace ridge::pairs::gpu
