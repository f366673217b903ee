// Causes by which too little is under way on a device's units.
#include "rows.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::doctor {

Counted waves_of_blocks(const LaunchCounts& k) {
  if (!k.blocks || k.units.value_or(0) <= 0) return {};
  double held = k.blocks_by_warps.value_or(1);
  for (const Counted& limit : {k.blocks_by_registers, k.blocks_by_shared, k.blocks_by_slots})
    held = std::min(held, limit.value_or(held));
  return *k.blocks / (*k.units * std::max(1.0, held));
}

namespace {

/// How many times as many warps a unit would hold without one of the limits.
double without(const LaunchCounts& c, Counted LaunchCounts::*limit) {
  LaunchCounts freed = c;
  freed.*limit = {};
  // A block without shared memory still has the system's part of it: as many blocks as there are
  // slots.
  if (limit == &LaunchCounts::blocks_by_slots && c.blocks_by_shared >= c.blocks_by_slots)
    freed.blocks_by_shared = {};
  const double now = c.warps_allowed().value_or(1);
  return now > 0 ? freed.warps_allowed().value_or(now) / now : 1;
}

/// The share of warps that a launch is allowed, where `limit` is what decides, and there are blocks
/// enough to come to it.
Counted allowed_by(const Subject& s, Counted LaunchCounts::*limit) {
  if (waves_of_blocks(s.counts()).value_or(1) < 1) return {};
  const Counted share = s.counts().warps_allowed();
  return share && without(s.counts(), limit) > 1 ? share : Counted();
}

ForeignCause few_warps(std::string_view name, std::string_view title) {
  ForeignCause c;
  c.name = name;
  c.title = title;
  c.unit = "of the warps that a unit can hold are allowed";
  c.threshold = 0.4;
  c.above = false;
  return c;
}

ForeignCause registers_limit() {
  ForeignCause c = few_warps("registers-limit-warps",
                             "threads have so many registers that a unit holds few warps");
  c.evidence = [](const Subject& s) { return allowed_by(s, &LaunchCounts::blocks_by_registers); };
  c.gain = [](const Subject& s, double) {
    return s.gain_of_more_under_way(
        std::min(2.0, without(s.counts(), &LaunchCounts::blocks_by_registers)));
  };
  c.experiment = "compile with --maxrregcount at half of them: faster means that warps were "
                 "missing, spills cost in turn";
  c.twin = "half of the registers";
  c.action = "__launch_bounds__, fewer values at once, or several smaller kernels";
  return c;
}

ForeignCause shared_limits() {
  ForeignCause c = few_warps("shared-memory-limits-warps",
                             "blocks have so much shared memory that a unit holds few of them");
  c.evidence = [](const Subject& s) { return allowed_by(s, &LaunchCounts::blocks_by_shared); };
  c.gain = [](const Subject& s, double) {
    return s.gain_of_more_under_way(without(s.counts(), &LaunchCounts::blocks_by_shared));
  };
  c.experiment = "launch with half of the shared memory (a smaller tile): the time an item falls "
                 "where warps were missing";
  c.twin = "no more shared memory than it uses";
  c.action = "smaller tiles, more threads to a tile, or values in registers instead";
  return c;
}

ForeignCause small_blocks() {
  ForeignCause c =
      few_warps("small-blocks", "blocks are so small that a unit's blocks do not fill it");
  c.threshold = 0.6;
  c.evidence = [](const Subject& s) { return allowed_by(s, &LaunchCounts::blocks_by_slots); };
  c.gain = [](const Subject& s, double) {
    return s.gain_of_more_under_way(without(s.counts(), &LaunchCounts::blocks_by_slots));
  };
  c.experiment =
      "launch with 128 or 256 threads a block: the same kernel, another launch configuration";
  c.twin = "256 threads a block";
  c.action = "blocks of 128 to 256 threads";
  return c;
}

/// The share of all units' time that has a block.
Counted units_in_use(const Subject& s) {
  const LaunchCounts& k = s.counts();
  if (!k.active_cycles || k.elapsed_cycles.value_or(0) <= 0) return {};
  return std::min(1.0, *k.active_cycles / *k.elapsed_cycles);
}
/// Starting and ending a launch takes this: units are idle then.
constexpr double least_seconds = 3e-6;
/// The gain of a launch whose work is so many times as fast, and its start is not.
double gain_after_start(const Subject& s, double faster) {
  const double seconds = s.kernel->launch_seconds.value_or(1);
  return seconds / (least_seconds + (seconds - least_seconds) / faster);
}
double gain_of_full_units(const Subject& s, double evidence) {
  const double memory = std::max({s.busy.memory, s.busy.cache, 0.01});
  return gain_after_start(s, std::min(1 / std::max(evidence, 0.01), within_reach / memory));
}

ForeignCause few_blocks() {
  ForeignCause c;
  c.name = "few-blocks";
  c.title = "the launch has too few blocks for all units";
  c.unit = "of the units' time has a block";
  c.threshold = 0.8;
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    const Counted all = waves_of_blocks(s.counts());
    const double seconds = s.kernel->launch_seconds.value_or(1);
    const LaunchCounts& k = s.counts();
    if (!all || *k.blocks >= *k.units || seconds < least_seconds) return {};
    return units_in_use(s);
  };
  c.gain = gain_of_full_units;
  c.experiment = "the same kernel on several times the data: the time grows less than the data";
  c.twin = "its work in more blocks";
  c.action = "smaller blocks or tiles, or split the longest loop over blocks, or run independent "
             "kernels beside it";
  return c;
}

