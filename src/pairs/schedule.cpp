#include "schedule_detail.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace ridge::pairs {

std::string to_text(const Schedule& schedule) {
  return std::visit([](const auto& s) { return text::print(s); }, schedule);
}

namespace {

/// Whether the interaction is compiled for it and the bodies allow it.
bool available(const GpuSchedule& s, const Traits& traits, const Bodies& bodies) {
  if (s.form == Form::symmetric) {
    return traits.mutual && bodies.same && (traits.whole_space || s.tile == 4);
  }
  if (traits.whole_space) return true;
  if (s.unroll != 4) return false;
  if (s.stage == Stage::shuffle || s.stage == Stage::warp) return s.tile == 1;
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
    named.push_back({"symmetric", detail::symmetric_for(traits, bodies)});
  }
  return named;
}

NamedSchedule parse_schedule(std::string_view text, const Device& device, const Traits& traits,
                             const Bodies& bodies) {
  NamedSchedule chosen{"default", default_schedule(device, traits, bodies)};
  const auto words = text::words(text);
  std::string fields(text);
  if (!words.empty() && words.front().find('=') == std::string_view::npos) {
    const std::string_view name = words.front();
    fields =
        std::string(text.substr(static_cast<std::size_t>(name.data() - text.data()) + name.size()));
    bool known = name == "auto";
    std::string names = "auto";
    for (NamedSchedule& candidate : named_schedules(device, traits, bodies)) {
      names += ", " + candidate.name;
      if (candidate.name == name) {
        chosen = std::move(candidate);
        known = true;
      }
    }
    if (!known) {
      throw UsageError(fmt::format("unknown schedule '{}'; on {} the names are {}, or give fields: "
                                   "{}",
                                   name, to_text(device.id()), names, to_text(chosen.schedule)));
    }
  }
  if (!text::words(fields).empty()) {
    chosen.name.clear();
    chosen.schedule = std::visit(
        [&](const auto& base) -> Schedule {
          return text::parse<std::remove_cvref_t<decltype(base)>>(fields, base);
        },
        chosen.schedule);
  }
  return chosen;
}

std::vector<Schedule> schedule_space(const Device& device, const Traits& traits,
                                     const Bodies& bodies) {
  std::vector<Schedule> all;
  if (device.kind() == DeviceKind::cpu) {
    for (const auto& s : text::space<CpuSchedule>())
      all.emplace_back(s);
  } else {
    for (const auto& s : text::space<GpuSchedule>()) {
      if (available(s, traits, bodies)) all.emplace_back(s);
    }
  }
  return all;
}

} // namespace ridge::pairs
