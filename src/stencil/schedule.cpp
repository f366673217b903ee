#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>

#include <fmt/format.h>

namespace ridge::stencil {

std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
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
  return text::parse_named(text, ridge::to_text(device.id()),
                           default_schedule(device, traits, extents),
                           [&] { return named_schedules(device); });
}

namespace {

/// Whether the kernel is compiled for it and the device can run it.
bool available(const GpuSchedule& s, const Device& device, const Traits& traits) {
  if (s.stage == Stage::none) {
    const GpuSchedule plain;
    if (traits.whole_space) return true;
    if (s.bounds != plain.bounds) return false;
    if (is_flat(traits.radius)) return choose(s.tile, FlatTiles{}, [](auto) {});
    return s.tile == plain.tile && s.loads == plain.loads;
  }
  if (!traits.whole_space &&
      (s.store != Store::plain ||
       !choose(march_shape(s.block.x, s.block.y, s.tile), FewMarches{}, [](auto) {}))) {
    return false;
  }
  return can_march(device) && traits.radius.z > 0 && s.ring >= planes_held(traits) + 2 &&
         s.ring * march_plane_bytes(s, traits) + march_fixed_bytes(s) <=
             device.facts().shared_per_block.value;
}

} // namespace

std::vector<Schedule> schedule_space(const Device& device, const Traits& traits) {
  if (device.kind() == DeviceKind::cpu) {
    return text::space_of<Schedule, CpuSchedule>([&](const CpuSchedule& s) {
      return s.depth == 1 || (s.depth == CpuSchedule::pair ? traits.pairs : traits.deep);
    });
  }
  return text::space_of<Schedule, GpuSchedule>(
      [&](const GpuSchedule& s) { return available(s, device, traits); });
}

} // namespace ridge::stencil
