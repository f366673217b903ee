// The doctor's words on a program that is not Ridge's, in lines.
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/doctor/foreign/say.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::doctor {

namespace {

constexpr std::size_t causes_shown = 3; // of a kernel: five lines each

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

void add_causes(std::string& text, const Foreign& all, const std::vector<ForeignDiagnosis>& found) {
  std::size_t number = 0;
  std::string others;
  for (const ForeignDiagnosis& d : found) {
    const ForeignCause& c = *d.cause;
    if (++number > causes_shown) {
      others += fmt::format("{}{} ({:.2f})", others.empty() ? "" : ", ", c.name, d.gain);
      continue;
    }
    text += fmt::format("{}. {}: {}\n", number, c.name, c.title);
    text += fmt::format("   evidence   {:.3g} {}; a cause when {} {:g}\n", d.evidence, c.unit,
                        c.above ? "above" : "below", c.threshold);
    text += fmt::format("   predicted  up to {:.2f} times as fast\n", d.gain);
    text += fmt::format("   confirm    {}\n", c.experiment);
    if (const auto trial = all.run.trials.find(c.name); trial != all.run.trials.end())
      text += fmt::format("   proof      {:.2f} times as fast with it: {}\n", trial->second,
                          trial->second >= c.trial_gain ? "confirmed" : "NOT confirmed");
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

std::string run_text(const Foreign& all) {
  const ForeignRun& r = all.run;
  std::string text;
  if (r.wall > 0) {
    text += fmt::format("program    {}", to_text(Seconds{r.wall}));
    if (r.span <= 0 && r.cores > 0)
      text += fmt::format(
          "; {:.2f} of {:g} cores busy, {} in the system, {} of memory, {:.0f} page faults",
          r.cpu / r.wall, r.cores, percent(r.cpu > 0 ? r.kernel_cpu / r.cpu : 0),
          quantity(r.most_bytes, "B"), r.faults);
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

std::string kernel_lines(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked,
                         int number) {
  const double whole = all.kernel_seconds();
  const bool on_cpu = all.run.device == "cpu"; // functions, of which perf has samples
  std::string text =
      fmt::format("\n{} {} {}\n", on_cpu ? "function" : "kernel  ", number, short_name(k.name));
  if (on_cpu)
    return text + fmt::format("time       {} of the samples, {}\n",
                              percent(whole > 0 ? k.seconds / whole : 0),
                              to_text(Seconds{k.seconds}));
  text += fmt::format("time       {} of all kernels', {:.0f} {} of {}",
                      percent(whole > 0 ? k.seconds / whole : 0), k.launches,
                      k.launches == 1 ? "launch" : "launches", to_text(Seconds{k.mean()}));
  if (!k.shape.empty()) text += "; " + k.shape;
  if (k.counts.registers) text += fmt::format(", {:.0f} registers", *k.counts.registers);
  if (k.counts.shared_bytes.value_or(0) > 0)
    text += fmt::format(", {:.0f} B shared", *k.counts.shared_bytes);
  text += "\n" + reached_text(all, k, asked);
  const auto found = diagnose_kernel(all, k, asked.bytes);
  add_causes(text, all, found);
  if (found.empty() && !k.counted_by.empty()) {
    const Busy busy = busy_of(k.counts);
    text += busy.most() >= busy_enough
                ? fmt::format("no cause holds: {} is the limit\n", busy.busiest().second)
                : std::string("no cause that the doctor knows holds, and no unit is busy: it "
                              "cannot explain this launch\n");
  }
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

std::string foreign_text(const Foreign& all, const ForeignAsked& asked) {
  std::string text = run_text(all);
  add_causes(text, all, diagnose_run(all));
  int number = 0;
  for (const ForeignKernel* const kernel : chosen(all, asked))
    text += kernel_lines(all, *kernel, asked, ++number);
  return text;
}

} // namespace ridge::doctor
