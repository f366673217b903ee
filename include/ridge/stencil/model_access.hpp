// Accesses of a stencil under a schedule, for the model.
#pragma once

#include <ridge/model/blocked_loops.hpp>
#include <ridge/model/time.hpp>
#include <ridge/stencil/schedule.hpp>

#include <optional>

namespace ridge::stencil {

/// How a launch on a GPU of that kind uses memory.
[[nodiscard]] model::StencilAccess model_access(const Traits& traits, const GpuSchedule& schedule,
                                                Index3 extents, DeviceKind kind);

/// How the loops on a cpu of `cores` use memory.
[[nodiscard]] model::BlockedLoops model_loops(const Traits& traits, const CpuSchedule& schedule,
                                              Index3 extents, int cores);

/// The model's prediction of one launch.
struct Prediction {
  model::Traffic traffic;
  std::optional<model::Time> time; ///< where the device's ceilings are known
};

/// Throws UsageError for a schedule of another kind of device, or one that the device has no room
/// for.
[[nodiscard]] Prediction predict(const Traits& traits, const Schedule& schedule, Index3 extents,
                                 const model::Description& device);

/// Every schedule that a described GPU can run, compiled ahead or on demand.
[[nodiscard]] std::vector<GpuSchedule> model_space(const Traits& traits,
                                                   const model::Description& device);

/// The schedule of that space which the model takes for the fastest, without stage=window where
/// stage=bulk is possible; of equals the one with the
/// lowest upper bound of its traffic, then the first.
[[nodiscard]] GpuSchedule model_choice(const Traits& traits, Index3 extents,
                                       const model::Description& device);

} // namespace ridge::stencil
