#include <ridge/chain/program.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

void detail::check_arrays(const Description& d, Index3 n, const std::vector<GivenArray>& given) {
  const auto is_given = [&](std::size_t i) { return d.arrays[i].role != Role::temporary; };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Array& a = d.arrays[i];
    if (!is_given(i)) continue;
    const Index3 right{a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
    if (given[i].data == nullptr) {
      throw UsageError(fmt::format("chain '{}': array '{}' is not given", d.name, a.name));
    }
    if (given[i].extents != right) {
      const Index3 e = given[i].extents;
      throw UsageError(
          fmt::format("chain '{}': array '{}' has extents {}x{}x{}; {}x{}x{} are right", d.name,
                      a.name, e.x, e.y, e.z, right.x, right.y, right.z));
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t j = 0; j < given.size(); ++j) {
      if (i == j || !is_given(i) || !is_given(j) || d.arrays[i].role == Role::input) continue;
      const char* const i_end = given[i].data + given[i].span * d.element_bytes;
      const char* const j_end = given[j].data + given[j].span * d.element_bytes;
      if (given[i].data < j_end && given[j].data < i_end) {
        throw UsageError(fmt::format("chain '{}': arrays '{}' and '{}' overlap", d.name,
                                     d.arrays[i].name, d.arrays[j].name));
      }
    }
  }
}

namespace {

/// Elements of temporaries that a thread of the cpu or a block of a GPU holds.
Index tile_elements(const Description& d, const Plan& plan, const Schedule& schedule) {
  Index most = plan.tile_elements;
  if (std::holds_alternative<CpuSchedule>(schedule)) return most;
  for (const GroupPlan& group : plan.groups) {
    const Index each = d.passing_of(group.first, group.last).shared_elements;
    most = std::max(most, each * most_block_threads);
  }
  return most;
}

} // namespace

Record record_of(const Device& device, const Description& d, const Plan& plan,
                 const Schedule& schedule, const KernelFacts& facts) {
  Record record;
  record.pattern = "chain";
  record.kernel = d.name;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = d.element_bytes == 4 ? "fp32" : "fp64";
  const Index3 n = plan.extents;
  record.size = n.z > 1 ? Extents{n.x, n.y, n.z} : n.y > 1 ? Extents{n.x, n.y} : Extents{n.x};
  record.schedule = to_text(schedule);
  record.work = work_of(d, n);
  record.in_cache =
      record.work.read.value + record.work.written.value + plan.whole_elements * d.element_bytes <=
      device.facts().last_level_cache.value;
  const auto number = [&](const char* name, double value) {
    record.details.push_back({name, value, {}});
  };
  number("operations", static_cast<double>(d.operations.size()));
  number("groups", static_cast<double>(plan.groups.size()));
  number("temporaries_bytes", static_cast<double>(plan.whole_elements * d.element_bytes));
  number("tile_bytes", static_cast<double>(tile_elements(d, plan, schedule) * d.element_bytes));
  if (facts.registers > 0) {
    number("registers", facts.registers);
    number("local_bytes", facts.local_bytes);
  }
  if (!plan.note.empty()) record.details.push_back({"note", 0, plan.note});
  return record;
}

} // namespace ridge::chain
