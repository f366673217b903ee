// Causes by which a kernel moves or asks for more than it must.
#include "rows.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

constexpr double sector_bytes = 32;

/// Sectors of global memory that lanes ask for, and the share of their bytes that lanes use.
struct Asked {
  double sectors = 0, used = 1, of_request = 0;
};
Asked asked(const LaunchCounts& c) {
  const double loads = c.load_sectors.value_or(0), stores = c.store_sectors.value_or(0);
  const double requests = c.load_requests.value_or(0) + c.store_requests.value_or(0);
  if (loads + stores <= 0 || requests <= 0) return {};
  const double used =
      (loads * c.load_used.value_or(1) + stores * c.store_used.value_or(1)) / (loads + stores);
  return {loads + stores, std::clamp(used, 1.0 / sector_bytes, 1.0), (loads + stores) / requests};
}

ForeignCause uncoalesced() {
  ForeignCause c;
  c.name = "uncoalesced";
  c.title = "the lanes of a warp touch more sectors of memory than they use";
  c.unit = "bytes of sectors touched for each byte used";
  c.threshold = 1.5;
  c.evidence = [](const Subject& s) -> Counted {
    const Asked a = asked(s.counts());
    constexpr double of_full_warp = 4.5; // sectors of 32 lanes with 4 bytes each
    // Lanes that read one number touch one sector, of which they use little: that costs nothing.
    if (a.of_request < of_full_warp) return {};
    return 1 / a.used;
  };
  c.gain = [](const Subject& s, double evidence) {
    Busy then = s.busy;
    const LaunchCounts& k = s.counts();
    const Asked a = asked(k);
    const double local = k.local_sectors.value_or(0);
    const double part = (a.sectors / evidence + local) / (a.sectors + local);
    // Sectors that the cache kept until their other bytes were asked for came from memory once.
    double of_memory = 1;
    if (k.cache_hit_rate.value_or(1) < 0.5 && k.bytes().value_or(0) > 0)
      of_memory = std::min(1.0, sector_bytes * a.sectors / evidence / *k.bytes());
    then.unit_cache *= part;
    // Accesses of global and of shared memory go through one pipe of a unit.
    then.shared *= 1 - (1 - part) * a.sectors / (a.sectors + k.shared_passes.value_or(0));
    then.memory *= of_memory;
    then.cache = s.cache_left(part, std::min(part, of_memory));
    return s.busy.most() < busy_enough ? 1 / part : s.gain(then);
  };
  c.experiment = "a copy of as many bytes by neighbouring lanes: ridge roof --device; then ncu's "
                 "sectors a request again";
  c.twin = "neighbouring lanes at neighbouring numbers";
  c.action = "let neighbouring lanes read neighbouring numbers: arrays of each member, lanes along "
             "the fastest index";
  return c;
}

ForeignCause asked_again() {
  ForeignCause c;
  c.name = "cache-overflow";
  c.title = "memory is read again for what the cache no longer holds";
  c.unit = "bytes read from memory again for each that must be read";
  c.threshold = 0.1;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (!k.bytes() || s.least_bytes <= 0) return {};
    if (!s.least_is_allocated) return *k.bytes() / s.least_bytes - 1;
    // Allocated memory is read once, and may be written, too; spilled registers lie elsewhere.
    if (k.local_sectors.value_or(0) > 0.05 * asked(k).sectors) return {};
    return *k.bytes_read / s.least_bytes - 1;
  };
  c.gain = [](const Subject& s, double evidence) {
    Busy then = s.busy;
    if (std::max(s.busy.memory, s.busy.cache) < 0.5) return 1.0; // it waits for something else
    then.memory /= 1 + evidence;
    then.cache = s.cache_left(1, 1 / (1 + evidence));
    return s.gain(then);
  };
  c.experiment = "the same launch on a part of the data that fits the cache: the time an item "
                 "falls by as much";
  c.twin = "the reads of a place one after the other";
  c.action = "smaller tiles, another order of blocks, or fewer arrays in a pass: what is used "
             "again stays cached";
  return c;
}

ForeignCause spilled() {
  ForeignCause c;
  c.name = "spilled-registers";
  c.title = "registers or local arrays of threads are kept in memory";
  c.unit = "of the sectors asked of a unit's cache are such";
  c.threshold = 0.05;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (!k.local_sectors) return k.scratch_bytes && *k.scratch_bytes > 0 ? Counted(1) : Counted();
    const double all = *k.local_sectors + asked(k).sectors + k.atomic_sectors.value_or(0);
    return all > 0 ? Counted(*k.local_sectors / all) : Counted();
  };
  c.gain = [](const Subject& s, double evidence) {
    Busy then = s.busy;
    const double left = 1 - std::min(evidence, 0.97);
    then.unit_cache *= left;
    then.shared *= left;
    then.cache *= left;
    then.memory *= left;
    constexpr double sectors_of_request = 4; // lanes have them side by side
    const LaunchCounts& k = s.counts();
    const double all = k.instructions.value_or(0),
                 local = k.local_sectors.value_or(0) / sectors_of_request;
    if (all > 0) then.issue *= std::max(0.05, 1 - local / all);
    return s.busy.most() < busy_enough ? 1 / left : s.gain(then);
  };
  c.experiment = "compile with more registers (--maxrregcount, __launch_bounds__) and -Xptxas -v: "
                 "spills and time go";
  c.twin = "no array of a thread in memory";
  c.action =
      "allow more registers a thread, keep fewer values, index local arrays by constants only";
  return c;
}

