// A kernel that is not Ridge's, as a profiler saw it: how often and how long it ran, and what was
// counted of a launch.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::doctor {

using Counted = std::optional<double>;

/// Counters of one launch; those that no profiler gave are absent. Bytes, seconds and counts are
/// of the whole launch, shares are 0 to 1.
struct LaunchCounts {
  // How it was launched, and what a unit (multiprocessor, compute unit) has room for.
  Counted blocks, block_threads, registers, shared_bytes, units, clock_hz, best_clock_hz;
  Counted scratch_bytes; ///< of a thread: AMD's scratch
  Counted blocks_by_registers, blocks_by_shared, blocks_by_slots, blocks_by_warps; ///< of a unit
  Counted warps; ///< share of the warps a unit can hold that were there, mean while it had any
  Counted active_cycles, active_cycles_max,
      elapsed_cycles; ///< of a unit: mean, most, of the launch
  // Memory.
  Counted bytes_read, bytes_written; ///< from and to memory
  Counted memory_busy, cache_busy,
      unit_cache_busy; ///< of peak: DRAM, last-level cache, the units' own cache
  Counted cache_sectors, cache_hits, cache_hit_rate; ///< of the last-level cache
  Counted cache_bytes;                               ///< that it holds
  Counted asked_sectors, host_sectors,
      peer_sectors; ///< what units asked of it, and of that where the data lie
  Counted load_sectors, load_requests, store_sectors, store_requests; ///< of global memory
  Counted load_used, store_used; ///< share of a sector's bytes that lanes use
  Counted atomic_sectors, atomic_requests,
      atomic_busy;       ///< `atomic_busy`: of the busiest part of the cache
  Counted local_sectors; ///< registers and local arrays that are in memory
  Counted shared_passes, shared_conflicts,
      shared_busy; ///< accesses of shared memory, and those that conflicts add
  // Parts of these, as AMD's raw counters have them.
  Counted read_requests, read_requests_of_32, read_requests_of_128; ///< all, of so many bytes
  Counted write_requests, write_requests_of_64, cache_misses;
  Counted lane_cycles, vector_cycles, wave_lanes; ///< of lanes that work, of vector instructions
  // Instructions.
  Counted instructions, thread_instructions;
  Counted issue_busy, eligible_warps;
  Counted lanes; ///< share of a warp's lanes that are active in an instruction
  Counted fp64_busy, fp32_busy, integer_busy, special_busy, tensor_busy; ///< pipes, of peak
  Counted fp64_operations, fp32_operations, conversions; ///< instructions of threads
  Counted fp64_fused, fp32_fused;
  // Warps that wait, a warp's instruction, by what they wait for.
  Counted wait_all, wait_memory, wait_shared, wait_result, wait_barrier, wait_fence,
      wait_memory_queue, wait_shared_queue, wait_pipe, wait_branch, wait_code;

  /// Operations; nothing where they were not counted.
  [[nodiscard]] Counted flops() const;
  /// Bytes to and from memory.
  [[nodiscard]] Counted bytes() const;
  /// Share of the warps that a unit can hold which the launch allows; by what, where it is given.
  [[nodiscard]] Counted warps_allowed() const;
};

/// A name that a profiler gives a count, which member it is, and how much one of it is.
struct CountName {
  std::string_view name;
  Counted LaunchCounts::*member;
  double unit = 1;
  bool adds = false; ///< counts of several names are one member
};
/// All names that are known: of ncu, of rocprof, rocprofv3 and rocprof-compute.
[[nodiscard]] const std::vector<CountName>& count_names();
/// ncu's metrics among them, as --metrics takes them, but for those that `refused` names: not every
/// GPU has all.
[[nodiscard]] std::string foreign_ncu_metrics(std::string_view refused = {});

/// A line of a program's source whose instructions keep values of threads in memory.
struct SpillLine {
  std::string file;
  int line = 0;
  int stores = 0, loads = 0; ///< instructions, not how often they run
};

/// The time of a twin: a kernel made here like a launch, with its blocks, registers, requests,
/// bytes; or launches, copies, allocations like those of a program.
struct TwinRun {
  std::string cause;                       ///< that the change takes away
  std::string what;                        ///< the twin: "16 B a lane, 255 registers"
  std::string change;                      ///< "256 threads a block"
  double seconds = 0, changed_seconds = 0; ///< 0: it is not about times
  double gain = 0;     ///< of the program, or of a clock; 0: of the twin's own seconds
  double likeness = 0; ///< its time over that of the program's part; 0: not compared
  std::string missing; ///< why it did not run; empty where it did

  [[nodiscard]] double gained() const {
    return gain > 0 ? gain : changed_seconds > 0 ? seconds / changed_seconds : 1;
  }
};

