// Running a stencil kernel from host code.
#pragma once

#include <ridge/device/dispatch.hpp>
#include <ridge/record/record.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/schedule.hpp>

namespace ridge::stencil {

namespace detail {
/// Throws UsageError when extents differ, are too small for the radius, or out overlaps an input.
void check_views(const Traits& traits, const std::vector<View<const char>>& in,
                 const View<const char>& out);

template <class T>
View<const char> untyped(const View<T>& v) {
  return {reinterpret_cast<const char*>(v.data), v.extents, v.row, v.plane};
}
} // namespace detail

/// The record of a launch before it is timed.
[[nodiscard]] Record record_of(const Device& device, const Traits& traits, Index3 extents,
                               const Schedule& schedule, std::string_view kernel);

/// Applies `call.kernel` under `schedule`, in queue order; returns the launch's record, untimed.
/// Throws UsageError when the views do not fit each other or the schedule not the device.
template <class K, class T>
Record launch(Queue& queue, const Call<K, T>& call, const Schedule& schedule,
              std::string_view kernel = "user") {
  const Traits traits = traits_of<K, T>();
  std::vector<View<const char>> in;
  for (const auto& view : call.in)
    in.push_back(detail::untyped(view));
  detail::check_views(traits, in, detail::untyped(call.out));
  on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = Executor<K, T, Target>;
    const auto* const fitting = std::get_if<typename Run::Schedule>(&schedule);
    if (fitting == nullptr) {
      throw UsageError("the schedule '" + to_text(schedule) + "' is not one for " +
                       to_text(queue.device().id()));
    }
    Run::run(queue, call, *fitting);
  });
  return record_of(queue.device(), traits, call.out.extents, schedule, kernel);
}

/// The same under the default schedule.
template <class K, class T>
Record launch(Queue& queue, const Call<K, T>& call, std::string_view kernel = "user") {
  return launch(queue, call, default_schedule(queue.device(), traits_of<K, T>(), call.out.extents),
                kernel);
}

} // namespace ridge::stencil
