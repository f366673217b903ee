#include <ridge/doctor/foreign/twin.hpp>

#include "rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ridge::doctor {

namespace {

constexpr double lanes_of_warp = 32, bytes_of_sector = 32;
constexpr int least_shared = 4096; // bytes, where a twin uses its shared memory
constexpr int most_loads = 4096;
constexpr int most_of_step = 64, most_shared_of_step = 24;

int rounded_between(double value, double least, double most) {
  return static_cast<int>(std::lround(std::clamp(value, least, most)));
}
double power_of_two(double value) {
  return std::exp2(std::ceil(std::log2(std::max(value, 1.0))));
}
bool has(const std::vector<std::string_view>& causes, std::string_view cause) {
  return std::find(causes.begin(), causes.end(), cause) != causes.end();
}
double remote_sectors(const LaunchCounts& c) {
  return c.host_sectors.value_or(0) + c.peer_sectors.value_or(0);
}
double threads_of(const Twin& t) {
  return t.blocks * t.threads;
}
/// Bytes of places that are not the ones before.
double read_by(const Twin& t) {
  return threads_of(t) * t.distinct * t.stride * t.lane_bytes;
}
double warps_of(const Twin& t) {
  return t.blocks * std::ceil(t.threads / lanes_of_warp);
}

/// Bytes of a load, and how far neighbouring lanes are apart, by the sectors of a request.
void take_pattern(Twin& t, const LaunchCounts& c) {
  const double sectors = *c.load_sectors / *c.load_requests;
  const double used = sectors * c.load_used.value_or(1); // bytes a lane: 32 a sector, 32 lanes
  t.lane_bytes = used > 12 ? 16 : used > 6 ? 8 : 4;
  double apart = std::max(sectors, static_cast<double>(t.lane_bytes));
  if (sectors > 0.95 * lanes_of_warp) { // each lane has a sector of its own: memory says how far
    const double moved = c.bytes_read.value_or(0) / (*c.load_requests * lanes_of_warp);
    apart = std::clamp(power_of_two(moved), bytes_of_sector, 512.0);
  }
  t.stride = rounded_between(apart / t.lane_bytes, 1, 128);
}

/// Loads, and where the data lie.
void take_loads(Twin& t, const LaunchCounts& c) {
  const double far = bytes_of_sector * remote_sectors(c);
  const double read = std::max(c.bytes_read.value_or(0) + far, bytes_of_sector);
  t.bytes = std::max(power_of_two(read), 1e6);
  t.stores = rounded_between(c.store_requests.value_or(0) / warps_of(t), 0, most_loads);
  t.loads = 0;
  if (c.load_requests.value_or(0) <= 0 || c.load_sectors.value_or(0) <= 0) return;
  take_pattern(t, c);
  t.loads = rounded_between(*c.load_requests / warps_of(t), 1, most_loads);
  const double repeat = std::max(1.0, *c.load_sectors * bytes_of_sector / read);
  t.distinct = rounded_between(t.loads / repeat, 1, t.loads);
  // Sectors of the host's or another card's memory are loads' as far as there are loads.
  t.far = rounded_between(lanes_of_warp * std::min(1.0, remote_sectors(c) / *c.load_sectors), 0,
                          lanes_of_warp);
}

/// The nearest power of 2, 1 to 32.
int ways_of(double ratio) {
  return rounded_between(std::exp2(std::round(std::log2(std::max(ratio, 1.0)))), 1, lanes_of_warp);
}

/// Amounts of a thread between one load and the next.
struct Amounts {
  double fp32 = 0, fp64 = 0, integer = 0, special = 0, conversions = 0, shared = 0, local = 0;
};

/// Instructions of the slow pipe, a thread: it takes one of a warp in two cycles.
double special_of(const LaunchCounts& c, double threads) {
  constexpr double a_cycle = 0.5;
  const double cycles = c.active_cycles.value_or(0) * c.units.value_or(0);
  const double all = c.special_busy.value_or(0) * a_cycle * cycles * lanes_of_warp;
  const bool by_doubles = c.fp64_operations.value_or(0) > 0;
  return std::max(0.0, all - (by_doubles ? c.conversions.value_or(0) : 0)) / threads;
}

/// Accesses of shared memory, and lanes that use one bank.
void take_shared(Twin& t, const LaunchCounts& c, Amounts& each) {
  // The counter has a pass of each warp that stores, too.
  const double others = c.store_requests.value_or(0) + warps_of(t);
  const double passes = c.shared_passes.value_or(0);
  if (passes <= 2 * others || t.shared_bytes <= 0) return;
  t.shared_bytes = std::max(t.shared_bytes, least_shared);
  const double best = std::max(passes - c.shared_conflicts.value_or(0), passes / lanes_of_warp);
  each.shared = best / warps_of(t);
  t.ways = ways_of(passes / best);
}

Amounts amounts_of(Twin& t, const LaunchCounts& c) {
  constexpr double sectors_of_access = 4, around_a_load = 12; // instructions of the twin's own
  const double threads = threads_of(t);
  Amounts each;
  take_shared(t, c, each);
  each.local = c.local_sectors.value_or(0) / sectors_of_access / warps_of(t);
  each.fp64 = c.fp64_operations.value_or(0) / threads;
  if (each.fp64 > 0)
    each.conversions = std::min(c.conversions.value_or(0) / threads, 2 * each.fp64);
  each.special = special_of(c, threads);
  const double fp32 = c.fp32_operations.value_or(0) / threads;
  // Reads of shared memory are added, and each second access of local memory, too.
  each.fp32 = std::max(0.0, fp32 - each.shared - each.local / 2);
  each.integer = std::max(0.0, c.thread_instructions.value_or(0) / threads -
                                   std::max(fp32, each.shared + each.local / 2) - each.fp64 -
                                   each.conversions - each.special - each.shared - each.local -
                                   around_a_load * t.loads - t.stores - t.atomics);
  for (double Amounts::*amount :
       {&Amounts::fp32, &Amounts::fp64, &Amounts::integer, &Amounts::special, &Amounts::conversions,
        &Amounts::shared, &Amounts::local})
    each.*amount /= std::max(1, t.loads);
  return each;
}

/// A launch's work between its loads, in steps that are short enough for a compiler.
void take_work(Twin& t, const LaunchCounts& c) {
  if (t.threads % static_cast<int>(lanes_of_warp) == 0)
    t.parts = rounded_between(1 / std::max(c.lanes.value_or(1), 0.01), 1, lanes_of_warp);
  const Amounts each = amounts_of(t, c);
  const double most = std::max({each.fp32, each.fp64, each.integer, each.special, each.conversions,
                                each.local, each.shared * most_of_step / most_shared_of_step});
  t.steps = rounded_between(std::ceil(most / most_of_step), 1, 1e8);
  const auto of_step = [&](double amount) {
    return rounded_between(amount / t.steps, 0, most_of_step);
  };
  t.fp32 = of_step(each.fp32);
  t.fp64 = of_step(each.fp64);
  t.integer = of_step(each.integer);
  t.special = of_step(each.special);
  t.conversions = 2 * std::max(of_step(each.conversions / 2), each.conversions > 0.2 ? 1 : 0);
  t.shared = std::min(of_step(each.shared), most_shared_of_step);
  t.local = of_step(each.local);
}

void take_atomics(Twin& t, const LaunchCounts& c) {
  constexpr double most = 256;
  const double requests = c.atomic_requests.value_or(0);
  if (requests <= 0) return;
  t.atomics = rounded_between(requests / warps_of(t), 1, most);
  t.places = rounded_between(c.atomic_sectors.value_or(requests) / requests, 1, lanes_of_warp);
  t.places_apart = static_cast<int>(bytes_of_sector) / 4;
}

/// The launch's last block, where others do not make up waves of blocks that leave units idle.
void take_tail(Twin& t, const LaunchCounts& c) {
  const double waves = waves_of_blocks(c).value_or(0);
  const double elapsed = c.elapsed_cycles.value_or(0);
  if (waves <= 0 || elapsed <= 0) return;
  const double in_use = std::max(0.01, c.active_cycles.value_or(0) / elapsed);
  constexpr double near = 0.1;
  if (waves / std::ceil(waves) <= in_use + near) return;
  t.longest = rounded_between(waves / in_use - waves + 1, 2, 1e4);
}

} // namespace

