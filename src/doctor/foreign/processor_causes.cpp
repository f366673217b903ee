// Causes on a processor: by the system's own accounts of a process, and by perf where it counts.
#include "rows.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

constexpr double cache_line = 64; // bytes

ForeignCause of_processor(std::string_view name, std::string_view title, std::string_view unit,
                          double threshold) {
  ForeignCause c;
  c.name = name;
  c.title = title;
  c.unit = unit;
  c.threshold = threshold;
  c.of = CauseOf::processor;
  c.missing = [](const Subject&) { return std::string_view(); };
  return c;
}
std::string_view without_cycles(const Subject& s) {
  return s.all.run.processor.cycles.value_or(0) > 0 ? "" : "cycles were not counted";
}
/// Times of one event for so many of another.
template <auto Event, auto All, int Many = 1>
Counted share_of(const Subject& s) {
  const ProcessorCounts& p = s.all.run.processor;
  if (!(p.*Event) || (p.*All).value_or(0) <= 0) return {};
  return Many * *(p.*Event) / *(p.*All);
}
/// The cores' time that other programs had: what is missing of it is not the program's fault.
double share_of_others(const ForeignRun& r) {
  return r.cores > 0 && r.wall > 0 ? r.others / (r.wall * r.cores) : 0;
}
/// A program on the cpu: what it does while a GPU works is told by the timeline.
bool is_here(const Subject& s) {
  return s.all.run.wall > 0.05 && s.all.run.span <= 0;
}

/// A program that hardly runs: fewer than this of its seconds does a core work for it. One of ten
/// that share a core has more.
constexpr double hardly = 0.05;
double share_of_core(const ForeignRun& r) {
  return r.cpu / r.wall;
}

ForeignCause waits_outside() {
  ForeignCause c = of_processor(
      "waits-outside",
      "the program hardly runs: it sleeps, or waits for files, input or other programs",
      "of its time a core works for it", hardly);
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    constexpr double long_enough = 0.2; // seconds, beside which a program's start is little
    const ForeignRun& r = s.all.run;
    return is_here(s) && r.wall > long_enough ? Counted(share_of_core(r)) : Counted();
  };
  c.gain = [](const Subject&, double evidence) { return std::min(10.0, 1 / evidence); };
  c.experiment = "strace -f -c -w in front of it: the calls in which its time passes";
  c.unproved = "what it waits for is outside of it, and cannot be taken away";
  c.action = "do other work meanwhile, read and write ahead in a thread, or look at what it waits "
             "for";
  return c;
}

ForeignCause idle_cores() {
  ForeignCause c = of_processor("idle-cores", "cores that the program may use have nothing to do",
                                "of the cores' time is used", 0.6);
  c.above = false;
  c.evidence = [](const Subject& s) -> Counted {
    const ForeignRun& r = s.all.run;
    if (!is_here(s) || r.cores <= 1 || share_of_core(r) < hardly) return {};
    return r.cpu / (r.wall * r.cores) + share_of_others(r);
  };
  c.gain = [](const Subject& s, double evidence) {
    return std::min(s.all.run.cores, within_reach / std::max(evidence, 0.01));
  };
  c.experiment =
      "OMP_NUM_THREADS=1 in front of it: it takes hardly longer where one thread does the work";
  c.trial = "OMP_NUM_THREADS=1";
  c.trial_gain = 0.77;
  c.action = "more threads or ranks; give OpenMP's loops and outer levels the work; bind threads "
             "(OMP_PROC_BIND=close)";
  return c;
}

ForeignCause system_time() {
  ForeignCause c = of_processor(
      "system-time",
      "the system's kernel works for the program: pages, files, processes, or sleeping and waking",
      "of its time is the system's", 0.15);
  c.evidence = [](const Subject& s) -> Counted {
    const ForeignRun& r = s.all.run;
    const bool matters = is_here(s) && r.kernel_cpu > 0.1 * r.wall;
    return matters ? Counted(r.kernel_cpu / r.cpu) : Counted();
  };
  c.gain = [](const Subject& s, double) {
    const ForeignRun& r = s.all.run;
    const double together = std::max(1.0, r.cpu / r.wall); // threads that run at a time
    return 1 / (1 - std::min(0.9, r.kernel_cpu / together / r.wall));
  };
  c.experiment = "MALLOC_TOP_PAD_=268435456 MALLOC_MMAP_MAX_=0 in front of it: faster where fresh "
                 "pages were the reason";
  c.trial = "MALLOC_TOP_PAD_=268435456 MALLOC_MMAP_MAX_=0";
  c.trial_gain = 1.03;
  c.action = "allocate once and keep it; large pages; fewer and larger reads and "
             "writes; fewer processes";
  return c;
}

