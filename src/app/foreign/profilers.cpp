#include "profilers.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/doctor/foreign/kept.hpp>
#include <ridge/doctor/foreign/perf.hpp>
#include <ridge/doctor/foreign/timeline.hpp>
#include <ridge/launch/process.hpp>

#include "../../core/refuse.hpp"
#include "files.hpp"
#include "spawn.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace ridge::app {

namespace {

namespace fs = std::filesystem;
using doctor::Foreign, doctor::ForeignKernel;
using Words = std::vector<std::string>;

std::string find_ncu() {
  const char* const home = std::getenv("CUDA_HOME");
  return profiler("RIDGE_NCU",
                  {"ncu", fmt::format("{}/bin/ncu", home != nullptr ? home : "/usr/local/cuda")});
}
std::string find_rocprof() {
  return profiler("RIDGE_ROCPROFV3", {"rocprofv3", "/opt/rocm/bin/rocprofv3"});
}
std::string find_perf() {
  return profiler("RIDGE_PERF", {"perf"});
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

constexpr const char* allow_ncu =
    "the driver lets only administrators count (ERR_NVGPUCTRPERM): an administrator loads it with "
    "NVreg_RestrictProfilingToAdminUsers=0 (/etc/modprobe.d), or runs this as root or with "
    "CAP_SYS_ADMIN; "
    "what follows is by times alone";
constexpr const char* allow_perf = "perf may not count here: an administrator sets sysctl "
                                   "kernel.perf_event_paranoid=1, or gives the container "
                                   "CAP_PERFMON; what follows is by times alone";

/// ncu's first error, or nothing.
std::string error_of(const std::string& report) {
  const auto at = report.find("==ERROR==");
  return at == std::string::npos ? "" : report.substr(at + 10, report.find('\n', at) - at - 10);
}

/// A regular expression for exactly these names.
std::string one_of(const std::vector<const ForeignKernel*>& kernels) {
  std::string all;
  for (const ForeignKernel* const k : kernels) {
    all += all.empty() ? "" : "|";
    for (const char c : k->raw_name)
      all += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? std::string(1, c)
                                                                          : fmt::format("\\{}", c);
  }
  return "^(" + all + ")$";
}

/// Reads all timelines of a folder: the process with most time in kernels, and a note on the
/// others.
Foreign longest_timeline(const std::string& folder, const Profiled& program) {
  Foreign longest;
  std::string of_longest;
  int processes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    Foreign one = doctor::read_timeline(content(entry.path().string()));
    if (one.run.span <= 0) continue;
    ++processes;
    if (one.kernel_seconds() < longest.kernel_seconds()) continue;
    longest = std::move(one);
    of_longest = entry.path().string();
  }
  if (processes > 0) keep_file(program, of_longest, "timeline.tsv");
  if (processes > 1)
    longest.run.notes.push_back(fmt::format(
        "{} processes used the device; this is the one with most time in kernels", processes));
  return longest;
}

/// Functions by their share of the samples, as times of the program.
void take_functions(Foreign& all, const std::string& report) {
  Foreign found;
  if (!doctor::read_perf(report, found)) return;
  all.kernels = std::move(found.kernels);
  const double shown = found.run.cpu > 0 ? found.run.cpu : 1;
  for (ForeignKernel& k : all.kernels)
    k.seconds *= all.run.cpu / shown;
}

/// Counts of ncu or rocprofv3 beside a timeline; where there is none they have times, too.
void take_counted(Foreign& all, const std::string& report) {
  if (report.empty()) return;
  const Foreign counts = doctor::read_foreign(report);
  all.run.device_name = counts.run.device_name;
  if (all.kernels.empty())
    all.kernels = counts.kernels;
  else
    add_counts(all, counts);
}

/// Tables that AMD's profilers left in a folder, of each folder within it the largest: passes over
/// the program that counted, whose launches have the same numbers, else a trace or the times of
/// --stats. Empty where there is none.
std::string tables_of_amd(const std::string& folder) {
  for (const char* const kind :
       {"counter_collection.csv", "pmc_perf.csv", "kernel_trace.csv", "kernel_stats.csv"}) {
    std::map<fs::path, fs::path> largest; // by folder
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& file = entry.path();
      if (!entry.is_regular_file() || !file.filename().string().ends_with(kind)) continue;
      fs::path& best = largest[file.parent_path()];
      if (best.empty() || fs::file_size(best) < entry.file_size()) best = file;
    }
    std::string all;
    for (const auto& [place, file] : largest)
      all += content(file.string()) + "\n";
    if (!all.empty()) return all;
  }
  return {};
}

