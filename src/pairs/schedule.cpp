#include "schedule_detail.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace ridge::pairs {

std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
}

namespace {

/// Whether the interaction is compiled for it and the bodies allow it.
bool available(const GpuSchedule& s, const Traits& traits, const Bodies& bodies) {
  if (s.form == Form::symmetric) {
    return traits.mutual && bodies.same && (traits.whole_space || s.tile == 4);
  }
  if (traits.whole_space) return true;
  if (s.unroll != 4) return false;
  if (s.stage == Stage::warp) return s.tile == 2 && s.ways == 2;
  if (s.stage == Stage::shuffle) return s.tile == 1;
  return s.tile == 4 || (s.tile == 1 && s.stage == Stage::shared);
}

} // namespace

std::vector<NamedSchedule> named_schedules(const Device& device, const Traits& traits,
                                           const Bodies& bodies) {
  if (device.kind() == DeviceKind::cpu) {
    CpuSchedule plain;
    plain.tile = 1;
    return {{"plain", plain}};
  }
  std::vector<NamedSchedule> named;
  const GpuSchedule direct = detail::direct_for(device, traits, bodies);
  const auto talk = [&](Stage stage, int tile) {
    GpuSchedule s;
    s.stage = stage;
    s.tile = tile;
    if (available(s, traits, bodies)) {
      named.push_back({std::string(enum_names(stage)[static_cast<std::size_t>(stage)]), s});
    }
  };
  talk(Stage::shared, 1);
  talk(Stage::shuffle, 1);
  talk(Stage::both, 4);
  named.push_back({"direct", direct});
  if (traits.mutual && bodies.same) {
    named.push_back({"symmetric", detail::symmetric_for(device, traits, bodies)});
  }
  return named;
}

NamedSchedule parse_schedule(std::string_view text, const Device& device, const Traits& traits,
                             const Bodies& bodies) {
  return text::parse_named(text, ridge::to_text(device.id()),
                           default_schedule(device, traits, bodies),
                           [&] { return named_schedules(device, traits, bodies); });
}

std::vector<Schedule> schedule_space(const Device& device, const Traits& traits,
                                     const Bodies& bodies) {
  if (device.kind() == DeviceKind::cpu) {
    return text::space_of<Schedule, CpuSchedule>([](const auto&) { return true; });
  }
  return text::space_of<Schedule, GpuSchedule>(
      [&](const GpuSchedule& s) { return available(s, traits, bodies); });
}

} // namespace ridge::pairs
