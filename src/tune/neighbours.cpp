#include <ridge/chain/schedule.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lattice/schedule.hpp>
#include <ridge/pairs/schedule.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/schedule.hpp>
#include <ridge/tune/neighbours.hpp>

namespace ridge::tune {

namespace {

template <class S>
std::vector<std::string> texts_around(const std::string& schedule) {
  std::vector<std::string> all;
  for (const S& s : neighbours_of(text::parse<S>(schedule)))
    all.push_back(text::print(s));
  return all;
}

/// Of many sweeps, single ones or passes.
template <class Single, class Pass>
std::vector<std::string> sweeps_around(const std::string& schedule) {
  constexpr std::string_view one = "sweeps=1 ";
  if (!schedule.starts_with(one)) return texts_around<Pass>(schedule);
  std::vector<std::string> all = texts_around<Single>(schedule.substr(one.size()));
  for (std::string& s : all)
    s.insert(0, one);
  return all;
}

template <class Cpu, class Gpu>
std::vector<std::string> of_kind(DeviceKind kind, const std::string& schedule) {
  return facts_of(kind).takes_gpu_schedules ? texts_around<Gpu>(schedule)
                                            : texts_around<Cpu>(schedule);
}

} // namespace

std::vector<std::string> neighbours(std::string_view pattern, DeviceKind kind,
                                    const std::string& s) {
  if (pattern == "sweeps") {
    return facts_of(kind).takes_gpu_schedules
               ? sweeps_around<stencil::GpuSchedule, stencil::GpuPassSchedule>(s)
               : sweeps_around<stencil::CpuSchedule, stencil::CpuPassSchedule>(s);
  }
  if (pattern == "stencil") return of_kind<stencil::CpuSchedule, stencil::GpuSchedule>(kind, s);
  if (pattern == "pairs") return of_kind<pairs::CpuSchedule, pairs::GpuSchedule>(kind, s);
  if (pattern == "lattice") return of_kind<lattice::CpuSchedule, lattice::GpuSchedule>(kind, s);
  if (pattern == "chain") return of_kind<chain::CpuSchedule, chain::GpuSchedule>(kind, s);
  throw UsageError("unknown pattern '" + std::string(pattern) +
                   "'; the patterns are stencil, sweeps, pairs, lattice and chain");
}

} // namespace ridge::tune