/// Reads a program from the folder of --keep: its timeline, its counters, and all else that was
/// found.
Foreign read_kept(const std::string& folder) {
  const auto kept = [&](const char* name) { return content((fs::path(folder) / name).string()); };
  const std::string timeline = kept("timeline.tsv"), run = kept("run.tsv");
  std::string counted = kept("ncu.csv") + kept("rocprof.csv");
  if (timeline.empty() && counted.empty() && run.empty()) counted = tables_of_amd(folder);
  refuse_if(timeline.empty() && counted.empty() && run.empty(),
            "--from {}: the folder has no timeline.tsv, no ncu.csv and no run.tsv, as --keep "
            "writes them, and no table of rocprofv3 or rocprof-compute",
            folder);
  Foreign all = doctor::read_timeline(timeline);
  all.run.card = doctor::read_card(kept("card.tsv"));
  try {
    take_counted(all, counted);
  } catch (const UsageError&) {
    if (run.empty()) throw; // else its notes say why nothing was counted
  }
  (void)doctor::read_perf(kept("perf.csv"), all);
  doctor::take_run(all, run);
  take_functions(all, kept("perf.txt"));
  doctor::add_spill_lines(all, doctor::read_spill_lines(kept("spills.tsv")));
  return all;
}

/// The text of perf's report of a recording.
std::string report_of_perf(const std::string& file) {
  return launch::run_command({find_perf(), "report", "--stdio", "--no-children", "-i", file},
                             fs::current_path().string())
      .report;
}

} // namespace

std::string why_not_counted(const std::string& report) {
  return report.find("ERR_NVGPUCTRPERM") != std::string::npos ? allow_ncu : error_of(report);
}

bool has_nvidia() {
  return std::getenv("RIDGE_NCU") != nullptr || access("/dev/nvidiactl", F_OK) == 0 ||
         access("/dev/dxg", F_OK) == 0;
}
bool has_amd() {
  return std::getenv("RIDGE_ROCPROFV3") != nullptr ||
         (access("/dev/kfd", F_OK) == 0 && !find_rocprof().empty());
}

bool is_recorded(const Environment& variables) {
  for (const auto& [name, value] : variables)
    if (name == "RIDGE_TIMELINE") return !fs::is_empty(value);
  return false;
}

Foreign timeline_of(const Profiled& program, const std::function<void(const Environment&)>& run) {
  const std::string library = library_folder() + "/ridge/ridge_timeline.so";
  Foreign none;
  if (access(library.c_str(), R_OK) != 0) {
    run({});
    none.run.notes.emplace_back(
        "no timeline: this Ridge was built without CUPTI's header (cupti.h of the CUDA toolkit)");
    return none;
  }
  const Scratch folder;
  const Environment variables{{"CUDA_INJECTION64_PATH", library},
                              {"RIDGE_TIMELINE", folder.file()}};
  run(variables);
  Foreign found = longest_timeline(folder.file(), program);
  const bool is_cuda = is_recorded(variables);
  constexpr double start = 0.1; // seconds, at most
  if (is_cuda) found.run.recording = start + found.run.record_seconds;
  if (is_cuda && found.run.device.empty()) found.run.device = "cuda:0";
  if (found.run.span > 0) return found;
  std::uintmax_t written = 0;
  for (const auto& entry : fs::directory_iterator(folder.file()))
    written += entry.file_size();
  found.run.notes.emplace_back(
      !is_cuda      ? "the program did not start CUDA"
      : written > 0 ? "the program ran no kernel and no copy on a GPU"
                    : "no timeline: libcupti.so is not here (pip install nvidia-cuda-cupti, or set "
                      "RIDGE_CUPTI to it)");
  return found;
}

void count_by_ncu(const Profiled& program, const doctor::ForeignAsked& asked, Foreign& all) {
  const std::string ncu = find_ncu();
  if (ncu.empty()) {
    all.run.notes.emplace_back(
        "ncu is not here: install Nsight Compute (nsight-compute of the CUDA toolkit), or set "
        "RIDGE_NCU to it; what follows is by times alone");
    return;
  }
  const Scratch folder;
  const std::string log = folder.file("report.csv");
  Words which{"--launch-count",
              "50"}; // no timeline: the first launches say where the time goes, too
  if (!all.kernels.empty()) {
    const auto kernels = chosen(all, asked);
    double fewest = kernels.front()->launches;
    for (const ForeignKernel* const k : kernels)
      fewest = std::min(fewest, k->launches);
    // Not the first launch of each, where there are more: caches are warm, and what it is given is
    // as usual.
    const int number = std::clamp(static_cast<int>(fewest), 1, 3);
    which = {"--kernel-name-base", "mangled", "--kernel-id",
             fmt::format("::regex:{}:{}", one_of(kernels), number)};
    if (asked.quick) which = joined(which, {"--launch-count", fmt::format("{}", kernels.size())});
  }
  const auto count = [&](const std::string& metrics) {
    fs::remove(log);
    const Words command =
        joined({ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base",
                "mangled", "--target-processes", "all", "--clock-control", "none", "--metrics",
                metrics, "--kill", asked.quick ? "yes" : "no", "--log-file", log},
               which);
    return run_program(joined(command, program.words), Shown::nowhere);
  };
  Ended ended = count(doctor::foreign_ncu_metrics());
  std::string report = content(log);
  // A GPU without some of the counters: ncu names them, and counts nothing.
  if (const std::string rest = doctor::foreign_ncu_metrics(report);
      report.find("Kernel Name") == std::string::npos && rest != doctor::foreign_ncu_metrics()) {
    ended = count(rest);
    report = content(log);
  } else if (!all.kernels.empty() && report.find("No kernels were profiled") != std::string::npos) {
    // Launches that are numbered otherwise, as in graphs: the first ones of these names.
    which = {"--kernel-name-base", "mangled",
             "--kernel-name",      "regex:" + one_of(chosen(all, asked)),
             "--launch-count",     "4"};
    ended = count(rest);
    report = content(log);
  }
  keep_file(program, log, "ncu.csv");
  if (report.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    all.run.notes.emplace_back(allow_ncu);
    return;
  }
  try {
    const Foreign counted = doctor::read_foreign(report);
    if (all.kernels.empty())
      all.kernels = counted.kernels;
    else
      add_counts(all, counted);
  } catch (const Error& error) {
    const std::string said = error_of(report);
    all.run.notes.push_back(fmt::format("ncu counted nothing ({}): {}", to_text(ended),
                                        said.empty() ? error.what() : said));
  }
}