/// A kernel (on a cpu: a function or the whole program), its launches together.
struct ForeignKernel {
  std::string name;     ///< as people read it
  std::string raw_name; ///< mangled, where it is known
  double launches = 0;
  double seconds = 0;            ///< of all launches together
  double shortest = 0;           ///< seconds of the shortest launch; 0: not known
  std::string shape;             ///< "(100,1,1) x (256,1,1)"
  LaunchCounts counts;           ///< of one launch
  std::string counted_by;        ///< "ncu", "rocprofv3"; empty: nothing was counted
  Counted launch_seconds;        ///< of the launch that was counted
  std::vector<SpillLine> spills; ///< most instructions first
  std::vector<TwinRun> twins;

  [[nodiscard]] double mean() const { return launches > 0 ? seconds / launches : 0; }
};

/// Counters of a program on a processor, by perf.
struct ProcessorCounts {
  Counted cycles, instructions, branches, branch_misses, cache_misses, tlb_misses, loads,
      node_loads, node_misses;
};

/// A GPU's power and clocks while a program ran, by samples in which it was not idle.
struct CardState {
  double samples = 0;
  double watts = 0, most_watts = 0, limit_watts = 0;
  double clock_hz = 0, best_clock_hz = 0; ///< mean, and what it is made for
  double celsius = 0;                     ///< most
  double by_power = 0, by_heat = 0,
         by_setting = 0; ///< shares of the samples that it held clocks down
};

/// Time of a program beside its kernels, from a timeline. Seconds.
struct ForeignRun {
  ProcessorCounts processor;
  double wall = 0;       ///< of the program; 0: it did not run here
  double recording = 0;  ///< of these, at most: what recording the timeline took; 0: undisturbed
  double cpu = 0;        ///< of all its threads
  double kernel_cpu = 0; ///< of these, in the system's kernel
  double faults = 0, switches = 0, involuntary = 0; ///< page faults, context switches of both kinds
  double most_bytes = 0;                            ///< of the host's memory
  double cores = 0;                                 ///< that the program may use
  double others = 0; ///< seconds that other programs had these cores meanwhile

  double span = 0;    ///< from the first activity of the device to the last; 0: no timeline
  double busy = 0;    ///< of the span, in which a kernel ran
  double copying = 0; ///< of the span, in which data were copied and no kernel ran
  double idle = 0;    ///< of the span, in which neither was
  /// Of `idle`: what the host did, by CUDA's calls. `outside`: no call of CUDA.
  double waiting = 0, allocating = 0, launching = 0, loading = 0, outside = 0;
  double launches = 0, waits = 0, allocations = 0; ///< calls
  double record_seconds = 0;                       ///< at most, to record the timeline's lines
  double copies = 0, copied_bytes = 0, pageable_bytes = 0, copy_seconds = 0;
  double device_bytes = 0; ///< most that was allocated on the device at once; 0: not known
  std::string device, device_name;
  CardState card;
  /// Seconds that the doctor took, by what for; the program's own run is not among them.
  std::vector<std::pair<std::string, double>> taken;
  std::vector<std::string> notes; ///< what could not be found out, and why
  /// By a cause's name: the time without what its experiment sets, over that with it.
  std::map<std::string, double, std::less<>> trials;
  std::vector<TwinRun> twins; ///< of what it does around its kernels
};

/// A program and its kernels, the largest share of time first.
struct Foreign {
  ForeignRun run;
  std::vector<ForeignKernel> kernels;
  double peak_bytes_per_second =
      0; ///< of memory: measured here, or what the counters take for its peak
  double read_bytes_per_second = 0; ///< of memory that is only read, where it was measured
  std::string peak_name;            ///< "a copy here" or "memory's peak"
  [[nodiscard]] double kernel_seconds() const;
  /// False where kernels are functions on a processor of which shares of samples alone are known.
  [[nodiscard]] bool has_times() const { return run.device != "cpu" || run.cpu > 0; }
  /// Seconds that pass in a launch; on a cpu in a function's calls, whose threads work at a time:
  /// its share of the samples of the program's time, where that is known.
  [[nodiscard]] double passed(const ForeignKernel& kernel) const;
  /// Share of memory's peak that can be reached by a kernel that hardly writes, or reads and
  /// writes.
  [[nodiscard]] double peak_of(const ForeignKernel& kernel) const;
};

/// Kernels of a profiler's file: ncu's CSV (any page), rocprof, rocprofv3 or rocprof-compute CSV
/// (counters, a trace, or times alone of --stats), in which launches of one name are one kernel,
/// whose longest launch is the one that is counted. Throws UsageError for other texts, and for a
/// file that says neither times nor counters.
[[nodiscard]] Foreign read_foreign(std::string_view text);

/// Adds what `counted` has of kernels that `all` knows, by their names.
void add_counts(Foreign& all, const Foreign& counted);

/// "void f(int)" of "_Z1fi"; other names as they are.
[[nodiscard]] std::string readable_name(const std::string& name);

/// "flux<double>" of "void flux<double>(double*, int)": without parameters and result.
[[nodiscard]] std::string short_name(const std::string& name);

} // namespace ridge::doctor
