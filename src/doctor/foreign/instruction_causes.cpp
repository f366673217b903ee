// Causes by which a kernel executes more or slower instructions than it must.
#include "rows.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::doctor {

namespace {

constexpr double warp_lanes = 32;

/// Lanes of full warps that a block's last warp leaves: what no branch is to blame for.
double lanes_of_block(const LaunchCounts& k) {
  const double threads = k.block_threads.value_or(warp_lanes);
  return threads > 0 ? threads / (warp_lanes * std::ceil(threads / warp_lanes)) : 1;
}

double gain_of_full_warps(const Subject& s, double evidence) {
  Busy then = s.busy;
  for (double Busy::*pipe :
       {&Busy::issue, &Busy::fp64, &Busy::fp32, &Busy::integer, &Busy::special})
    then.*pipe /= evidence;
  const double memory = std::max({s.busy.memory, s.busy.cache, s.busy.unit_cache, 0.01});
  return s.busy.most() < busy_enough ? std::min(evidence, std::max(1.0, within_reach / memory))
                                     : s.gain(then);
}

ForeignCause divergence() {
  ForeignCause c;
  c.name = "divergent-branches";
  c.title =
      "lanes of a warp take different branches, or loops of different length, one after the other";
  c.unit = "instructions for each that is left where all lanes go alike";
  c.threshold = 1.3;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (k.lanes.value_or(0) <= 0) return {};
    return lanes_of_block(k) / *k.lanes;
  };
  c.gain = gain_of_full_warps;
  c.experiment = "the same kernel on data sorted by branch: the active lanes that ncu counts rise, "
                 "and the time falls";
  c.twin = "one branch for all lanes";
  c.action = "sort or bin items so that neighbours go alike; replace short branches by selection";
  return c;
}

ForeignCause partial_warps() {
  ForeignCause c;
  c.name = "partial-warps";
  c.title = "blocks are no multiple of a warp: lanes stay empty";
  c.unit = "of the lanes of a block's warps have a thread";
  c.threshold = 0.8;
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    return s.counts().block_threads ? Counted(lanes_of_block(s.counts())) : Counted();
  };
  c.gain = [](const Subject& s, double evidence) {
    const double memory = std::max({s.busy.memory, s.busy.cache, 0.01});
    return std::min(1 / evidence, std::max(1.0, within_reach / memory));
  };
  c.experiment = "launch with 128 threads a block: the same kernel, another launch configuration";
  c.twin = "128 threads a block";
  c.action = "blocks of a multiple of 32 threads";
  return c;
}

ForeignCause double_by_accident() {
  ForeignCause c;
  c.name = "double-by-accident";
  c.title = "values of 32 bits are converted, and computed with in 64";
  c.unit = "conversions for each operation in fp64";
  c.threshold = 0.1;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (k.fp64_operations.value_or(0) <= 0 || !k.conversions) return {};
    return *k.conversions / *k.fp64_operations;
  };
  c.gain = [](const Subject& s, double) {
    Busy then = s.busy;
    then.fp32 = std::max(then.fp32, then.fp64 / 2);
    then.fp64 = 0;
    then.special = 0;
    const LaunchCounts& k = s.counts();
    const double conversions = k.thread_instructions.value_or(0) > 0
                                   ? std::min(0.9, *k.conversions / *k.thread_instructions)
                                   : 0;
    then.issue *= 1 - conversions;
    return s.gain(then);
  };
  c.experiment = "compile with the constants and functions of single precision (1.0f, sqrtf): the "
                 "fp64 instructions go";
  c.twin = "its operations in fp32";
  c.action = "write constants with f, call sqrtf, fabsf, expf, and look for double in templates' "
             "arguments";
  return c;
}

ForeignCause special_functions() {
  ForeignCause c;
  c.name = "slow-instructions";
  c.title = "division, roots, conversions or transcendental functions fill their slow pipe";
  c.unit = "of the time, that pipe is busy";
  c.threshold = 0.5;
  c.evidence = [](const Subject& s) -> Counted {
    const bool by_doubles = s.counts().fp64_operations.value_or(0) > 0 &&
                            s.counts().conversions.value_or(0) > 0.1 * *s.counts().fp64_operations;
    if (!s.counts().special_busy || by_doubles) return {};
    return s.busy.special;
  };
  c.gain = [](const Subject& s, double) {
    Busy then = s.busy;
    then.special /= 2;
    return s.gain(then);
  };
  c.experiment = "compile with --use_fast_math: where the time falls, such instructions were the "
                 "limit (results change)";
  c.twin = "multiplications for them";
  c.action = "multiply by the reciprocal, divide by constants or powers of two, take them out of "
             "the inner loop";
  return c;
}

ForeignCause clocks_fell() {
  ForeignCause c;
  c.name = "clocks-fell";
  c.title = "the device ran below its clock: power, heat, or a limit that somebody set";
  c.unit = "of the best clock";
  c.threshold = 0.85;
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    const double seconds = s.kernel->launch_seconds.value_or(1);
    if (!k.clock_hz || k.best_clock_hz.value_or(0) <= 0 || seconds < 100e-6)
      return {}; // short ones end before it rises
    // Units without a block may stand still.
    if (k.active_cycles && *k.active_cycles < 0.8 * k.elapsed_cycles.value_or(0)) return {};
    return *k.clock_hz / *k.best_clock_hz;
  };
  c.gain = [](const Subject& s, double evidence) {
    const bool by_memory = s.busy.memory >= busy_enough && s.busy.memory >= s.busy.most();
    return by_memory ? 1 : 1 / evidence;
  };
  c.experiment = "nvidia-smi -q -d PERFORMANCE while it runs says which limit; the launch alone, "
                 "on a cool card";
  c.twin = "one warp at work after a rest, for its clock";
  c.action = "fewer watts a result: less data moved; or ask the administrator (nvidia-smi -q -d "
             "CLOCK,POWER)";
  return c;
}

} // namespace

std::vector<ForeignCause> instruction_causes() {
  return {divergence(), partial_warps(), double_by_accident(), special_functions(), clocks_fell()};
}

} // namespace ridge::doctor
