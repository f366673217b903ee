#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>

#include <fmt/format.h>

namespace ridge::stencil {

std::string to_text(const Schedule& schedule) {
  return std::visit([](const auto& s) { return text::print(s); }, schedule);
}

namespace {

/// The seven kernels of the AMD Laplacian series, each a change to the one before.
std::vector<NamedSchedule> series() {
  std::vector<NamedSchedule> named;
  GpuSchedule s;
  const auto add = [&] { named.push_back({fmt::format("kernel{}", named.size() + 1), s}); };
  add();
  s.tile = 8;
  add();
  s.loads = Loads::ascending;
  add();
  s.bounds = 256;
  add();
  s.store = Store::nontemporal;
  add();
  s.grid = Order::yzx;
  add();
  s.grid = Order::xyz;
  s.split = 4;
  add();
  return named;
}

std::vector<NamedSchedule> cpu_names() {
  CpuSchedule plain;
  plain.store = Store::plain;
  return {{"plain", plain}, {"streaming", CpuSchedule{}}};
}

} // namespace

std::vector<NamedSchedule> named_schedules(const Device& device) {
  return device.kind() == DeviceKind::cpu ? cpu_names() : series();
}

NamedSchedule parse_schedule(std::string_view text, const Device& device, const Traits& traits,
                             Index3 extents) {
  NamedSchedule chosen{"default", default_schedule(device, traits, extents)};
  const auto words = text::words(text);
  std::string fields(text);
  if (!words.empty() && words.front().find('=') == std::string_view::npos) {
    const std::string_view name = words.front();
    fields =
        std::string(text.substr(static_cast<std::size_t>(name.data() - text.data()) + name.size()));
    bool known = name == "auto";
    std::string names = "auto";
    for (NamedSchedule& candidate : named_schedules(device)) {
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

namespace {

/// Whether the kernel is compiled for it and the device can run it.
bool available(const GpuSchedule& s, const Device& device, const Traits& traits) {
  if (s.stage == Stage::none) {
    const GpuSchedule plain;
    return traits.whole_space ||
           (s.tile == plain.tile && s.loads == plain.loads && s.bounds == plain.bounds);
  }
  if (!traits.whole_space &&
      (s.store != Store::plain ||
       !choose(march_shape(s.block.x, s.block.y, s.tile), FewMarches{}, [](auto) {}))) {
    return false;
  }
  return can_march(device) && traits.radius.z > 0 && s.ring >= planes_held(traits) + 2 &&
         s.ring * march_plane_bytes(s, traits) + 256 <= device.facts().shared_per_block.value;
}

} // namespace

std::vector<Schedule> schedule_space(const Device& device, const Traits& traits) {
  std::vector<Schedule> all;
  if (device.kind() == DeviceKind::cpu) {
    for (const auto& s : text::space<CpuSchedule>()) {
      if (s.depth == 1 || traits.deep) all.emplace_back(s);
    }
  } else {
    for (const auto& s : text::space<GpuSchedule>()) {
      if (available(s, device, traits)) all.emplace_back(s);
    }
  }
  return all;
}

} // namespace ridge::stencil
