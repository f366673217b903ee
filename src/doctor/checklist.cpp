#include <ridge/core/error.hpp>
#include <ridge/doctor/cause.hpp>
#include <ridge/doctor/checklist.hpp>

#include <fmt/format.h>

#include <cmath>

namespace ridge::doctor {

namespace {

ChecklistItem width(const Facts& f) {
  const double warp = f.device.warp_width;
  const double used = f.block_threads / (std::ceil(f.block_threads / warp) * warp);
  return {"launch width",
          fmt::format("{:.0f} threads a block fill {:.0f} % of its warps of {:.0f} lanes",
                      f.block_threads, 100 * used, warp),
          used >= 0.99, "give blocks whole warps: more site groups, or more points along x"};
}

ChecklistItem residence(const Facts& f) {
  const double all = f.device.warps_per_unit * f.device.warp_width;
  const double there = f.active() / f.device.units * f.block_threads;
  return {"threads of a unit",
          fmt::format("{:.0f} of {:.0f} threads that a unit holds are there", there, all),
          there >= all * find_cause("few-resident-warps").threshold,
          "run more threads: larger blocks, fewer registers, or more items"};
}

ChecklistItem bulk(const Facts& f) {
  const bool whole = f.site_registers > 32;
  std::string answer = "no thread holds a whole site";
  if (f.site_registers > 0) {
    answer =
        fmt::format("a thread goes through a site of {:.0f} registers alone", f.site_registers);
  }
  return {"whole sites in registers", answer, !whole,
          "spread the components of a site over threads: components=threads"};
}

ChecklistItem passes(const Facts& f) {
  const double count = 1 + f.staged / (f.least_read + f.least_written);
  return {"passes over memory",
          fmt::format("{:.1f} times the least bytes go through memory", count),
          count - 1 <= find_cause("staged-passes").threshold,
          "join the passes: reduce=fused, fuse=all"};
}

ChecklistItem own_width(const Facts& f) {
  return {"blocks for the device",
          fmt::format("{:.0f} blocks on {:.0f} units: {:.0f} % of the units' time has work",
                      f.blocks, f.device.units, 100 * f.filled()),
          f.filled() >= find_cause("launch-too-small").threshold,
          "let a reduction take as many blocks as the units hold: spread=0; else more items"};
}

} // namespace

std::vector<ChecklistItem> checklist(const Facts& facts) {
  if (!facts.device.is_gpu()) {
    throw UsageError("--checklist asks what GPUs ask, warps and blocks; give --device of a GPU, or "
                     "--on a described one");
  }
  return {width(facts), residence(facts), bulk(facts), passes(facts), own_width(facts)};
}

} // namespace ridge::doctor
