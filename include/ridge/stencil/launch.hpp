// Running a stencil kernel from host code: what the pattern says of its calls (ridge::Pattern).
#pragma once

#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/record/numbers.hpp>
#include <ridge/stencil/rows_at.hpp>
#include <ridge/stencil/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge::stencil {

namespace detail {
/// Checks the inputs' memory, and that of `outputs` outputs at last. Throws UsageError when an
/// output overlaps another field, or an address is no multiple of its numbers' size.
void check_memory(const Traits& traits, const std::vector<View<const char>>& fields,
                  std::size_t outputs);

/// Checks the inputs, and the output at last. Throws UsageError when extents differ, are too small
/// for the radius, or as check_memory() does.
void check_views(const Traits& traits, const std::vector<View<const char>>& fields);

/// The #define that names the variant a schedule needs.
[[nodiscard]] std::string variant_definition(DeviceKind kind, const Schedule& schedule, Rows rows);

/// How the variant of a kernel, as C++ text, is compiled alone for the device; nothing where it
/// cannot be.
[[nodiscard]] std::optional<launch::ImageDemand>
image_demand(const Device& device, const Schedule& schedule, const std::string& kernel,
             const std::string& precision, std::size_t call_bytes);

[[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule, Rows rows,
                                    const launch::CallTypes& types);
} // namespace detail

/// The record of a launch before it is timed, its numbers not named yet (record_in).
[[nodiscard]] Record record_of(const Device& device, const Traits& traits, Index3 extents,
                               const Schedule& schedule, std::string_view kernel);

} // namespace ridge::stencil

template <class K, class T>
struct ridge::Pattern<ridge::stencil::Call<K, T>> {
  using Call = stencil::Call<K, T>;
  using Schedule = stencil::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    const stencil::RowsAt rows = stencil::rows_at(call);
    bool bulk_copies = true; // which begin at multiples of 16 bytes
    for (const auto& in : call.in)
      bulk_copies =
          bulk_copies && reinterpret_cast<std::uintptr_t>(in.data - rows.before) % 16 == 0;
    return stencil::default_schedule(device, stencil::traits_of<K, T>(), call.out.extents,
                                     bulk_copies, stencil::Strides::of(call.out));
  }

  /// Throws UsageError when the views do not fit each other.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/)
      : call_(call), traits_(stencil::traits_of<K, T>()) {
    stencil::detail::check_views(traits_, stencil::detail::untyped(call));
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return record_in<T>(stencil::record_of(device, traits_, call_.out.extents, schedule, kernel));
  }
  [[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule) const {
    return stencil::detail::demand(device, schedule, rows_at(call_).rows,
                                   launch::call_types<Call, K, T>());
  }

private:
  Call call_;
  stencil::Traits traits_;
};

namespace ridge::stencil {

/// Applies `call.kernel` under `schedule` once, in queue order; returns the launch's record,
/// untimed. For what is launched often, keep a ridge::Program.
template <class K, class T>
Record launch(Queue& queue, const Call<K, T>& call, const Schedule& schedule,
              std::string_view kernel = "user") {
  return ridge::launch::once(queue, call, schedule, kernel);
}

/// Binds a launch under the default schedule.
template <class K, class T>
Record launch(Queue& queue, const Call<K, T>& call, std::string_view kernel = "user") {
  return ridge::launch::once(queue, call,
                             Pattern<Call<K, T>>::default_schedule(queue.device(), call), kernel);
}

} // namespace ridge::stencil
