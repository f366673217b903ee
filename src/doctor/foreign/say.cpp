// The doctor's words on a program that is not Ridge's, in lines.
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/doctor/foreign/say.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ridge::doctor {

namespace {

constexpr std::size_t causes_shown = 3; // of a kernel, where their lines are short enough
constexpr std::size_t most_lines = 20;
constexpr std::size_t most_columns = 120;

/// Lines of at most 120 columns: what is left of a longer one goes below its own text.
std::string wrapped(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(line.starts_with("   ") ? 14 : 11, ' ');
    while (line.size() > most_columns) {
      const std::size_t space = line.rfind(' ', most_columns);
      if (space == std::string::npos || space <= indent.size()) break;
      all += line.substr(0, space) + "\n";
      line = indent + line.substr(space + 1);
    }
    all += line + "\n";
  }
  return all;
}

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// The lines that spill, in one; empty where none is known.
std::string spill_text(const ForeignKernel& k) {
  constexpr std::size_t most = 3;
  std::string text;
  int all = 0;
  for (const SpillLine& l : k.spills)
    all += l.stores + l.loads;
  for (std::size_t i = 0; i < std::min(most, k.spills.size()); ++i) {
    const SpillLine& l = k.spills[i];
    if (l.line == 0) return "compile with -lineinfo, and the source lines are told";
    text +=
        fmt::format("{}{}:{} ({})", text.empty() ? "" : ", ", l.file.substr(l.file.rfind('/') + 1),
                    l.line, percent(static_cast<double>(l.stores + l.loads) / all));
  }
  return text.empty() ? text : fmt::format("{} of {} such stores and loads", text, all);
}

/// `seconds`: of the launch that the twin is like; 0: it is not one's.
std::string twin_text(double seconds, const TwinRun& t, const ForeignDiagnosis& d) {
  if (!t.missing.empty()) return fmt::format("none ran: {}", t.missing);
  constexpr double near = 1.5;
  const double likeness = seconds > 0 && t.seconds > 0 ? t.seconds / seconds : t.likeness;
  const double gain = t.gained(), of_prediction = gain / d.gain;
  std::string text =
      t.seconds > 0
          ? fmt::format("a twin ({}) takes {}, {}{} {}", t.what, to_text(Seconds{t.seconds}),
                        t.gain > 0 ? "" : "with ", t.change, to_text(Seconds{t.changed_seconds}))
          : t.what;
  text += fmt::format(": {}{:.2f} times as fast",
                      d.cause->of == CauseOf::program ? "the program " : "", gain);
  if (likeness > 0 && (likeness < 1 / near || likeness > near))
    return text + fmt::format("; not much like it ({:.2f} of its time)", likeness);
  if (gain < least_gain) return text + ": NOT confirmed";
  text += ": confirmed";
  if (d.missing.empty() && (of_prediction > near || of_prediction < 1 / near))
    text += fmt::format(", by {:.2f} of what is predicted", of_prediction);
  return text;
}

/// The confirmation of a cause: the experiment, and what came of it or of its twin's.
std::string confirm_text(const Foreign& all, const ForeignKernel* kernel,
                         const ForeignDiagnosis& d) {
  const ForeignCause& c = *d.cause;
  const double seconds = kernel != nullptr ? kernel->launch_seconds.value_or(kernel->mean()) : 0;
  std::string text;
  for (const TwinRun& t : kernel != nullptr ? kernel->twins : all.run.twins)
    if (t.cause == c.name) text = "   twin       " + twin_text(seconds, t, d) + "\n";
  if (text.empty() || !c.trial.empty()) text += fmt::format("   confirm    {}\n", c.experiment);
  if (const auto trial = all.run.trials.find(c.name); trial != all.run.trials.end())
    text += fmt::format("   proof      {:.2f} times as fast with it: {}\n", trial->second,
                        trial->second >= c.trial_gain ? "confirmed" : "NOT confirmed");
  return text;
}

/// `kernel`: whose causes these are; null: the program's.
void add_causes(std::string& text, const Foreign& all, const ForeignKernel* kernel,
                const std::vector<ForeignDiagnosis>& found, std::size_t shown = causes_shown) {
  std::size_t number = 0;
  std::string others;
  for (const ForeignDiagnosis& d : found) {
    const ForeignCause& c = *d.cause;
    if (++number > shown) {
      others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", c.name,
                            d.missing.empty() ? fmt::format("{:.2f}", d.gain) : "gain not known");
      continue;
    }
    text += fmt::format("{}. {}: {}\n", number, c.name, c.title);
    text += fmt::format("   evidence   {:.3g} {}; a cause when {} {:g}\n", d.evidence, c.unit,
                        c.above ? "above" : "below", c.threshold);
    text += d.missing.empty() ? fmt::format("   predicted  up to {:.2f} times as fast\n", d.gain)
                              : fmt::format("   predicted  not known: {}\n", d.missing);
    if (kernel != nullptr && c.name == "spilled-registers" && !kernel->spills.empty())
      text += fmt::format("   where      {}\n", spill_text(*kernel));
    if (kernel != nullptr && c.name == "cache-overflow" && kernel->counts.cache_bytes)
      text += fmt::format("   fits       what is used again within {} of other data, at most\n",
                          quantity(*kernel->counts.cache_bytes, "B"));
    text += confirm_text(all, kernel, d);
    text += fmt::format("   fix        {}\n", c.action);
  }
  if (!others.empty()) text += fmt::format("also: {}\n", others);
}

