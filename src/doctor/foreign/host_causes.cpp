// Causes by which a device has nothing to do.
#include "rows.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

double span_of(const Subject& s) {
  return s.all.run.span;
}
/// The program's time over that without a part of the device's span.
double gain_without(const Subject& s, double seconds) {
  const double whole = std::max(s.all.run.wall, s.all.run.span);
  return whole > seconds ? whole / (whole - seconds) : 1;
}
double mean_launch(const Foreign& all) {
  double launches = 0;
  for (const ForeignKernel& k : all.kernels)
    launches += k.launches;
  return launches > 0 ? all.kernel_seconds() / launches : 0;
}
/// True where the host waits for the device about once a launch.
bool waits_each_time(const ForeignRun& r) {
  return r.launches > 0 && r.waits > 0.5 * r.launches;
}

std::string_view without_time(const Subject& s) {
  return s.all.run.wall > 0 ? "" : "the program's own time is not in the file (run.tsv of --keep)";
}

ForeignCause of_program(std::string_view name, std::string_view title, std::string_view unit,
                        double threshold) {
  ForeignCause c;
  c.name = name;
  c.title = title;
  c.unit = unit;
  c.threshold = threshold;
  c.of = CauseOf::program;
  c.missing = &without_time;
  return c;
}

ForeignCause host_waits() {
  ForeignCause c = of_program(
      "host-waits",
      "the host waits for the device before it launches more: the device then waits for it",
      "of the device's time it is idle, with a wait for each launch or two", 0.1);
  c.evidence = [](const Subject& s) -> Counted {
    const ForeignRun& r = s.all.run;
    if (span_of(s) <= 0 || !waits_each_time(r)) return {};
    return (r.waiting + r.launching + r.outside) / r.span;
  };
  c.gain = [](const Subject& s, double evidence) {
    return gain_without(s, evidence * s.all.run.span);
  };
  c.experiment = "CUDA_LAUNCH_BLOCKING=1 in front of the program: it takes no longer where the "
                 "host waits each time already";
  c.trial = "CUDA_LAUNCH_BLOCKING=1";
  c.trial_gain = 0.95;
  c.twin = "its launches ahead of time";
  c.action =
      "wait once at the end; keep results that decide what comes next on the device; two streams";
  return c;
}

ForeignCause short_launches() {
  ForeignCause c =
      of_program("launches-too-short", "kernels end before the host has launched the next one",
                 "of the device's time it is idle while the host launches", 0.1);
  c.evidence = [](const Subject& s) -> Counted {
    const ForeignRun& r = s.all.run;
    constexpr double most_seconds = 20e-6;
    if (span_of(s) <= 0 || r.launches < 10 || waits_each_time(r) ||
        mean_launch(s.all) > most_seconds)
      return {};
    return (r.launching + r.outside + r.waiting) / r.span;
  };
  c.gain = [](const Subject& s, double evidence) {
    return gain_without(s, evidence * s.all.run.span);
  };
  c.experiment = "the same launches in a CUDA graph (torch.cuda.graph, mode='reduce-overhead'), or "
                 "on more data each";
  c.twin = "its launches as one graph";
  c.action = "fuse kernels, launch them as a graph, or give each more data";
  return c;
}

ForeignCause copies() {
  ForeignCause c = of_program("copies", "data go between host and device while no kernel runs",
                              "of the device's time", 0.1);
  c.evidence = [](const Subject& s) -> Counted {
    return span_of(s) > 0 ? Counted(s.all.run.copying / s.all.run.span) : Counted();
  };
  c.gain = [](const Subject& s, double) { return gain_without(s, s.all.run.copying); };
  c.experiment =
      "run with the copies left out (results are wrong): what the time falls by is what they cost";
  c.twin = "copies from page-locked memory, or beside kernels";
  c.action = "keep data on the device; page-locked memory (cudaMallocHost), cudaMemcpyAsync beside "
             "the kernels";
  return c;
}

/// Where memory is allocated around each launch, what is between these calls belongs to them.
double allocating(const ForeignRun& r) {
  return r.allocating + (r.allocations > 0.5 * r.launches ? r.outside : 0);
}

ForeignCause allocation() {
  ForeignCause c = of_program("allocation", "memory is allocated and freed between kernels",
                              "of the device's time it is idle meanwhile", 0.05);
  c.evidence = [](const Subject& s) -> Counted {
    return span_of(s) > 0 ? Counted(allocating(s.all.run) / s.all.run.span) : Counted();
  };
  c.gain = [](const Subject& s, double) { return gain_without(s, allocating(s.all.run)); };
  c.experiment = "allocate before the loop, or cudaMallocAsync with a pool that keeps its memory: "
                 "the calls go, and the time";
  c.twin = "memory from a pool that keeps it";
  c.action = "allocate once; cudaMallocAsync with a release threshold";
  return c;
}

