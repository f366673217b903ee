#include <ridge/chain/cpu/wave.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/launch/operands.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

namespace {

/// Elements from one instance of an array to the next.
template <class T>
Index instance_elements(const Description& d, const View<T>& view) {
  const Index3 e = view.extents;
  return d.rank == 1 ? e.x : d.rank == 2 ? view.row * e.y : view.plane * e.z;
}

/// `views`: one an array, without data for temporaries.
template <class T>
void check_arrays(const Description& d, const Range& n, const View<T>* views,
                  const Index* instances) {
  const auto is_given = [&](std::size_t i) { return d.arrays[i].role != Role::temporary; };
  std::vector<launch::Operand> operands(d.arrays.size());
  for (std::size_t i = 0; i < d.arrays.size(); ++i) {
    const Array& a = d.arrays[i];
    if (!is_given(i)) continue;
    const Index3 right{a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
    const Index3 e = views[i].extents;
    refuse_if(views[i].data == nullptr, "chain '{}': array '{}' is not given", d.name, a.name);
    refuse_if(e != right, "chain '{}': array '{}' has extents {}x{}x{}; {}x{}x{} are right", d.name,
              a.name, e.x, e.y, e.z, right.x, right.y, right.z);
    refuse_if(instances[i] != 0 && instances[i] != n.instances(),
              "chain '{}': array '{}' has {} instances; {} are right", d.name, a.name, instances[i],
              n.instances());
    operands[i] = launch::operand(views[i]);
    operands[i].bytes +=
        (n.instances() - 1) * instance_elements(d, views[i]) * static_cast<Index>(sizeof(T));
    operands[i].written = a.role != Role::input;
  }
  launch::check_operands(operands, [&](std::size_t i) {
    return fmt::format("array '{}' of chain '{}'", d.arrays[i].name, d.name);
  });
}

/// The memory that a plan needs beside the user's arrays, in elements: temporaries of the whole
/// range from 0 on; on the cpu, tiles of all threads from `tiles` on.
struct Temporaries {
  Index tiles = 0, elements = 0;
};
Temporaries temporaries_of(const Description& d, const Plan& plan, const Schedule& schedule) {
  const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
  const Index page = 4096 / d.element_bytes;
  Temporaries all;
  all.tiles = ceil_div(plan.range_elements, page) * page;
  const Index tiles = cpu == nullptr ? 0 : plan.tile_elements * cpu_threads(*cpu, plan.whole);
  all.elements = all.tiles + tiles;
  return all;
}

/// Where arrays are; `temporaries` is the memory of those of the whole range.
template <class T>
void find_windows(const Description& d, const Plan& plan, const Schedule& schedule,
                  const View<T>* views, T* temporaries, Window<T>* windows) {
  const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
  const bool stream = cpu != nullptr && cpu->store == Store::nontemporal;
  const Index3 n = plan.extents;
  for (int i = 0; i < static_cast<int>(d.arrays.size()); ++i) {
    const ArrayPlan& a = plan.arrays[static_cast<std::size_t>(i)];
    const Offset extra = d.arrays[static_cast<std::size_t>(i)].extra;
    Window<T>& w = windows[i];
    w.points = {n.x + extra.x, n.y + extra.y, n.z + extra.z};
    if (a.home == Home::user) {
      const View<T>& v = views[i];
      w.data = v.data;
      w.row = v.row;
      w.plane = v.plane;
      w.instance = instance_elements(d, v);
      // What follows the first instance is a part of it where the plan has merged them.
      w.size = v.span() + (plan.whole.instances() / plan.instances - 1) * w.instance;
    } else {
      w.row = a.held.x;
      w.plane = a.held.x * a.held.y;
      w.instance = a.each();
      w.size = a.each();
    }
    // Results that the chain itself reads again had better stay near.
    w.stream =
        stream && (a.home == Home::range || (a.home == Home::user && !d.read_in(0, d.last(), i)));
    if (a.home == Home::range) w.data = temporaries + a.offset;
    if (a.home == Home::tile) {
      w.local = true;
      w.offset = a.offset + a.before.x;
      w.part_x = a.part_x;
      w.part_y = a.part_y;
      w.part_z = a.part_z;
      if (a.part_y) w.mask_y = a.held.y - 1;
      if (a.part_z) w.mask_z = a.held.z - 1;
    }
  }
}
/// Elements of temporaries that a thread of the cpu or a block of a GPU holds.
Index tile_elements(const Description& d, const Plan& plan, const Schedule& schedule) {
  Index most = plan.tile_elements;
  if (std::holds_alternative<CpuSchedule>(schedule)) return most;
  for (const GroupPlan& group : plan.groups) {
    const PassedGroup passed = d.passing_of(group.first, group.last);
    const Index each = passed.lane_elements(plan.extents, false);
    const Index lanes = passed.passing == Passing::columns
                            ? std::get<GpuSchedule>(schedule).block.count()
                            : most_block_threads;
    most = std::max(most, each * lanes);
  }
  return most;
}

} // namespace

Laid::Laid(Description description, const Range& range, const Schedule& schedule, int first)
    : description_(std::move(description)),
      plan_(make_plan(description_, range, request_of(schedule))) {
  if (first >= 0)
    std::erase_if(plan_.groups, [&](const GroupPlan& group) { return group.first != first; });
}

template <class T>
T* Laid::lay_windows(Queue& queue, const Schedule& schedule, const View<T>* views,
                     const Index* instances, Window<T>* windows) const {
  check_arrays(description_, plan_.whole, views, instances);
  const Temporaries needed = temporaries_of(description_, plan_, schedule);
  T* memory = nullptr;
  if (needed.elements > 0) {
    memory = static_cast<T*>(queue.scratch(Bytes{needed.elements * static_cast<Index>(sizeof(T))}));
  }
  find_windows(description_, plan_, schedule, views, memory, windows);
  return memory + needed.tiles;
}
template double* Laid::lay_windows(Queue&, const Schedule&, const View<double>*, const Index*,
                                   Window<double>*) const;
template float* Laid::lay_windows(Queue&, const Schedule&, const View<float>*, const Index*,
                                  Window<float>*) const;
template Fp16* Laid::lay_windows(Queue&, const Schedule&, const View<Fp16>*, const Index*,
                                 Window<Fp16>*) const;
template Bf16* Laid::lay_windows(Queue&, const Schedule&, const View<Bf16>*, const Index*,
                                 Window<Bf16>*) const;

std::string Laid::variant_definition(const Schedule& schedule) const {
  const bool gpu = std::holds_alternative<GpuSchedule>(schedule);
  std::vector<OperationRange> wanted;
  const auto add = [&](OperationRange range) {
    if (std::find(wanted.begin(), wanted.end(), range) == wanted.end()) wanted.push_back(range);
  };
  for (const GroupPlan& group : plan_.groups) {
    if (gpu) add({group.first, group.last});
    for (const RunPlan& run : group.runs) {
      if (!gpu) add({run.first, run.last});
    }
  }
  std::string list;
  for (const OperationRange& r : wanted)
    list += fmt::format("{}{{{}, {}}}", list.empty() ? "" : ", ", r.first, r.last);
  return fmt::format("#define RIDGE_CHAIN_{} {}\n", gpu ? "GROUPS" : "RUNS", list);
}

Record Laid::record(const Device& device, const Schedule& schedule, std::string_view kernel) const {
  const Description& d = description_;
  const Plan& plan = plan_;
  Record record;
  record.pattern = "chain";
  record.kernel = kernel == "user" ? std::string_view(d.name) : kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  const Range& n = plan.whole;
  record.size = n.instances() > 1 ? extents_of(d, n)
                : n.z > 1         ? Extents{n.x, n.y, n.z}
                : n.y > 1         ? Extents{n.x, n.y}
                                  : Extents{n.x};
  record.schedule = to_text(schedule);
  record.work = work_of(d, n);
  record.in_cache =
      record.work.read.value + record.work.written.value + plan.range_elements * d.element_bytes <=
      device.facts().last_level_cache.value;
  const auto number = [&](const char* name, double value) {
    record.details.push_back({name, value, {}});
  };
  number("operations", static_cast<double>(d.operations.size()));
  number("groups", static_cast<double>(plan.groups.size()));
  number("temporaries_bytes", static_cast<double>(plan.range_elements * d.element_bytes));
  number("tile_bytes", static_cast<double>(tile_elements(d, plan, schedule) * d.element_bytes));
  const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
  const bool together = cpu != nullptr && !wave_of(d, plan, cpu->fuse).empty();
  if (!plan.note.empty() && !together) record.details.push_back({"note", 0, plan.note});
  return record;
}

} // namespace ridge::chain
