// Summing over pairs from host code.
#pragma once

#include <ridge/device/dispatch.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/schedule.hpp>
#include <ridge/record/record.hpp>

namespace ridge::pairs {

namespace detail {
/// Throws UsageError unless each list has spans of one size, none of them empty.
void check_sizes(const std::vector<Index>& targets, const std::vector<Index>& sources,
                 const std::vector<Index>& sums, bool skip_self);

template <class Spans>
std::vector<Index> sizes_of(const Spans& spans) {
  std::vector<Index> sizes;
  for (const auto& span : spans)
    sizes.push_back(span.size);
  return sizes;
}
} // namespace detail

template <class I, class P>
[[nodiscard]] Bodies bodies_of(const Call<I, P>& call) {
  return {call.targets[0].size, call.sources[0].size, call.skip_self};
}

/// The record of a launch before it is timed.
[[nodiscard]] Record record_of(const Device& device, const Traits& traits, const Bodies& bodies,
                               const Schedule& schedule, std::string_view kernel);

/// Computes the sums under `schedule`, in queue order; returns the launch's record, untimed. Throws
/// UsageError when the spans do not fit each other or the schedule not the device.
template <class I, class P>
Record launch(Queue& queue, const Call<I, P>& call, const Schedule& schedule,
              std::string_view kernel = "user") {
  detail::check_sizes(detail::sizes_of(call.targets), detail::sizes_of(call.sources),
                      detail::sizes_of(call.sums), call.skip_self);
  on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = Executor<I, P, Target>;
    const auto* const fitting = std::get_if<typename Run::Schedule>(&schedule);
    if (fitting == nullptr) {
      throw UsageError("the schedule '" + to_text(schedule) + "' is not one for " +
                       to_text(queue.device().id()));
    }
    Run::run(queue, call, *fitting);
  });
  return record_of(queue.device(), traits_of<I, P>(), bodies_of(call), schedule, kernel);
}

/// The same under the default schedule.
template <class I, class P>
Record launch(Queue& queue, const Call<I, P>& call, std::string_view kernel = "user") {
  return launch(queue, call, default_schedule(queue.device(), traits_of<I, P>(), bodies_of(call)),
                kernel);
}

/// Vector operations that the interaction's reciprocal square roots take on this device, beside
/// their first approximation.
template <class I, class P>
[[nodiscard]] int rsqrt_steps_on(const Device& device) {
  return on_kind_of(device, [&]<class Target>(Target) {
    return Executor<I, P, Target>::rsqrt_steps(traits_of<I, P>().grade);
  });
}

} // namespace ridge::pairs