std::optional<Twin> twin_of(const ForeignKernel& kernel,
                            const std::vector<std::string_view>& causes, double least_bytes) {
  const LaunchCounts& c = kernel.counts;
  if (c.blocks.value_or(0) < 1 || c.block_threads.value_or(0) < 1 || kernel.counted_by.empty())
    return {};
  Twin t;
  t.threads = rounded_between(*c.block_threads, 1, 1024);
  t.blocks = t.reading_blocks = *c.blocks;
  t.registers = rounded_between(c.registers.value_or(32), 16, 255);
  t.shared_bytes = rounded_between(c.shared_bytes.value_or(0), 0, 227 << 10);
  take_loads(t, c);
  take_atomics(t, c);
  take_work(t, c);
  if (has(causes, "cache-overflow") && least_bytes > 0) { // what is read, again and again
    const double set = std::max(least_bytes - c.bytes_written.value_or(0), least_bytes / 4);
    t.bytes = std::max(1e6, std::exp2(std::round(std::log2(set))));
    // A place is read again when as much as can be of the others was read.
    if (read_by(t) > t.bytes) t.apart = std::floor(t.bytes / t.lane_bytes / t.distinct);
  }
  if (has(causes, "tail-of-blocks")) take_tail(t, c);
  t.barriers = has(causes, "barriers") ? 1 : 0;
  return t;
}