ForeignCause oversubscribed() {
  ForeignCause c = of_processor("too-many-threads", "threads take turns on cores",
                                "times a second and core a thread is put aside for another", 200);
  c.evidence = [](const Subject& s) -> Counted {
    const ForeignRun& r = s.all.run;
    constexpr double most = 0.1; // above it, others may be what its threads are put aside for
    if (!is_here(s) || r.cores <= 0 || share_of_others(r) > most) return {};
    return r.involuntary / (r.wall * r.cores);
  };
  c.gain = [](const Subject&, double evidence) { return std::min(2.0, 1 + evidence * 100e-6); };
  c.experiment =
      "OMP_NUM_THREADS at the number of cores: it takes no longer where threads took turns";
  c.trial = "OMP_NUM_THREADS=CORES";
  c.trial_gain = 0.97;
  c.action = "as many threads as cores, over all ranks and libraries together";
  return c;
}

ForeignCause waits_for_memory() {
  ForeignCause c = of_processor("waits-for-memory", "cores wait for data that no cache has",
                                "cache misses for a thousand instructions", 10);
  c.evidence = &share_of<&ProcessorCounts::cache_misses, &ProcessorCounts::instructions, 1000>;
  c.missing = [](const Subject& s) -> std::string_view {
    return s.all.run.cpu > 0 ? "" : "the cores' time was not counted (task-clock)";
  };
  c.gain = [](const Subject& s, double) {
    const ForeignRun& r = s.all.run;
    constexpr double of_core =
        12e9; // bytes a second: what one core draws from memory at least, where it is the limit
    const double busy = *r.processor.cache_misses * cache_line / (r.cpu * of_core);
    return 1 / (1 - std::clamp(busy, 0.05, 0.8) / 2);
  };
  c.experiment =
      "the same program on data that fit the cache: the time an item falls by what memory costs";
  c.unproved = "its data are its own: they cannot be made to fit the cache from outside";
  c.action = "smaller types, arrays of each member, blocks that fit the cache, fewer passes";
  return c;
}

ForeignCause branch_misses() {
  ForeignCause c =
      of_processor("branch-misses", "branches go another way than the processor guesses",
                   "of the branches", 0.03);
  c.evidence = &share_of<&ProcessorCounts::branch_misses, &ProcessorCounts::branches>;
  c.gain = [](const Subject& s, double) {
    const ProcessorCounts& p = s.all.run.processor;
    constexpr double cycles = 15; // of a wrong guess
    return 1 / (1 - std::min(cycles * *p.branch_misses / *p.cycles, 0.8));
  };
  c.missing = &without_cycles;
  c.experiment = "the same program on sorted data: the misses that perf counts go, and the time";
  c.unproved = "its data are its own: they cannot be sorted from outside";
  c.action = "sort by branch, or select instead of branching";
  return c;
}

ForeignCause tlb() {
  ForeignCause c = of_processor("tlb-misses",
                                "addresses are spread over more pages than the processor remembers",
                                "misses for a thousand loads", 5);
  c.evidence = &share_of<&ProcessorCounts::tlb_misses, &ProcessorCounts::loads, 1000>;
  c.gain = [](const Subject& s, double) {
    const ProcessorCounts& p = s.all.run.processor;
    constexpr double cycles = 20; // of a walk through the page table that caches hold
    return 1 / (1 - std::min(cycles * *p.tlb_misses / *p.cycles, 0.8));
  };
  c.missing = &without_cycles;
  c.experiment =
      "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in front of it: large pages, and fewer misses";
  c.trial = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
  c.trial_gain = 1.03;
  c.action = "large pages; arrays walked along their fastest index";
  return c;
}

ForeignCause other_node() {
  ForeignCause c = of_processor("remote-node", "data lie at another processor's memory",
                                "of the loads from memory", 0.2);
  c.evidence = &share_of<&ProcessorCounts::node_misses, &ProcessorCounts::node_loads>;
  c.gain = [](const Subject&, double evidence) { return 1 + 0.5 * std::min(evidence, 1.0); };
  c.experiment =
      "numactl --interleave=all, or one rank a node under numactl --cpunodebind --membind";
  c.trial = "numactl --interleave=all";
  c.trial_gain = 1.03;
  c.action = "let each thread write its part of the data first; bind threads and ranks";
  return c;
}

} // namespace

std::vector<ForeignCause> processor_causes() {
  return {waits_outside(),    idle_cores(),    system_time(), oversubscribed(),
          waits_for_memory(), branch_misses(), tlb(),         other_node()};
}

} // namespace ridge::doctor
