#include "command.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/device.hpp>
#include <ridge/doctor/cause.hpp>
#include <ridge/doctor/foreign/kept.hpp>
#include <ridge/launch/process.hpp>
#include <ridge/record/roof_source.hpp>

#include "../../core/refuse.hpp"
#include "../../io/output_file.hpp"
#include "../kernel_options.hpp"
#include "card.hpp"
#include "cores.hpp"
#include "files.hpp"
#include "profilers.hpp"
#include "program_twins.hpp"
#include "spawn.hpp"
#include "spill_source.hpp"
#include "twins.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace ridge::app {

namespace {

using doctor::Foreign, doctor::ForeignAsked, doctor::ForeignKernel;

/// Memory's peak by the counters of the kernel that comes closest to it.
void take_counted_peak(Foreign& all) {
  double most_busy = 0.02; // less says too little
  for (const ForeignKernel& k : all.kernels) {
    const double seconds = k.launch_seconds.value_or(0), busy = k.counts.memory_busy.value_or(0);
    if (seconds <= 0 || busy <= most_busy || !k.counts.bytes()) continue;
    most_busy = busy;
    all.peak_bytes_per_second = *k.counts.bytes() / seconds / busy;
    all.peak_name = "memory's peak";
  }
}

/// Measures what a copy reaches on the device, where Ridge has kernels for it.
void take_measured_peak(Foreign& all) {
  try {
    const Device device = named_device(all.run.device);
    all.run.device_name = device.facts().name;
    RoofSource roof(device, true);
    if (const Ceiling* const copy = roof.find("copy")) {
      all.peak_bytes_per_second = copy->value;
      all.peak_name = "a copy here";
    }
    if (const Ceiling* const read = roof.find("read")) all.read_bytes_per_second = read->value;
  } catch (const Error& error) {
    all.run.notes.push_back(fmt::format("no roof was measured: {}", error.what()));
  }
}

void take_usage(doctor::ForeignRun& run, const Ended& ended, double worked) {
  run.wall = ended.seconds;
  run.cpu = ended.user + ended.system;
  run.kernel_cpu = ended.system;
  run.faults = ended.faults;
  run.switches = ended.switches;
  run.involuntary = ended.involuntary;
  run.most_bytes = ended.most_bytes;
  run.cores = CoresHere().count();
  run.others = std::max(0.0, std::min(worked, run.wall * run.cores) - run.cpu);
}

class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  /// Seconds since the last lap.
  double lap() {
    const double passed = seconds();
    begin_ = Clock::now();
    return passed;
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// Where the program fails that is what there is to say, with its exit code.
Ended ended_well(const std::vector<std::string>& program, const Ended& ended) {
  if (ended.status != 0) {
    throw Error(static_cast<ExitCode>(ended.status),
                fmt::format("{} ended with {} after {}; a program that fails is not examined",
                            program.front(), to_text(ended), to_text(Seconds{ended.seconds})));
  }
  return ended;
}

Ended run_shown(const std::vector<std::string>& program, bool json, const Environment& more = {}) {
  return run_program(program, json ? Shown::on_stderr : Shown::as_is, more);
}

/// A run of the program, and what its cores and the card did meanwhile.
struct Watched {
  Ended ended;
  double worked = 0;
  doctor::CardState card;

  [[nodiscard]] double cpu() const { return ended.user + ended.system; }
};

template <class Run>
Watched watched(const Run& run) {
  CardWatch card;
  const CoresHere cores;
  Watched w;
  w.ended = run();
  w.worked = cores.worked();
  w.card = card.end();
  return w;
}

/// Runs the program with its timeline recorded. Where the recorder was loaded, and it fails, it
/// runs once more without: its exit code is its own.
Foreign run_recorded(const Profiled& program, bool json, Watched& own) {
  std::string failed;
  Foreign all = timeline_of(program, [&](const Environment& more) {
    own = watched([&] { return run_shown(program.words, json, more); });
    if (own.ended.status == 0 || !is_recorded(more)) return;
    failed = fmt::format("while its timeline was recorded it ended with {}", to_text(own.ended));
    fmt::print(stderr, "ridge: {}: {}; it runs once more without\n", program.words.front(), failed);
    own = watched([&] { return run_shown(program.words, json); });
  });
  (void)ended_well(program.words, own.ended);
  if (failed.empty()) return all;
  Foreign none;
  none.run.device = "cuda:0";
  none.run.notes.push_back("no timeline: " + failed);
  return none;
}

/// Runs the program for its time and its timeline. Where recording that may have taken more than a
/// little of its time it runs once more without, but not with --quick.
Foreign run_for_timeline(const Profiled& program, const ForeignAsked& asked, bool json) {
  Watched own;
  Foreign all = run_recorded(program, json, own);
  constexpr double little = 0.05;
  if (!asked.quick && all.run.recording > little * own.ended.seconds) {
    const Watched alone =
        watched([&] { return run_program(program.words, Shown::nowhere, Environment{}); });
    const std::string differs = note_of_another_run("without its timeline", alone.ended, own.cpu());
    note(all.run, differs);
    if (differs.empty()) {
      all.run.taken.emplace_back("timeline", own.ended.seconds);
      all.run.recording = 0;
      own = alone;
    }
  }
  take_usage(all.run, own.ended, own.worked);
  all.run.card = own.card;
  return all;
}

/// Counts of a GPU's profiler for the kernels that the timeline has.
void count_kernels(const Profiled& program, const ForeignAsked& asked, Foreign& all) {
  Stopwatch time;
  const bool only_copies = all.run.span > 0 && all.kernels.empty();
  const bool is_cuda = !all.run.device.empty() || std::getenv("RIDGE_NCU") != nullptr;
  if (is_cuda && !only_copies) {
    count_by_ncu(program, asked, all);
    all.run.taken.emplace_back("counters", time.lap());
    find_spill_lines(program, asked, all);
  }
  if (all.run.span <= 0 || asked.quick) return;
  (void)time.lap();
  take_measured_peak(all);
  all.run.taken.emplace_back("roof", time.lap());
}

Foreign examine_program(const std::vector<std::string>& words, const ForeignAsked& asked, bool json,
                        const std::string& keep) {
  const Profiled program{words, keep};
  Foreign all;
  if (has_nvidia()) {
    all = run_for_timeline(program, asked, json);
    count_kernels(program, asked, all);
  } else {
    const CoresHere cores;
    const Ended ended = ended_well(words, run_shown(words, json));
    take_usage(all.run, ended, cores.worked());
    if (has_amd()) count_by_rocprof(program, all);
  }
  if (all.run.span <= 0 && all.kernels.empty()) {
    all.run.device = "cpu";
    all.run.card = {};                // what it does meanwhile is not the program's
    constexpr double long_enough = 2; // seconds, beside which perf's own work is little
    count_by_perf(program, asked.quick || all.run.wall > long_enough, all);
    if (asked.bytes > 0 && !asked.quick) take_measured_peak(all);
  }
  return all;
}

/// The program as an experiment runs it: with variables set, or under a command.
struct Trial {
  Environment set;
  std::vector<std::string> words;

  Trial(const std::vector<std::string>& program, std::string_view trial) : words(program) {
    std::stringstream all{std::string(trial)};
    std::vector<std::string> command;
    for (std::string word; all >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || !command.empty()) {
        command.push_back(word);
        continue;
      }
      std::string value = word.substr(equals + 1);
      if (value == "CORES") value = fmt::format("{}", CoresHere().count());
      set.emplace_back(word.substr(0, equals), value);
    }
    words.insert(words.begin(), command.begin(), command.end());
  }

  /// The program's seconds, or those of its timeline; 0 where it fails, or has none.
  [[nodiscard]] double seconds(bool of_span) const {
    const auto run = [&](const Environment& more) {
      Environment both = set;
      both.insert(both.end(), more.begin(), more.end());
      const Ended ended = run_program(words, Shown::nowhere, both);
      return ended.status == 0 ? ended.seconds : 0;
    };
    if (!of_span) return run({});
    double ran = 0;
    const Foreign all = timeline_of({words, ""}, [&](const Environment& more) { ran = run(more); });
    return ran > 0 ? all.run.span : 0;
  }
};

/// Runs the program once more for each cause whose experiment that is. Says which did not confirm
/// it.
std::string run_trials(const std::vector<std::string>& program, Foreign& all) {
  std::string unproved;
  for (const doctor::ForeignDiagnosis& d : diagnose_run(all)) {
    const doctor::ForeignCause& c = *d.cause;
    if (c.trial.empty()) continue;
    const Trial trial(program, c.trial);
    const std::string& command = trial.words.front();
    if (launch::find_program(command).empty()) {
      note(all.run, fmt::format("{} was not tried: {} is not here", c.name, command));
      continue;
    }
    const double before = c.trial_of_span ? all.run.span : all.run.wall;
    const double after = trial.seconds(c.trial_of_span);
    if (after <= 0) {
      note(all.run, fmt::format("{} was not proved: with {} the program failed, or had no timeline",
                                c.name, c.trial));
      continue;
    }
    const double gain = before / after;
    all.run.trials[std::string(c.name)] = gain;
    if (gain < c.trial_gain)
      unproved = fmt::format("{}: {:.2f} times as fast with {}, {:.2f} at least would confirm it",
                             c.name, gain, c.trial, c.trial_gain);
  }
  return unproved;
}

} // namespace