std::vector<Twin> alternatives(const Twin& twin, int unknown) {
  std::vector<Twin> all;
  const auto add = [&](const auto& change) {
    all.push_back(twin);
    change(all.back());
  };
  if (unknown == 0) {
    for (int together : {1, 2, 4, 8})
      add([&](Twin& t) { t.together = together; });
  } else if (unknown == 1 && twin.local > 0) {
    for (int numbers : {16, 64, 256})
      add([&](Twin& t) { t.numbers = numbers; });
  } else if (unknown == 2 && twin.atomics > 0) { // lanes meet, or sectors of a warp are many
    add([](Twin&) {});
    add([](Twin& t) {
      t.places = static_cast<int>(lanes_of_warp) / t.places;
      t.places_apart = 1;
    });
    add([](Twin& t) {
      t.places_apart = std::max(1, t.places * t.places_apart / static_cast<int>(lanes_of_warp));
      t.places = static_cast<int>(lanes_of_warp);
    });
  } else if (unknown == 3 && twin.longest > 1) {
    for (int times : {1, 2, 4, 8})
      add([&](Twin& t) { t.longest *= times; });
  } else if (unknown == 4 && twin.barriers > 0) {
    for (int times : {1, 2, 4, 8, 16}) {
      add([&](Twin& t) {
        t.steps *= times;
        for (int Twin::*amount : {&Twin::fp32, &Twin::fp64, &Twin::integer, &Twin::special,
                                  &Twin::shared, &Twin::local})
          t.*amount = (t.*amount + times / 2) / times;
        t.conversions = t.conversions / 2 / times * 2;
      });
    }
  }
  return all;
}