std::string idle_text(const ForeignRun& r) {
  std::string text;
  const auto add = [&](double seconds, const char* what) {
    if (seconds / r.span >= 0.01)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, percent(seconds / r.span));
  };
  add(r.outside, "host's own work");
  add(r.waiting, "waiting");
  add(r.launching, "launching");
  add(r.allocating, "allocating");
  add(r.loading, "loading kernels");
  return text.empty() ? "" : " (" + text + ")";
}

std::string held_down_text(const CardState& c) {
  if (std::max({c.by_power, c.by_heat, c.by_setting}) < 0.001) return "nothing held it down";
  return fmt::format("held down by power {}, heat {}, a setting {} of the time",
                     percent(c.by_power), percent(c.by_heat), percent(c.by_setting));
}

/// What there is to say of a program on the cpu of which no cause holds.
std::string limit_text(const Foreign& all) {
  const ForeignRun& run = all.run;
  if (run.device != "cpu" || run.wall <= 0) return {};
  const char* const so_far = run.processor.cycles ? "" : " by times alone";
  if (!all.kernels.empty())
    return fmt::format("no cause of the whole program holds{}: see its functions\n", so_far);
  return fmt::format(
      "no cause holds{}{}\n", so_far,
      run.processor.cycles ? "" : ": misses of caches and branches take counters of the processor");
}

std::string run_text(const Foreign& all) {
  const ForeignRun& r = all.run;
  std::string text;
  if (r.wall > 0) {
    text += fmt::format("program    {}", to_text(Seconds{r.wall}));
    if (r.recording > 0)
      text += fmt::format(", at most {} of it to record its timeline",
                          percent(std::min(1.0, r.recording / r.wall)));
    if (r.span <= 0 && r.cores > 0)
      text += fmt::format(
          "; {:.2f} of {:g} cores busy{}, {} in the system, {} of memory, {:.0f} page faults",
          r.cpu / r.wall, r.cores,
          r.others > 0.05 * r.wall ? fmt::format(", {:.2f} by others", r.others / r.wall) : "",
          percent(r.cpu > 0 ? r.kernel_cpu / r.cpu : 0), quantity(r.most_bytes, "B"), r.faults);
    text += "\n";
  }
  if (!r.device_name.empty()) text += fmt::format("device     {}\n", r.device_name);
  if (r.span > 0) {
    text += fmt::format("timeline   {}: kernels {}, copies {}, idle {}{}\n",
                        to_text(Seconds{r.span}), percent(r.busy / r.span),
                        percent(r.copying / r.span), percent(r.idle / r.span), idle_text(r));
    text += fmt::format("calls      {:.0f} launches, {:.0f} waits, {:.0f} allocations", r.launches,
                        r.waits, r.allocations);
    if (r.copied_bytes > 0) {
      text += fmt::format("; {} copied, {} of it pageable", quantity(r.copied_bytes, "B"),
                          percent(r.pageable_bytes / r.copied_bytes));
    }
    text += "\n";
  }
  if (!r.taken.empty()) {
    text += "doctor     ";
    for (const auto& [what, seconds] : r.taken)
      text += fmt::format("{} for {}, ", to_text(Seconds{seconds}), what);
    text += "beside the program's own run\n";
  }
  if (const CardState& c = r.card; c.samples > 0) {
    text += fmt::format("card       {:.0f} W at work, {:.0f} W most, of {:.0f} W; {:.2f} of {:.2f} "
                        "GHz, {:.0f} C; {}\n",
                        c.watts, c.most_watts, c.limit_watts, 1e-9 * c.clock_hz,
                        1e-9 * c.best_clock_hz, c.celsius, held_down_text(c));
  }
  for (const std::string& note : r.notes)
    text += "note       " + note + "\n";
  return text;
}