void ForeignCommand::add_to(const Command& command) {
  command.add({
      {"--from", &from,
       "examine a profiler's file instead: .ncu-rep, CSV of ncu (--page raw), rocprof, rocprofv3 "
       "or rocprof-compute, perf.data, or what perf stat and perf report print"},
      {"--kernel", &kernel,
       "with -- PROGRAM or --from: a regular expression of the kernels to look at"},
      {"--keep", &keep,
       "with -- PROGRAM: a new folder for what the profilers write, which --from reads"},
      {"--top", &top,
       "with these: so many kernels at most, by their share of time; 3 if not given"},
      {"--bytes", &bytes, "with these: bytes that a launch must move at least"},
      {"--flops", &flops, "with these: operations of a launch; those counted if not given"},
  });
  command.add("--quick", &quick,
              "with -- PROGRAM: run it for time and timeline at once, measure no roof, and end it "
              "once its kernels are counted: files that it then writes are cut off");
  command.set_footer("ridge doctor [OPTIONS] -- PROGRAM [ARGUMENTS...] runs a program of yours, "
                     "which need not know Ridge, and examines its kernels");
}

void ForeignCommand::require_none() const {
  refuse_if(
      !kernel.empty() || !keep.empty() || bytes || flops || top || quick,
      "--kernel, --top, --bytes, --flops, --keep and --quick go with -- PROGRAM or --from FILE");
}

