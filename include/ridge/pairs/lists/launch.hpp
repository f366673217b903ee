// Summing over near pairs from host code: what the pattern says of such calls (ridge::Pattern).
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/pairs/lists/call.hpp>
#include <ridge/pairs/lists/lists.hpp>
#include <ridge/pairs/lists/schedule.hpp>

namespace ridge::pairs {

namespace detail {
[[nodiscard]] launch::Demand list_demand(const launch::CallTypes& types);
/// Throws UsageError unless the schedule is for the lists: as many bodies have one list.
void check_share(const ListSchedule& schedule, const ListData& lists);
/// Throws UsageError where lists were built on another kind of device: theirs are laid out
/// otherwise.
void check_kind(const Device& device, const ListData& lists);
/// Throws UsageError where an interaction's own cutoff is beyond that of the lists.
void check_cutoff(double cutoff_squared, const ListData& lists);
[[nodiscard]] Record list_record_of(const Device& device, const Traits& traits,
                                    const ListSchedule& schedule, const ListData& lists,
                                    std::string_view kernel);
} // namespace detail

/// The call, over pairs that `lists` say are near: bodies among themselves, whose positions are
/// those of the lists. Throws UsageError for others. The lists must outlive what is bound to them.
template <class I, class P>
[[nodiscard]] Listed<I, P> within(const Lists<typename P::Stored>& lists, const Call<I, P>& call) {
  bool same = call.skip_self && call.targets[0].size == call.sources[0].size;
  for (int c = 0; c < I::targets; ++c)
    same = same && call.targets[c].data == call.sources[c].data;
  if (!same) throw UsageError("lists are for bodies among themselves");
  for (std::size_t c = 0; c < 3; ++c) {
    if (call.sources[c].data != lists.positions()[c].data ||
        call.sources[c].size != lists.positions()[c].size)
      throw UsageError("the first three components are not the positions that the lists are of");
  }
  if constexpr (cuts_itself<I>)
    detail::check_cutoff(static_cast<double>(call.interaction.cutoff_squared), lists.data());
  return {call.interaction, call.sources, call.sums, &lists.data()};
}

} // namespace ridge::pairs

template <class I, class P>
struct ridge::Pattern<ridge::pairs::Listed<I, P>> {
  using Call = pairs::Listed<I, P>;
  using Schedule = pairs::ListSchedule;

  /// As many bodies with one list as the lists have.
  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    Schedule schedule = pairs::default_list_schedule(device);
    std::visit([&](auto& s) { s.share = call.lists->share; }, schedule);
    return schedule;
  }
  /// Throws UsageError when the spans do not fit each other or the lists, or a sum overlaps them.
  Pattern(Queue& queue, const Call& call, const Schedule& schedule) : call_(call) {
    pairs::detail::check_kind(queue.device(), *call.lists);
    const auto bodies = pairs::detail::sizes_of(call.bodies);
    pairs::detail::check_sizes(bodies, bodies, pairs::detail::sizes_of(call.sums), true);
    pairs::detail::check_memory({}, pairs::detail::operands_of(call.bodies),
                                pairs::detail::operands_of(call.sums));
    pairs::detail::check_share(schedule, *call.lists);
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return pairs::detail::list_record_of(device, pairs::traits_of<I, P>(), schedule, *call_.lists,
                                         kernel);
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/,
                                      const Schedule& /*schedule*/) const {
    // Where the source is, is known of calls over all pairs.
    return pairs::detail::list_demand(launch::call_types<pairs::Call<I, P>, I, P>());
  }

private:
  Call call_;
};
