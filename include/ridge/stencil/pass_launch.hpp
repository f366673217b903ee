// Running several sweeps in one pass from host code: what the pattern says of its calls.
#pragma once

#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/pass.hpp>
#include <ridge/stencil/traits.hpp>

#include <optional>
#include <variant>

namespace ridge::stencil {

/// A schedule of several sweeps in one pass, for the kind of device it holds.
using PassSchedule = std::variant<CpuPassSchedule, GpuPassSchedule>;

/// The pass of a device of this kind where nothing is said.
[[nodiscard]] PassSchedule plain_pass(DeviceKind kind);

[[nodiscard]] std::string to_text(const PassSchedule& schedule);
[[nodiscard]] int sweeps_of(const PassSchedule& schedule);
/// The schedule, with passes of so many sweeps.
[[nodiscard]] PassSchedule with_sweeps(PassSchedule schedule, int sweeps);
/// With its zeros replaced by what is chosen for the device and fields of these extents, their
/// shells included.
[[nodiscard]] PassSchedule settled(PassSchedule schedule, const Device& device,
                                   const Traits& traits, Index3 extents);
/// A settled one for the fewer sweeps that are left of the steps: what was chosen for more of them
/// is chosen again.
[[nodiscard]] PassSchedule shortened(const PassSchedule& schedule, int sweeps, const Device& device,
                                     const Traits& traits, Index3 extents);

/// Whether passes under a settled schedule are compiled ahead. `moving_faces`: some faces' shell
/// changes from sweep to sweep.
[[nodiscard]] bool is_pass_ahead(const Device& device, const Traits& traits,
                                 const PassSchedule& schedule, bool moving_faces);

namespace detail {
/// Throws UsageError where the fields are too small, or have one dimension.
void require_pass(const Traits& traits, int levels, Index3 extents, int sweeps);
/// `types` are of single launches.
[[nodiscard]] launch::Demand demand_of_pass(const Device& device, const PassSchedule& schedule,
                                            bool moving_faces, const launch::CallTypes& types);
[[nodiscard]] Record record_of_pass(const Device& device, const Traits& traits, int levels,
                                    Index3 extents, const PassSchedule& schedule,
                                    std::string_view kernel);
} // namespace detail

} // namespace ridge::stencil

template <class K, class T>
struct ridge::Pattern<ridge::stencil::Pass<K, T>> {
  using Call = stencil::Pass<K, T>;
  using Schedule = stencil::PassSchedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return stencil::settled(stencil::with_sweeps(stencil::plain_pass(device.kind()), call.sweeps),
                            device, stencil::traits_of<K, T>(), call.shell.field.extents);
  }

  /// Throws UsageError when the fields are too small, or an output overlaps another field.
  Pattern(Queue& queue, const Call& call, const Schedule& schedule)
      : call_(call), traits_(stencil::traits_of<K, T>()) {
    (void)queue, (void)schedule;
    stencil::detail::require_pass(traits_, stencil::levels_of<K>(), extents(), call.sweeps);
    std::vector<View<const char>> fields;
    for (const auto& in : call.in)
      fields.push_back(stencil::detail::untyped(in));
    for (const auto& out : call.out)
      fields.push_back(stencil::detail::untyped(out));
    stencil::detail::check_memory(traits_, fields, call.out.size());
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return record_in<T>(stencil::detail::record_of_pass(device, traits_, stencil::levels_of<K>(),
                                                        extents(), schedule, kernel));
  }
  [[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule) const {
    return stencil::detail::demand_of_pass(device, schedule, has_moving_faces(call_),
                                           launch::call_types<stencil::Call<K, T>, K, T>());
  }

private:
  [[nodiscard]] Index3 extents() const { return call_.shell.field.extents; }
  Call call_;
  stencil::Traits traits_;
};