ForeignCause tail() {
  ForeignCause c = few_blocks();
  c.name = "tail-of-blocks";
  c.title = "units wait for the last blocks: they do not divide evenly, or some take longer";
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    const double seconds = s.kernel->launch_seconds.value_or(1);
    if (!k.blocks || k.units.value_or(0) <= 0 || *k.blocks < *k.units ||
        seconds < 10 * least_seconds)
      return {};
    return units_in_use(s);
  };
  c.gain = [](const Subject& s, double evidence) {
    // Units that have a block at the end have few of them.
    constexpr double even = 0.8; // of the warps that are allowed, where all blocks take as long
    const LaunchCounts& k = s.counts();
    const double filled = k.warps.value_or(1) / (even * k.warps_allowed().value_or(1));
    return gain_of_full_units(s, evidence * std::min(1.0, filled));
  };
  c.experiment =
      "the same kernel with blocks of half the size: the idle share of units falls, and the time";
  c.twin = "blocks that are all as long, or whole waves of them";
  c.action = "more and smaller blocks, the longest items first, or blocks that take the next item "
             "from a counter";
  return c;
}

/// The share of a warp's waiting that has one reason.
double waits(const LaunchCounts& k, const Counted& reason) {
  return k.wait_all.value_or(0) > 0 ? std::min(1.0, reason.value_or(0) / *k.wait_all) : 0;
}
double waits_for_results(const LaunchCounts& k) {
  return waits(k, k.wait_memory) + waits(k, k.wait_result) + waits(k, k.wait_shared);
}

/// The share of the room for warps that a launch fills, where it has a block for each unit, and
/// fewer than they hold.
Counted room_filled(const LaunchCounts& k) {
  const Counted all = waves_of_blocks(k);
  if (!all || *all >= 1 || *k.blocks < 0.8 * *k.units || k.blocks_by_warps.value_or(0) <= 0)
    return {};
  return *k.blocks / (*k.units * *k.blocks_by_warps);
}

