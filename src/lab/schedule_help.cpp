#include <ridge/chain/schedule.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/schedule_help.hpp>
#include <ridge/lattice/schedule.hpp>
#include <ridge/pairs/schedule.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/schedule.hpp>

namespace ridge::lab {

namespace {

template <class Cpu, class Gpu>
std::string fields_of(DeviceKind kind) {
  return facts_of(kind).takes_gpu_schedules ? text::help<Gpu>() : text::help<Cpu>();
}

} // namespace

std::string schedule_fields(std::string_view pattern, DeviceKind kind) {
  if (pattern == "stencil") return fields_of<stencil::CpuSchedule, stencil::GpuSchedule>(kind);
  if (pattern == "sweeps") {
    return "one sweep after the other, sweeps=1 (if not given):\n" +
           schedule_fields("stencil", kind) + "several sweeps in one pass:\n" +
           fields_of<stencil::CpuPassSchedule, stencil::GpuPassSchedule>(kind);
  }
  if (pattern == "pairs") return fields_of<pairs::CpuSchedule, pairs::GpuSchedule>(kind);
  if (pattern == "lattice") return fields_of<lattice::CpuSchedule, lattice::GpuSchedule>(kind);
  if (pattern == "chain") return fields_of<chain::CpuSchedule, chain::GpuSchedule>(kind);
  throw UsageError("unknown pattern '" + std::string(pattern) +
                   "'; the patterns are stencil, pairs, lattice and chain");
}

bool is_ahead(Case& the_case, const AskedSchedule& schedule) {
  const launch::AheadOnly only;
  try {
    (void)the_case.bind(schedule);
    return true;
  } catch (const launch::NotAhead&) {
    return false;
  }
}

} // namespace ridge::lab