std::string reached_text(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked) {
  const double seconds = k.launch_seconds.value_or(k.mean());
  const Busy busy = busy_of(k.counts);
  std::string text = "reached    ";
  const double bytes = asked.bytes > 0 ? asked.bytes : k.counts.bytes().value_or(0);
  if (bytes > 0 && seconds > 0) {
    text += quantity(bytes / seconds, "B/s");
    if (const double peak = all.peak_of(k); peak > 0)
      text += fmt::format(", {:.2f} of {}", bytes / seconds / peak,
                          peak == all.read_bytes_per_second ? "a read here" : all.peak_name);
    text += "; ";
  }
  if (busy.most() > 0) {
    text += fmt::format("busiest: {} {}", busy.busiest().second, percent(busy.busiest().first));
  } else {
    text += "what its units do was not counted";
  }
  text += asked.bytes > 0 ? fmt::format("; least bytes {} (given)", quantity(asked.bytes, "B"))
          : all.run.device_bytes > 0
              ? fmt::format("; least bytes not known (--bytes), at most {}: all that was allocated",
                            quantity(all.run.device_bytes, "B"))
              : std::string("; least bytes not known (--bytes)");
  return text + "\n";
}

/// The limit of a kernel of which no cause holds. `least_known`: bytes that it must move at least.
std::string limit_text(const ForeignKernel& k, bool least_known) {
  constexpr double mostly_start = 4e-6; // seconds; a launch that does nothing takes half of them
  const Busy busy = busy_of(k.counts);
  if (busy.most() >= busy_enough)
    return fmt::format("no cause holds: {} is the limit{}\n", busy.busiest().second,
                       busy.busiest().second == "memory" && !least_known
                           ? "; whether it fetches data twice is known with --bytes"
                           : "");
  if (k.mean() > 0 && k.mean() < mostly_start)
    return "no cause of its own: so short a launch is mostly its start and its end; give it more "
           "to do, or launch fewer\n";
  return "no cause that the doctor knows holds, and no unit is busy: it cannot explain this "
         "launch\n";
}

/// "sort<...>" of "sort<Iterator<int*>, Less>" where it is long; names that do not close what they
/// open, as operator<, stay.
std::string without_arguments(const std::string& name) {
  constexpr std::size_t long_enough = 60;
  if (name.size() <= long_enough) return name;
  std::string text;
  int open = 0;
  for (const char c : name) {
    open -= c == '>';
    if (open == 0) text += c == '>' ? "...>" : std::string(1, c);
    open += c == '<';
  }
  return open == 0 ? text : name;
}

/// A function by the samples of it: its time, and what it reaches where its least bytes are given.
std::string function_lines(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked) {
  const double whole = all.kernel_seconds(), share = whole > 0 ? k.seconds / whole : 0;
  std::string text = fmt::format("time       {} of the samples{}\n", percent(share),
                                 all.has_times() ? ", " + to_text(Seconds{k.seconds}) : "");
  const double passed = all.passed(k);
  if (asked.bytes <= 0 || passed <= 0) return text;
  const double rate = asked.bytes / passed, peak = all.peak_bytes_per_second;
  return text +
         fmt::format("reached    {}{}; least bytes {} (given) in {}\n", quantity(rate, "B/s"),
                     peak > 0 ? fmt::format(", {:.2f} of {}", rate / peak, all.peak_name) : "",
                     quantity(asked.bytes, "B"), to_text(Seconds{passed}));
}

