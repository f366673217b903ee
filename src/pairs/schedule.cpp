#include <ridge/device/kind.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/pairs/variants.hpp>

#include "schedule_detail.hpp"

#include <fmt/format.h>

namespace ridge::pairs {

std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
}

namespace {

/// Whether the space lists it, and the interaction and the bodies allow it.
bool listed(const GpuSchedule& s, const Traits& traits, const Bodies& bodies) {
  if (s.form == Form::symmetric) {
    return traits.mutual && bodies.same && is_listed(SymmetricVariant{s.tile, s.unroll});
  }
  return is_listed(DirectVariant{s.stage, s.tile, s.unroll, s.ways});
}

} // namespace

std::vector<NamedSchedule> named_schedules(const Device& device, const Traits& traits,
                                           const Bodies& bodies) {
  if (!facts_of(device).takes_gpu_schedules) {
    CpuSchedule plain;
    plain.tile = 1;
    return {{"plain", plain}};
  }
  std::vector<NamedSchedule> named;
  for (const DirectVariant& talk : {talk_shared, talk_shuffle, talk_both}) {
    GpuSchedule s;
    s.stage = talk.stage;
    s.tile = talk.tile;
    s.unroll = talk.unroll;
    named.push_back({text::value_to_text(s.stage), s});
  }
  named.push_back({"direct", detail::direct_for(device, traits, bodies)});
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
  if (!facts_of(device).takes_gpu_schedules) {
    return text::space_of<Schedule, CpuSchedule>([](const auto&) { return true; });
  }
  return text::space_of<Schedule, GpuSchedule>(
      [&](const GpuSchedule& s) { return listed(s, traits, bodies); });
}

std::string detail::variant_definition(const Schedule& schedule) {
  if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
    return fmt::format("#define RIDGE_PAIRS_CPU {}\n", cpu->tile);
  }
  const auto& s = std::get<GpuSchedule>(schedule);
  if (s.form == Form::symmetric) {
    return fmt::format("#define RIDGE_PAIRS_SYMMETRIC {}, {}\n", s.tile, s.unroll);
  }
  return fmt::format("#define RIDGE_PAIRS_DIRECT Stage::{}, {}, {}, {}\n",
                     text::value_to_text(s.stage), s.tile, s.unroll, s.ways);
}

} // namespace ridge::pairs