void count_by_rocprof(const Profiled& program, Foreign& all) {
  const std::string rocprof = find_rocprof();
  if (rocprof.empty()) {
    all.run.notes.emplace_back(
        "rocprofv3 is not here: install rocprofiler-sdk of ROCm; what follows is by times alone");
    return;
  }
  const Scratch folder;
  const Ended ended =
      run_program(joined({rocprof, "--pmc", "FETCH_SIZE", "WRITE_SIZE", "L2CacheHit",
                          "--output-format", "csv", "-d", folder.file(), "-o", "counted", "--"},
                         program.words),
                  Shown::nowhere);
  for (const auto& entry : fs::recursive_directory_iterator(folder.file())) {
    if (!entry.path().filename().string().ends_with("counter_collection.csv")) continue;
    all.kernels = doctor::read_foreign(content(entry.path().string())).kernels;
    keep_file(program, entry.path().string(), "rocprof.csv");
    return;
  }
  all.run.notes.push_back(fmt::format("rocprofv3 left no counters ({})", to_text(ended)));
}

void count_by_perf(const Profiled& program, bool at_once, Foreign& all) {
  const std::string perf = find_perf();
  if (perf.empty()) {
    all.run.notes.emplace_back(
        "perf is not here: install linux-perf (Debian) or linux-tools (Ubuntu); what follows is "
        "by times alone");
    return;
  }
  const Scratch folder;
  const std::string counts = folder.file("counts"), samples = folder.file("samples");
  const Words count{perf, "stat", "-x,", "-o", counts, "-e", doctor::perf_events(), "--"};
  const Words sample{perf, "record", "-q", "-F", "199", "-o", samples, "--"};
  const auto run = [&](const Words& under) {
    return run_program(joined(under, program.words), Shown::nowhere);
  };
  const Ended counting = run(at_once ? joined(count, sample) : count);
  keep_file(program, counts, "perf.csv");
  Foreign found;
  found.run = all.run;
  const bool any = doctor::read_perf(content(counts), found);
  if (!any) all.run.notes.emplace_back(allow_perf);
  if (any) note(all.run, note_of_another_run("under perf", counting, all.run.cpu));
  all.run.processor = found.run.processor;
  if (any && !found.run.processor.cycles)
    all.run.notes.emplace_back("the system sees no counters of this processor (a virtual machine "
                               "must be given them): misses "
                               "of caches, branches and the TLB are not known");
  const Ended sampled = at_once ? counting : run(sample);
  if (sampled.status != 0) return;
  const std::string report = report_of_perf(samples);
  keep_text(program.keep, report, "perf.txt");
  take_functions(all, report);
  constexpr double many = 0.1; // seconds, in which perf takes twenty samples
  if (all.kernels.empty() && sampled.user + sampled.system > many)
    note(all.run, "perf took no samples: no process of it used a core for long enough (5 ms)");
}

Foreign read_profiler_file(const std::string& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) return read_kept(file);
  refuse_if(!fs::is_regular_file(file, none), "--from {}: there is no such file", file);
  std::string text = content(file);
  if (text.starts_with("NVR")) { // a report of ncu
    const std::string ncu = find_ncu();
    fail_if(ncu.empty(),
            "{} takes ncu to be read, which is not here: install Nsight Compute, set RIDGE_NCU, or "
            "give what ncu --import {} --csv --page raw prints",
            file, file);
    text = launch::run_command(
               {ncu, "--import", file, "--csv", "--page", "raw", "--print-units", "base"},
               fs::current_path().string())
               .report;
  } else if (text.starts_with("PERFILE2")) {
    fail_if(find_perf().empty(), "{} takes perf to be read, which is not here", file);
    text = report_of_perf(file);
    if (Foreign found; !doctor::read_perf(text, found))
      throw UsageError(fmt::format("--from {}: perf finds no samples in it: {}", file,
                                   text.substr(0, text.find('\n'))));
  }
  Foreign all = doctor::read_timeline(text);
  if (all.run.span > 0) return all;
  if (doctor::read_perf(text, all)) {
    all.run.device = "cpu";
    return all;
  }
  try {
    return doctor::read_foreign(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--from {}: {}", file, error.what()));
  }
}

} // namespace ridge::app