std::string kernel_lines(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked,
                         int number, std::size_t shown) {
  const double whole = all.kernel_seconds();
  const bool on_cpu = all.run.device == "cpu"; // functions, of which perf has samples
  std::string text = fmt::format("\n{} {} {}\n", on_cpu ? "function" : "kernel  ", number,
                                 short_name(on_cpu ? without_arguments(k.name) : k.name));
  if (on_cpu) return text + function_lines(all, k, asked);
  const std::string launches =
      fmt::format("{:.0f} {}", k.launches, k.launches == 1 ? "launch" : "launches");
  text += k.mean() > 0
              ? fmt::format("time       {} of all kernels', {} of {}", percent(k.seconds / whole),
                            launches, to_text(Seconds{k.mean()}))
              : fmt::format("time       not known; {}", launches);
  if (!k.shape.empty()) text += "; " + k.shape;
  if (k.counts.registers) text += fmt::format(", {:.0f} registers", *k.counts.registers);
  if (k.counts.shared_bytes.value_or(0) > 0)
    text += fmt::format(", {:.0f} B shared", *k.counts.shared_bytes);
  text += "\n" + reached_text(all, k, asked);
  const auto found = diagnose_kernel(all, k, asked.bytes);
  add_causes(text, all, &k, found, shown);
  if (found.empty() && !k.counted_by.empty())
    text += limit_text(k, asked.bytes > 0 || all.run.device_bytes > 0);
  return text;
}

} // namespace

std::vector<const ForeignKernel*> chosen(const Foreign& all, const ForeignAsked& asked) {
  std::vector<const ForeignKernel*> found;
  std::string names;
  for (const ForeignKernel& k : all.kernels) {
    names += (names.empty() ? "" : "; ") + short_name(k.name);
    if (!asked.kernel || std::regex_search(k.name, *asked.kernel)) found.push_back(&k);
  }
  if (found.empty() && asked.kernel && !all.kernels.empty())
    throw UsageError("--kernel matches none of the kernels: " + names);
  if (found.size() > static_cast<std::size_t>(asked.top))
    found.resize(static_cast<std::size_t>(asked.top));
  return found;
}

std::string proof_text(const ForeignCause& c) {
  const std::string twin =
      c.twin.empty() ? "" : fmt::format("a twin on an NVIDIA GPU, then {}", c.twin);
  if (c.trial.empty()) return twin.empty() ? fmt::format("none: {}", c.unproved) : twin;
  return fmt::format("runs the program with {}{}{}", c.trial, twin.empty() ? "" : "; ", twin);
}

std::vector<CauseRow> foreign_cause_rows() {
  std::vector<CauseRow> rows;
  for (const ForeignCause& c : foreign_causes()) {
    const char* const of = c.of == CauseOf::kernel    ? "a kernel"
                           : c.of == CauseOf::program ? "the timeline"
                                                      : "a cpu";
    rows.push_back({of, std::string(c.name), proof_text(c)});
  }
  return rows;
}

std::string foreign_text(const Foreign& all, const ForeignAsked& asked) {
  std::string text = run_text(all);
  const auto causes = diagnose_run(all);
  add_causes(text, all, nullptr, causes);
  text = wrapped(causes.empty() ? text + limit_text(all) : text);
  int number = 0;
  for (const ForeignKernel* const kernel : chosen(all, asked)) {
    ++number;
    std::string lines;
    for (std::size_t shown = causes_shown; shown > 0; --shown) {
      lines = wrapped(kernel_lines(all, *kernel, asked, number, shown));
      if (static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) <= most_lines + 1)
        break; // one parts it from what is above
    }
    text += lines;
  }
  return text;
}

} // namespace ridge::doctor
