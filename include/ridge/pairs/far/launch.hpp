// Summing by a far field from host code: what the pattern says of such calls (ridge::Pattern).
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pairs/far/call.hpp>
#include <ridge/pairs/far/field.hpp>
#include <ridge/pairs/far/schedule.hpp>
#include <ridge/pairs/launch.hpp>

#include <cmath>

namespace ridge::pairs {

namespace detail {
[[nodiscard]] launch::Demand far_demand(const launch::CallTypes& types);
[[nodiscard]] Record far_record_of(const Device& device, const Traits& traits,
                                   const FarSchedule& schedule, Index bodies, double theta,
                                   int degree, std::string_view kernel);
/// Throws UsageError unless the schedule is for the field: leaves of as many bodies.
void check_leaf(const FarSchedule& schedule, int leaf);
[[noreturn]] void refuse_nonlinear(int component);

/// Whether sums are linear in the components from the fourth on: looked at in a few places.
template <class I>
[[nodiscard]] int first_nonlinear(const I& interaction) {
  using V = Pack<double, 1, abi::Array>;
  const auto sums_of = [&](const V(&source)[I::sources], double(&sums)[I::sums]) {
    V target[I::targets];
    for (int c = 0; c < I::targets; ++c)
      target[c] = V(0.13 * c - 0.2);
    V all[I::sums];
    for (V& s : all)
      s = V(0);
    interaction(target, source, all);
    for (int c = 0; c < I::sums; ++c)
      sums[c] = all[c][0];
  };
  for (int c = 3; c < I::sources; ++c) {
    double at[3][I::sums];
    for (int n = 0; n < 3; ++n) { // equal steps of one component
      V source[I::sources];
      for (int k = 0; k < I::sources; ++k)
        source[k] = V(k < 3 ? 0.9 + 0.37 * k : k < c ? 0.4 : 0.0);
      source[c] = V(0.7 * n);
      sums_of(source, at[n]);
    }
    V none[I::sources];
    for (int k = 0; k < I::sources; ++k)
      none[k] = V(k < 3 ? 0.9 + 0.37 * k : 0.0);
    double zero[I::sums];
    sums_of(none, zero);
    for (int k = 0; k < I::sums; ++k) {
      const double bend = at[2][k] - 2 * at[1][k] + at[0][k];
      const double size = std::abs(at[2][k]) + std::abs(at[1][k]) + std::abs(at[0][k]);
      if (!(std::abs(bend) <= 1e-9 * size) || zero[k] != 0) return c;
    }
  }
  return -1;
}
} // namespace detail

/// The call, with sums over far bodies by `field`: bodies among themselves, those of the field.
/// Throws UsageError for others, and for an interaction whose sums are not linear in what bodies
/// have beside their positions. The field must outlive what is bound to it.
template <class I, class P>
[[nodiscard]] Far<I, P> afar(const FarField<typename P::Stored>& field, const Call<I, P>& call) {
  bool same = call.skip_self && call.targets[0].size == call.sources[0].size;
  for (int c = 0; c < I::targets; ++c)
    same = same && call.targets[c].data == call.sources[c].data;
  if (!same) throw UsageError("a far field is for bodies among themselves");
  same = field.bodies().size() == call.sources.size();
  for (std::size_t c = 0; same && c < call.sources.size(); ++c)
    same = call.sources[c].data == field.bodies()[c].data;
  if (!same) throw UsageError("these are not the bodies that the far field is of");
  if (const int wrong = detail::first_nonlinear(call.interaction); wrong >= 0)
    detail::refuse_nonlinear(wrong);
  return {call.interaction, call.sources, call.sums, &field.data()};
}

} // namespace ridge::pairs

template <class I, class P>
struct ridge::Pattern<ridge::pairs::Far<I, P>> {
  using Call = pairs::Far<I, P>;
  using Schedule = pairs::FarSchedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    Schedule schedule = pairs::default_far_schedule(device);
    std::visit([&](auto& s) { s.leaf = call.field->leaf; }, schedule);
    return schedule;
  }
  /// Throws UsageError when the spans do not fit each other or the field, or a sum overlaps them.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& schedule) : call_(call) {
    const auto bodies = pairs::detail::sizes_of(call.bodies);
    pairs::detail::check_sizes(bodies, bodies, pairs::detail::sizes_of(call.sums), true);
    pairs::detail::check_memory({}, pairs::detail::operands_of(call.bodies),
                                pairs::detail::operands_of(call.sums));
    pairs::detail::check_leaf(schedule, call.field->leaf);
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return pairs::detail::far_record_of(device, pairs::traits_of<I, P>(), schedule,
                                        call_.bodies[0].size, call_.field->theta,
                                        call_.field->points - 1, kernel);
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/,
                                      const Schedule& /*schedule*/) const {
    // Where the source is, is known of calls over all pairs.
    return pairs::detail::far_demand(launch::call_types<pairs::Call<I, P>, I, P>());
  }

private:
  Call call_;
};