void ForeignCommand::run(bool json, bool prove, const std::string& output, bool overwrite) const {
  refuse_if(program && program->empty(),
            "-- is followed by no program; give ridge doctor -- PROGRAM ARGUMENTS");
  refuse_if(prove && !program, "--prove runs experiments: give -- PROGRAM");
  refuse_if(!keep.empty() && !program, "--keep takes what profilers write of -- PROGRAM");
  refuse_if(program && !from.empty(), "--from reads a file, -- runs a program; give one of them");
  refuse_if(quick && !program, "--quick is for runs: give -- PROGRAM");
  refuse_if(top && *top < 1, "--top must be 1 or more");
  for (const auto& value : {bytes, flops})
    refuse_if(value && !(*value > 0 && std::isfinite(*value)),
              "--bytes and --flops must be numbers above 0");
  ForeignAsked asked{{}, top.value_or(3), bytes.value_or(0), flops.value_or(0), quick};
  try {
    if (!kernel.empty()) asked.kernel.emplace(kernel);
  } catch (const std::regex_error&) {
    throw UsageError(
        fmt::format("--kernel '{}' is no regular expression; give one such as 'flux.*'", kernel));
  }
  io::OutputPlan plan(overwrite);
  if (!from.empty()) plan.reads(from, "the profiler's file");
  if (!output.empty()) plan.writes_at_once(output, "the file of the records");
  plan.claim();
  std::error_code failed;
  if (!keep.empty() && !std::filesystem::create_directory(keep, failed))
    throw UsageError(fmt::format("--keep {}: no new folder can be made of that name", keep));
  Foreign all =
      from.empty() ? examine_program(*program, asked, json, keep) : read_profiler_file(from);
  if (all.peak_bytes_per_second <= 0) take_counted_peak(all);
  const std::string unproved = prove ? run_trials(*program, all) : "";
  if (prove) run_program_twins(all);
  if (prove) run_twins({*program, keep}, asked, all);
  keep_text(keep, run_text_of(all), "run.tsv");
  if (all.run.card.samples > 0) keep_text(keep, to_text(all.run.card), "card.tsv");
  const std::string text = json ? foreign_json(all, asked) + "\n" : foreign_text(all, asked);
  // The program's last line may not have ended.
  fmt::print("{}{}", program && !json ? "\n" : "", text);
  if (!output.empty()) io::write_text_file(plan, output, foreign_records(all, asked));
  if (!unproved.empty()) throw Failure(unproved);
}

std::optional<std::vector<std::string>> take_program(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "doctor") return {};
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    const std::vector<std::string> words(argv + i + 1, argv + argc);
    argc = i;
    return words;
  }
  return {};
}

void require_marked_program(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "doctor") return;
  int at = 2;
  for (; at < argc && argv[at][0] == '-'; ++at) { // ours, with their values
    const std::string_view option = argv[at];
    constexpr std::array alone{"--quick", "--prove", "--json", "--overwrite"};
    const bool has_value = option.find('=') == std::string_view::npos &&
                           std::find(alone.begin(), alone.end(), option) == alone.end();
    at += has_value ? 1 : 0;
  }
  if (at >= argc) return;
  const std::string first = argv[at];
  const bool has_words = at + 1 < argc && argv[at + 1][0] != '-'; // a kernel has none
  const bool is_path = first.find('/') != std::string::npos && first.find(':') == std::string::npos;
  if (first.starts_with('-') || !(has_words || is_path)) return;
  std::error_code none;
  if (std::filesystem::is_directory(first, none)) return;
  refuse_if(!launch::find_program(first).empty(), "{} is a program: give ridge doctor -- {}{}",
            first, first, has_words ? " ..." : "");
}

bool explain_foreign(const std::string& cause) {
  const auto& own = doctor::causes();
  const auto has_name = [&](const auto& row) { return row.name == cause; };
  if (std::any_of(own.begin(), own.end(), has_name)) return false;
  const auto& all = doctor::foreign_causes();
  const auto found = std::find_if(all.begin(), all.end(), has_name);
  if (found == all.end()) return false;
  fmt::print("{}: {}\n\nevidence: {}; a cause when {} {:g}\nwhat confirms it: {}\n--prove: {}\n"
             "what to do: {}\n",
             found->name, found->title, found->unit, found->above ? "above" : "below",
             found->threshold, found->experiment, proof_text(*found), found->action);
  return true;
}

} // namespace ridge::app
