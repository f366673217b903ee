#include <ridge/device/kind.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>

#include "march_default.hpp"
#include "points_default.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  return facts_of(device).takes_gpu_schedules ? series() : cpu_names();
}

namespace {

/// What the words of a schedule change. Where these ask for points or the march that are no default
/// here, the default of these: ring and chunks of the other mean nothing to them.
Schedule standard_for(std::string_view text, const Device& device, const Traits& traits,
                      Index3 extents, const std::optional<Strides>& strides) {
  const Schedule standard = default_schedule(device, traits, extents, true, strides);
  const auto* const gpu = std::get_if<GpuSchedule>(&standard);
  if (gpu == nullptr) return standard;
  const Strides at = strides.value_or(Strides::packed(extents));
  std::optional<GpuSchedule> other;
  const auto asks_for = [&](std::string_view words) {
    return text.find(words) != std::string_view::npos;
  };
  if (gpu->stage != Stage::window && asks_for("stage=window"))
    other = window_default(device.facts(), device.kind(), traits, extents, at);
  if (gpu->stage != Stage::none && asks_for("stage=none"))
    other = points_default(device, traits, extents, at);
  const Loads loads = asks_for("loads=packs")       ? Loads::packs
                      : asks_for("loads=ascending") ? Loads::ascending
                      : asks_for("loads=stencil")   ? Loads::stencil
                                                    : march_loads(traits);
  for (const Stage stage : {Stage::bulk, Stage::tiles}) {
    const std::string asked = "stage=" + text::value_to_text(stage);
    if (asks_for(asked) && (gpu->stage != stage || gpu->loads != loads))
      other = march_default(device.facts(), traits, extents, at, loads, stage);
  }
  return other ? Schedule(*other) : standard;
}

} // namespace

NamedSchedule parse_schedule(std::string_view text, const Device& device, const Traits& traits,
                             Index3 extents, const std::optional<Strides>& strides) {
  return text::parse_named(text, ridge::to_text(device.id()),
                           standard_for(text, device, traits, extents, strides),
                           [&] { return named_schedules(device); });
}

namespace {

/// Whether the device can run it, of the marches those that the space lists.
bool possible(const GpuSchedule& s, const Device& device, const Traits& traits) {
  if (copies_in_bulk(s.stage) && s.loads != march_loads(traits)) return false;
  if (s.loads == Loads::packs && !in_packs(s, traits)) return false;
  if (s.stage == Stage::none) return true;
  const MarchShape shape{s.block.x, s.block.y, s.tile};
  const auto listed = [&](const auto& shapes) {
    return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
  };
  if (s.stage == Stage::window) {
    return listed(all_window_shapes) &&
           window_bytes(s, traits, device.kind()) <= device.facts().shared_per_block.value;
  }
  const bool known = s.stage == Stage::tiles ? listed(all_tiled_shapes) &&
                                                   can_tile(traits, s.block.x, s.block.y * s.tile)
                                             : listed(all_march_shapes);
  return known && can_march(device) && traits.radius.z > 0 &&
         halo_fits(traits.radius, static_cast<std::size_t>(traits.element_bytes)) &&
         s.ring >= planes_held(traits, s.loads) + 2 &&
         march_ring_bytes(s, traits) + march_fixed_bytes(s) <=
             device.facts().shared_per_block.value;
}

} // namespace

std::vector<Schedule> schedule_space(const Device& device, const Traits& traits) {
  if (!facts_of(device).takes_gpu_schedules) {
    return text::space_of<Schedule, CpuSchedule>(
        [&](const CpuSchedule& s) { return s.depth == 1 || traits.planes; });
  }
  return text::space_of<Schedule, GpuSchedule>(
      [&](const GpuSchedule& s) { return possible(s, device, traits); });
}

std::string detail::variant_definition(DeviceKind kind, const Schedule& schedule, Rows rows) {
  if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
    return fmt::format("#define RIDGE_STENCIL_CPU {}\n", cpu->depth);
  }
  GpuSchedule s = std::get<GpuSchedule>(schedule);
  if (facts_of(kind).is_emulated) { // where neither makes a difference
    s.bounds = GpuSchedule{}.bounds;
    s.store = Store::plain;
  }
  const auto name = [](auto value) { return text::value_to_text(value); };
  if (copies_in_bulk(s.stage)) {
    constexpr std::array<const char*, 4> names{"lines", "packs", "anywhere", "joined"};
    const MarchVariant v = gpu::march_variant(s, s.store, rows);
    return fmt::format(
        "#define RIDGE_STENCIL_MARCH {}, {}, {}, Store::{}, Rows::{}{}\n", v.threads_x, v.threads_y,
        v.tile, name(v.store), names[static_cast<std::size_t>(v.rows)],
        v.tiles ? (v.parts ? ", true, true" : ", false, true") : (v.parts ? ", true" : ""));
  }
  if (s.stage == Stage::window) {
    return fmt::format("#define RIDGE_STENCIL_WINDOW {}, {}, {}, Store::{}, Rows::{}\n", s.block.x,
                       s.block.y, s.tile, name(s.store),
                       rows == Rows::anywhere ? "anywhere" : "packs");
  }
  return fmt::format("#define RIDGE_STENCIL_POINTS {}, Loads::{}, Store::{}, {}\n", s.tile,
                     name(gpu::points_loads(s, rows)), name(s.store), s.bounds);
}

} // namespace ridge::stencil