ForeignCause few_warps_launched() {
  ForeignCause c;
  c.name = "few-warps";
  c.title = "the launch has too few warps to hide what they wait for";
  c.unit = "of the warps that the units have room for are launched, and no unit is busy";
  c.threshold = 0.2;
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    const double seconds = s.kernel->launch_seconds.value_or(1);
    if (s.busy.most() >= busy_enough || seconds < least_seconds) return {};
    return room_filled(k);
  };
  c.gain = [](const Subject& s, double) {
    return gain_after_start(s,
                            s.gain_of_more_under_way(1 / waves_of_blocks(s.counts()).value_or(1)));
  };
  c.experiment = "the same kernel on twice the data: the time grows less than the data";
  c.twin = "its work in more blocks";
  c.action = "smaller tiles, the longest loop split over blocks (split-k), more items at once, or "
             "independent kernels beside it";
  return c;
}

ForeignCause dependent_latency() {
  ForeignCause c;
  c.name = "dependent-latency";
  c.title = "each instruction waits for the one before, and too little is under way to hide it";
  c.unit = "of the time, the busiest unit is busy, while warps wait for results";
  c.threshold = busy_enough;
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (!k.issue_busy || !k.wait_all) return {};
    // Where units have no block, few warps are allowed or launched, or data are far, that is the
    // cause.
    const bool far = k.host_sectors.value_or(0) + k.peer_sectors.value_or(0) >
                     0.02 * k.asked_sectors.value_or(0);
    const double threads = k.block_threads.value_or(32);
    if (waits_for_results(k) < 0.5 || far || threads < 32 * std::ceil(threads / 32) * 0.8 ||
        units_in_use(s).value_or(1) < 0.8 || room_filled(k).value_or(1) < 0.2 ||
        (k.warps_allowed().value_or(1) < 0.4 && waves_of_blocks(k).value_or(1) >= 1))
      return {};
    return s.busy.most();
  };
  c.gain = [](const Subject& s, double) { return s.gain_of_more_under_way(2); };
  c.experiment =
      "two independent items a thread: where the latency is the limit, the time an item halves";
  c.twin = "twice as many loads or chains of operations at once";
  c.action = "several independent items or sums a thread (unroll by 4), loads before their use";
  return c;
}

/// The share of their pipe's accesses that are of shared memory; shuffles and global memory have
/// the others. A unit's pipe takes one a cycle.
double shared_part(const Subject& s) {
  const LaunchCounts& k = s.counts();
  const double cycles = k.elapsed_cycles.value_or(0) * k.units.value_or(0);
  const double all = s.busy.shared * cycles;
  return all > 0 ? std::min(1.0, k.shared_passes.value_or(0) / all) : 0;
}

ForeignCause barriers() {
  ForeignCause c;
  c.name = "barriers";
  c.title = "warps wait for others of their block at barriers";
  c.unit = "of the time that warps wait, they wait at a barrier";
  c.threshold = 0.3;
  c.evidence = [](const Subject& s) -> Counted {
    if (!s.counts().wait_all || !s.counts().wait_barrier) return {};
    return waits(s.counts(), s.counts().wait_barrier);
  };
  c.gain = [](const Subject& s, double evidence) {
    // Traffic through shared memory from barrier to barrier goes with the barriers, and frees its
    // pipe.
    Busy then = s.busy;
    const double left = 1 - shared_part(s);
    if (s.busy.shared > 0.9 * s.busy.unit_cache) then.unit_cache *= left;
    then.shared *= left;
    const double waiting = s.gain_of_more_under_way(1 / (1 - std::min(evidence, 0.8)));
    return s.busy.most() < busy_enough ? waiting : std::max(waiting, s.gain(then));
  };
  c.experiment = "launch with smaller blocks: fewer warps wait for each other, more blocks fill in";
  c.twin = "no barriers";
  c.action =
      "smaller blocks, warp-wide shuffles instead of shared memory, even work between barriers";
  return c;
}

} // namespace

std::vector<ForeignCause> warp_causes() {
  return {registers_limit(),    shared_limits(), small_blocks(), few_blocks(),
          few_warps_launched(), tail(),          barriers(),     dependent_latency()};
}

} // namespace ridge::doctor
