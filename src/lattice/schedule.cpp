#include <ridge/device/kind.hpp>
#include <ridge/lattice/site_call.hpp>

#include "cpu_default.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ridge::lattice {

std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
}

namespace {

/// Accesses that keep memory busy however few threads a block has.
constexpr int starved_threads = 256;

/// Threads too few for the registers that accesses by the batch take.
constexpr int rolling_threads = 8;

/// Whether accesses can be replaced one by one (items=8).
bool rolls_in(const Task& task) {
  return task.reduces() && !task.slices && !task.reproducible;
}

GpuSchedule of_width(int groups, const Task& task, const Geometry& g) {
  GpuSchedule s;
  s.groups = groups;
  if (groups * g.nsimd <= starved_threads) {
    s.items = rolls_in(task) && groups * g.nsimd <= rolling_threads ? 8 : 16;
    s.bounds = 256;
    if (task.reduces()) s.finish = Finish::second;
  }
  return s;
}

/// A block of all threads that there can be for each tile, a word each.
GpuSchedule once(const Task& task, const Geometry& g) {
  GpuSchedule s;
  s.groups = std::clamp((task.reproducible ? most_binned_threads : 1024) / g.nsimd, 1, 256);
  s.items = 1;
  s.reduce = Passes::once;
  s.finish = Finish::second;
  return s;
}

/// Of reductions that store a field: where the fields are so long that a launch more is nothing.
bool is_fastest_once(const Device& device, const Task& task, Bytes field) {
  return facts_of(device).stores_best_without_loops && task.kind == Task::reduce_number &&
         task.stores && !task.reproducible && !task.slices &&
         field > device.facts().last_level_cache;
}

std::vector<NamedSchedule> widths(Task task, const Geometry& g) {
  std::vector<NamedSchedule> named;
  for (const int groups : {2, 4, 8, 16, 32, 64}) {
    if (groups * g.nsimd > 1024) continue;
    if (task.reduces()) {
      GpuSchedule staged;
      staged.groups = groups;
      staged.items = 1;
      staged.components = Components::serial;
      staged.reduce = Passes::staged;
      staged.finish = Finish::second;
      named.push_back({fmt::format("staged{}", groups), staged});
    }
  }
  for (const int groups : {2, 4, 8, 16, 32, 64}) {
    if (groups * g.nsimd > 1024) continue;
    named.push_back({fmt::format("fused{}", groups), of_width(groups, task, g)});
  }
  if (task.reduces()) named.push_back({"once", once(task, g)});
  return named;
}

std::vector<NamedSchedule> cpu_names() {
  CpuSchedule plain;
  plain.store = Store::plain;
  return {{"plain", plain}, {"streaming", CpuSchedule{}}};
}

} // namespace

std::vector<NamedSchedule> named_schedules(const Device& device, Task task, const Geometry& g) {
  return facts_of(device).takes_gpu_schedules ? widths(task, g) : cpu_names();
}

Schedule default_schedule(const Device& device, Task task, const SiteShape& shape,
                          const Geometry& g) {
  if (!facts_of(device).takes_gpu_schedules) return cpu_default(device.facts(), task, shape, g);
  GpuSchedule s;
  constexpr int wanted = 256;
  s.groups = std::max(1, wanted / g.nsimd);
  if (!task.reduces()) {
    s.items = 1; // as many threads as there are words keep memory busiest
    return s;
  }
  if (is_fastest_once(device, task, Bytes{g.sites() * shape.site_bytes()})) return once(task, g);
  if (s.groups * g.nsimd <= wanted) s.bounds = wanted;
  // Many accesses at once, unless there are too few to give every unit some.
  const Index words = g.sites() * shape.site_bytes() / 16;
  const Index units = std::max(device.facts().units, 1);
  if (s.bounds == wanted && words > units * wanted * 16) s.items = 16;
  if (task.kind == Task::reduce_tensor) {
    // A block whose threads stay at their components: a multiple of a group's words, and where
    // possible of lines of 128 bytes.
    const int period = std::lcm(shape.components * g.nsimd * shape.number_bytes() / 16, g.nsimd);
    const int aligned = std::lcm(period, 8);
    const int step = aligned <= wanted ? aligned : period;
    if (step <= wanted) s.groups = wanted / step * step / g.nsimd;
  }
  if (task.slices || (task.kind == Task::reduce_tensor && shape.components > 1)) {
    s.finish = Finish::second;
  }
  return s;
}

Schedule detail::site_default(const Device& device, const SiteShape& shape, const Geometry& g,
                              const SiteVariant& compiled) {
  Schedule schedule = default_schedule(device, Task::expression, shape, g);
  if (auto* const gpu = std::get_if<GpuSchedule>(&schedule)) {
    gpu->components = compiled.components;
    gpu->bounds = compiled.bounds;
  }
  return schedule;
}

NamedSchedule parse_schedule(std::string_view text, const Device& device, Task task,
                             const SiteShape& shape, const Geometry& g) {
  return text::parse_named(text, ridge::to_text(device.id()),
                           default_schedule(device, task, shape, g),
                           [&] { return named_schedules(device, task, g); });
}

namespace {

bool stages_in(const GpuSchedule& s, const Task& task) {
  if (!task.reduces() || task.reproducible || s.items != 1) return false;
  return task.kind == Task::reduce_tensor || s.components == Components::serial;
}

/// Only what makes a difference.
bool is_once_in(const GpuSchedule& s, const Task& task) {
  return task.reduces() && s.components == Components::threads && s.bounds == 1024 &&
         (s.items == 1 || s.items == 4);
}

} // namespace

std::vector<Schedule> schedule_space(const Device& device, Task task, const Geometry& g) {
  if (!facts_of(device).takes_gpu_schedules) {
    return text::space_of<Schedule, CpuSchedule>([](const auto&) { return true; });
  }
  return text::space_of<Schedule, GpuSchedule>([&](const GpuSchedule& s) {
    if (s.groups * g.nsimd > s.bounds) return false;
    if (task.reproducible && s.groups * g.nsimd > most_binned_threads) return false;
    if (s.reduce == Passes::staged && !stages_in(s, task)) return false;
    if (s.reduce == Passes::once && !is_once_in(s, task)) return false;
    if (s.items == 8 && !rolls_in(task)) return false;
    if (task.reduces()) return s.store == Store::plain;
    if (s.finish != Finish::last || s.spread != 0) return false;
    if (task.kind != Task::expression) return true;
    const bool many = s.components == Components::threads && !task.reproducible;
    return s.bounds == (many ? 1024 : 256) && s.store == Store::plain;
  });
}

} // namespace ridge::lattice