ForeignCause host_computes() {
  ForeignCause c = of_program("host-computes", "the host does other work between launches",
                              "of the device's time it is idle, outside of CUDA's calls", 0.15);
  c.evidence = [](const Subject& s) -> Counted {
    const bool allocates = s.all.run.allocations > 0.5 * s.all.run.launches;
    if (span_of(s) <= 0 || waits_each_time(s.all.run) || allocates) return {};
    constexpr double short_launch = 20e-6;
    return mean_launch(s.all) > short_launch ? Counted(s.all.run.outside / s.all.run.span)
                                             : Counted();
  };
  c.gain = [](const Subject& s, double) { return gain_without(s, s.all.run.outside); };
  c.experiment =
      "perf record or py-spy of the host's side: its hottest function is what the device waits for";
  c.twin = "its launches ahead of time";
  c.action =
      "launch ahead, prepare the next piece in another thread, or move that work to the device";
  return c;
}

ForeignCause loading() {
  ForeignCause c =
      of_program("kernels-loaded-late", "kernels are loaded or compiled between launches",
                 "of the device's time it is idle meanwhile", 0.1);
  c.evidence = [](const Subject& s) -> Counted {
    return span_of(s) > 0 ? Counted(s.all.run.loading / s.all.run.span) : Counted();
  };
  c.gain = [](const Subject& s, double) { return gain_without(s, s.all.run.loading); };
  c.experiment = "CUDA_MODULE_LOADING=EAGER in front of the program: loading moves to its start";
  c.trial = "CUDA_MODULE_LOADING=EAGER";
  c.trial_gain = 1.03;
  c.trial_of_span = true;
  c.action =
      "a longer run pays once; build for this device's architecture: nothing is compiled when "
      "it loads";
  return c;
}

/// Time over that at the best clock; kernels that memory bounds gain nothing.
double gain_of_clocks(const Subject& s) {
  const CardState& card = s.all.run.card;
  if (card.clock_hz <= 0 || card.best_clock_hz <= card.clock_hz) return 1;
  double faster = 0;
  for (const ForeignKernel& k : s.all.kernels) {
    const Busy busy = busy_of(k.counts);
    const bool by_memory = busy.memory >= busy_enough && busy.memory >= busy.most();
    faster += by_memory ? 0 : k.seconds;
  }
  const ForeignRun& r = s.all.run;
  const double whole = std::max({r.wall, r.span, s.all.kernel_seconds()});
  return gain_without(s, std::min(faster, whole) * (1 - card.clock_hz / card.best_clock_hz));
}
constexpr double least_samples = 10; // a fifth of a second at work
/// Kernels that memory bounds gain nothing by clocks: whether it does must have been counted of
/// one.
std::string_view without_time_or_memory(const Subject& s) {
  const auto& kernels = s.all.kernels;
  const bool counted = std::any_of(kernels.begin(), kernels.end(), [](const ForeignKernel& k) {
    return k.counts.memory_busy.has_value();
  });
  return counted ? without_time(s) : "how busy memory is was not counted of any kernel";
}

ForeignCause power_cap() {
  ForeignCause c = of_program("power-cap", "the limit of the card's power holds its clocks down",
                              "of the time at work the driver says so", 0.2);
  c.evidence = [](const Subject& s) -> Counted {
    const CardState& card = s.all.run.card;
    return card.samples < least_samples ? Counted() : Counted(card.by_power);
  };
  c.gain = [](const Subject& s, double) { return gain_of_clocks(s); };
  c.missing = &without_time_or_memory;
  c.experiment = "nvidia-smi -q -d POWER,PERFORMANCE while it runs: SW Power Cap is active, watts "
                 "are at the limit";
  c.twin = "one warp at work after a rest, for its clock";
  c.action =
      "fewer watts a result: less data moved, lower precision; or a higher limit (nvidia-smi -pl, "
      "as root)";
  return c;
}

ForeignCause clocks_held() {
  ForeignCause c =
      of_program("clocks-held-down", "heat, or a setting, holds the card's clocks down",
                 "of the time at work the driver says so", 0.2);
  c.evidence = [](const Subject& s) -> Counted {
    const CardState& card = s.all.run.card;
    return card.samples < least_samples ? Counted()
                                        : Counted(std::max(card.by_heat, card.by_setting));
  };
  c.gain = [](const Subject& s, double) { return gain_of_clocks(s); };
  c.missing = &without_time_or_memory;
  c.experiment = "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,CLOCK while it runs says which";
  c.twin = "one warp at work after a rest, for its clock";
  c.action = "more air, or a slot of its own; where clocks were set: nvidia-smi -rgc and -rac, as "
             "administrator";
  return c;
}

} // namespace

std::vector<ForeignCause> host_causes() {
  return {host_waits(),    short_launches(), copies(),    allocation(),
          host_computes(), loading(),        power_cap(), clocks_held()};
}

} // namespace ridge::doctor
