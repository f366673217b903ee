// The profilers that are here, run over a program of the user's.
#pragma once

#include <ridge/doctor/foreign/say.hpp>

#include "spawn.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::app {

/// A program to run under profilers, and the folder that keeps what they write; empty: none does.
struct Profiled {
  std::vector<std::string> words;
  std::string keep;
};

/// Adds a note, where there is one.
inline void note(doctor::ForeignRun& run, std::string text) {
  if (!text.empty()) run.notes.push_back(std::move(text));
}

/// What `ridge doctor --from` reads: a report of ncu, CSV of ncu, rocprof, rocprofv3 or
/// rocprof-compute, what perf wrote or printed, or a timeline that was kept. Throws UsageError for
/// other files.
[[nodiscard]] doctor::Foreign read_profiler_file(const std::string& file);

/// The timeline of the program's kernels, copies and calls; empty where there is none, and why in
/// its notes. `run` runs the program with these variables set.
[[nodiscard]] doctor::Foreign timeline_of(const Profiled& program,
                                          const std::function<void(const Environment&)>& run);

/// True where the driver loaded the recorder of timelines into a program that ran with these
/// variables.
[[nodiscard]] bool is_recorded(const Environment& variables);

/// Counts launches of the kernels that are asked for, by ncu. Failures to count, and how counting
/// is allowed, goes to the notes.
void count_by_ncu(const Profiled& program, const doctor::ForeignAsked& asked, doctor::Foreign& all);

/// Kernels and counts by rocprofv3.
void count_by_rocprof(const Profiled& program, doctor::Foreign& all);

/// Functions and counts by perf: a run each, or with `at_once` one for both, in which what perf
/// does to sample is counted, too.
void count_by_perf(const Profiled& program, bool at_once, doctor::Foreign& all);

/// Why this report of ncu has no counters, and how they are allowed where they are forbidden.
[[nodiscard]] std::string why_not_counted(const std::string& report);

/// True where there is a device of this maker, or a profiler was named for it (RIDGE_NCU,
/// RIDGE_ROCPROFV3).
[[nodiscard]] bool has_nvidia();
[[nodiscard]] bool has_amd();

} // namespace ridge::app