namespace {

/// Fewer blocks, each with more to do.
void take_blocks(Twin& t, double blocks) {
  const double more = t.blocks / blocks;
  t.blocks = t.reading_blocks = blocks;
  if (t.loads > 0) {
    t.loads = std::max(1, rounded_between(t.loads * more, 1, 1e6));
    t.distinct = rounded_between(t.distinct * more, 1, t.loads);
  }
  if (t.loads <= 1) t.steps = rounded_between(t.steps * more, 1, 1e8);
}

/// Changes that concern how a launch is laid out; the words for it, or none.
std::string change_layout(Twin& t, std::string_view cause, const LaunchCounts& counts) {
  const double all = threads_of(t);
  const auto take_threads = [&](int threads) {
    t.threads = threads;
    t.blocks = t.reading_blocks = std::ceil(all / threads);
    return fmt::format("{} threads a block", threads);
  };
  if (cause == "small-blocks") return take_threads(256);
  if (cause == "partial-warps") return take_threads(128);
  if (cause == "registers-limit-warps") {
    t.registers = std::max(24, t.registers / 2);
    return fmt::format("{} registers", t.registers);
  }
  if (cause == "shared-memory-limits-warps") {
    t.shared_bytes = t.shared > 0 ? least_shared : 0; // what it uses stays
    return t.shared_bytes > 0 ? "4 KiB of shared memory" : "no shared memory";
  }
  if ((cause == "few-blocks" || cause == "few-warps") && counts.units) {
    const double work = std::max<double>(t.loads, t.loads <= 1 ? t.steps : 1);
    const double more = std::min(std::ceil(8 * *counts.units / t.blocks), work);
    if (more < 2) return {};
    t.blocks = t.reading_blocks = t.blocks * more;
    if (t.loads > 1) {
      t.loads = static_cast<int>(std::ceil(t.loads / more));
      t.distinct = std::max(1, static_cast<int>(t.distinct / more));
    } else {
      t.steps = static_cast<int>(std::ceil(t.steps / more));
    }
    return fmt::format("{:.0f} blocks", t.blocks);
  }
  if (cause == "tail-of-blocks" && t.longest > 1) {
    t.longest = 1;
    return "blocks that are all as long";
  }
  const double waves = waves_of_blocks(counts).value_or(0);
  if (cause == "tail-of-blocks" && waves > 1) {
    take_blocks(t, std::max(1.0, std::round(t.blocks * std::floor(waves) / waves)));
    return fmt::format("{:.0f} blocks, whole waves of them", t.blocks);
  }
  return {};
}

/// Changes of what a thread does.
std::string change_work(Twin& t, std::string_view cause) {
  if (cause == "uncoalesced" && t.stride > 1) {
    t.stride = 1;
    return "neighbouring lanes at neighbouring numbers";
  }
  if (cause == "cache-overflow") {
    const double left = t.bytes / read_by(t);
    if (t.loads == 0 || left > 0.9) return {};
    t.apart = 0;
    if (t.distinct > 1)
      t.distinct = std::max(1, static_cast<int>(std::lround(t.distinct * left)));
    else
      t.reading_blocks = std::max(1.0, std::round(t.blocks * left));
    return "the reads of a place one after the other";
  }
  if (cause == "remote-memory" && t.far > 0) {
    t.far = 0;
    return "its memory on the device";
  }
  if (cause == "bank-conflicts" && t.ways > 1) {
    t.ways = 1;
    return "a bank for each lane";
  }
  if (cause == "spilled-registers" && t.local > 0) {
    t.fp32 += (t.local + 1) / 2; // what it adds there
    t.local = 0;
    return "no array of a thread in memory";
  }
  if (cause == "divergent-branches" && t.parts > 1) {
    t.parts = 1;
    return "one branch for all lanes";
  }
  if (cause == "atomics-on-few-addresses" && t.places > 0) {
    t.places = 0;
    return "an address for each thread";
  }
  if (cause == "double-by-accident" && t.fp64 > 0) {
    t.fp32 += t.fp64;
    t.fp64 = t.conversions = 0;
    return "its operations in fp32";
  }
  if (cause == "slow-instructions" && t.special > 0) {
    t.fp32 += t.special;
    t.special = 0;
    return "multiplications for them";
  }
  if (cause == "barriers" && t.barriers > 0) {
    t.barriers = 0;
    t.fp32 += t.shared;
    return std::exchange(t.shared, 0) > 0 ? "no barriers, nor shared memory between them"
                                          : "no barriers";
  }
  if (cause == "dependent-latency" && (2 * t.together <= t.loads || t.steps > 1)) {
    t.together *= 2;
    return fmt::format("{} at once for {}", t.together, t.together / 2);
  }
  return {};
}

} // namespace

std::optional<ChangedTwin> without_cause(const Twin& twin, std::string_view cause,
                                         const LaunchCounts& counts) {
  ChangedTwin changed{twin, ""};
  changed.change = change_layout(changed.twin, cause, counts);
  if (changed.change.empty()) changed.change = change_work(changed.twin, cause);
  if (changed.change.empty()) return {};
  return changed;
}

std::string to_text(const Twin& t) {
  std::string work;
  const auto add = [&](double amount, const char* what) {
    if (amount > 0) work += fmt::format(", {:.0f} {}", amount, what);
  };
  const double steps = static_cast<double>(t.steps) * std::max(1, t.loads);
  add(t.loads, fmt::format("loads of {} B", t.lane_bytes).c_str());
  add(t.far, "of 32 blocks at memory of the host");
  add(steps * (t.fp32 + t.fp64), "operations");
  add(steps * t.conversions, "conversions");
  add(steps * t.special, "slow instructions");
  add(steps * t.shared, "of shared memory");
  add(steps * t.local, "of an array in memory");
  add(steps * t.barriers, "barriers");
  add(t.atomics, "atomics");
  return fmt::format("{:.0f} x {} threads, {} registers{}", t.blocks, t.threads, t.registers, work);
}

int held_by(const Twin& t) {
  constexpr int around = 20; // registers that the twin needs for itself
  const int chains =
      (t.fp32 + t.special + t.integer > 0 ? t.together : 0) + (t.fp64 > 0 ? 2 * t.together : 0);
  return std::clamp(t.registers - around - t.together * t.lane_bytes / 4 - chains, 0, 224);
}

} // namespace ridge::doctor