ForeignCause bank_conflicts() {
  ForeignCause c;
  c.name = "bank-conflicts";
  c.title = "lanes of a warp use one bank of shared memory one after the other";
  c.unit = "accesses of shared memory for each that is left without conflicts";
  c.threshold = 1.3;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (!k.shared_conflicts || k.shared_passes.value_or(0) <= 0) return {};
    return *k.shared_passes /
           std::max(*k.shared_passes - *k.shared_conflicts, *k.shared_passes / 32);
  };
  c.gain = [](const Subject& s, double evidence) {
    Busy then = s.busy;
    then.shared /= evidence;
    then.unit_cache /= evidence;
    const LaunchCounts& k = s.counts();
    const double waits = k.wait_shared.value_or(0) + k.wait_shared_queue.value_or(0);
    const double share = k.wait_all.value_or(0) > 0 ? std::min(1.0, waits / *k.wait_all) : 0;
    const double by_waits = 1 / (1 - share * (1 - 1 / evidence));
    return std::max(s.gain(then), s.busy.memory < busy_enough ? by_waits : 1);
  };
  c.experiment = "pad the rows of the shared array by one element: the conflicts that ncu counts "
                 "go, and the time";
  c.twin = "a bank for each lane";
  c.action = "pad or permute the shared array so that the lanes of a warp use all banks";
  return c;
}

ForeignCause remote_memory() {
  ForeignCause c;
  c.name = "remote-memory";
  c.title = "the kernel reads or writes memory of the host or of another GPU";
  c.unit = "of the sectors that units ask for lie there";
  c.threshold = 0.02;
  c.evidence = [](const Subject& s) -> Counted {
    const LaunchCounts& k = s.counts();
    if (k.asked_sectors.value_or(0) <= 0 || !(k.host_sectors || k.peer_sectors)) return {};
    return (k.host_sectors.value_or(0) + k.peer_sectors.value_or(0)) / *k.asked_sectors;
  };
  c.gain = [](const Subject& s, double) {
    const LaunchCounts& k = s.counts();
    const double bytes = sector_bytes * (k.host_sectors.value_or(0) + k.peer_sectors.value_or(0));
    constexpr double link =
        25e9; // bytes a second, PCIe 4; faster links shorten the launch, and this estimate
    const double seconds = s.kernel->launch_seconds.value_or(s.kernel->mean());
    if (seconds <= 0) return 1.0;
    const double rate = std::max(link, bytes / seconds);
    const double left = std::max(1 - bytes / rate / seconds, 0.02);
    return s.gain_of_more_under_way(1 / left);
  };
  c.experiment = "copy the data to the device before the launch and launch again: the sectors "
                 "there go, and the time";
  c.twin = "its memory on the device";
  c.action = "keep what is read more than once on the device; prefetch managed memory; copy in "
             "pieces beside the kernel";
  return c;
}

ForeignCause atomics() {
  ForeignCause c;
  c.name = "atomics-on-few-addresses";
  c.title = "atomics of many threads meet at few addresses";
  c.unit = "of the time, the busiest part of the cache works on atomics";
  c.threshold = 0.5;
  c.evidence = [](const Subject& s) -> Counted {
    if (s.counts().atomic_requests.value_or(0) <= 0 || !s.counts().atomic_busy) return {};
    return s.busy.atomics;
  };
  c.gain = [](const Subject& s, double) {
    Busy then = s.busy;
    then.atomics = 0;
    constexpr double least_seconds = 3e-6; // of a launch
    constexpr double least_busy = 0.01;    // less no counter tells
    const double seconds = s.kernel->launch_seconds.value_or(s.kernel->mean());
    const double start = seconds > 0 ? least_seconds / seconds : 1;
    return s.busy.most() / std::max({then.most() / within_reach, start, least_busy});
  };
  c.experiment = "sum in a block first (shared memory, warp shuffles), one atomic a block: "
                 "requests and time fall";
  c.twin = "an address for each thread";
  c.action = "sum within a warp and a block before the atomic, or spread it over several copies "
             "that are summed after";
  return c;
}

} // namespace

std::vector<ForeignCause> memory_causes() {
  return {uncoalesced(), asked_again(), spilled(), bank_conflicts(), remote_memory(), atomics()};
}

} // namespace ridge::doctor
