// `ridge tune`: the fastest schedule of a kernel here, kept for every later launch.
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace ridge::app {

namespace {

using tune::Found;

/// "30s", "500ms", "2min" or "30": seconds.
double parse_budget(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double scale = unit.empty() || unit == "s" ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "min"             ? 60
                                                   : 0;
  if (status != std::errc{} || scale == 0 || !(value > 0) || value * scale > 86400) {
    throw UsageError(fmt::format("--budget {}: give a time above 0 and up to a day, such as 30s, "
                                 "500ms or 2min",
                                 text));
  }
  return value * scale;
}

tune::Order parse_order(const std::string& text) {
  if (text == "guided") return tune::Order::guided;
  if (text == "random") return tune::Order::random;
  if (text == "all") return tune::Order::all;
  throw UsageError(fmt::format("--search {}: it is guided, random or all", text));
}

std::string end_text(const Found& found) {
  switch (found.end) {
  case Found::End::settled:
    return "nothing better by more than 2 % is left among what was measured";
  case Found::End::budget:
    if (found.left >= 1) return "the budget was too small to compare the best with one another";
    return fmt::format(
        "the budget ended it: another that was measured may be up to {:.1f} % better",
        100 * found.left);
  case Found::End::stopped:
    break;
  }
  return "stopped by the user: the best until then";
}

const char* end_name(Found::End end) {
  return end == Found::End::settled ? "settled" : end == Found::End::budget ? "budget" : "stopped";
}

/// "1.23 (1.20 to 1.26)".
std::string gain_text(const Estimate& gain) {
  if (!gain.has_interval()) return fmt::format("{:.3f}", gain.value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", gain.value, gain.low, gain.high);
}

struct TuneCommand {
  std::string kernel;
  std::string device = "auto";
  std::string size;
  std::string precision;
  std::string site;
  std::string budget = "30s";
  std::vector<std::string> settings;
  std::string search = "guided";
  int operations = 10;
  int most = 0;
  bool json = false;

  void run() const {
    tune::SearchOptions options;
    options.budget = parse_budget(budget);
    options.most = most;
    options.order = parse_order(search);
    options.between = check_interrupt;
    Progress progress;
    options.progress = [&](const std::string& doing) { progress.show("tuning: " + doing); };
    if (!tune::may_tune()) throw UsageError("RIDGE_TUNE=off: nothing is tuned; unset it");

    const lab::BenchKernel chosen = lab::find_kernel(kernel, settings);
    if (!site.empty() && chosen.pattern != "lattice")
      throw UsageError(fmt::format("--site is for lattice kernels; {} is not one", kernel));
    lab::BenchRequest request{Device(device == "auto" ? best_device() : parse_device(device)),
                              size.empty() ? chosen.default_size : parse_extents(size, "--size"),
                              precision.empty() ? chosen.default_precision : precision,
                              "auto",
                              {}};
    request.site = site;
    request.operations = operations;
    lab::RoofSource roof(request.device);
    lab::require_speed(request.device);
    const auto the_case = chosen.make_case(request, roof);
    const tune::Tuned tuned = lab::tune_case(*the_case, chosen.pattern, options);
    progress.clear();
    const tune::Key key = tune::key_of(request.device, the_case->subject());
    fmt::print("{}\n", json ? json_of(tuned, key) : text_of(tuned, key));
    if (!tuned.not_kept.empty()) throw Failure(tuned.not_kept);
    check_interrupt(); // says so by its exit
  }

  [[nodiscard]] static std::string text_of(const tune::Tuned& tuned, const tune::Key& key) {
    const Found& f = tuned.found;
    std::string text = fmt::format("{} on {}\n", to_text(key), key.device);
    text += fmt::format("measured {} schedules in {:.1f} s, of a space of {} and around it\n",
                        f.measured, f.spent, f.space);
    text += fmt::format("  default  {:>9}  {}\n", to_text(Seconds{f.standard.seconds}),
                        f.standard.schedule);
    text +=
        fmt::format("  best     {:>9}  {}\n", to_text(Seconds{f.best.seconds}), f.best.schedule);
    text += f.best.schedule == f.standard.schedule
                ? "the default is the best\n"
                : fmt::format("the default takes {} times as long\n", gain_text(f.gain));
    text += end_text(f);
    const std::string file = tune::Wisdom::here().file();
    text += tuned.kept ? fmt::format("\nkept in {}: schedule=auto takes it from now on", file)
                       : std::string("\nnot kept");
    return text;
  }

  [[nodiscard]] static std::string json_of(const tune::Tuned& tuned, const tune::Key& key) {
    const Found& f = tuned.found;
    nlohmann::ordered_json json;
    json["kernel"] = key.kernel;
    json["precision"] = key.precision;
    if (!key.site.empty()) json["site"] = key.site;
    json["size"] = nlohmann::ordered_json::array();
    for (int d = 0; d < key.size.rank(); ++d)
      json["size"].push_back(key.size[d]);
    json["device"] = key.device;
    json["driver"] = key.driver;
    json["compiler"] = key.compiler;
    json["schedule"] = f.best.schedule;
    json["seconds"] = f.best.seconds;
    json["default"] = f.standard.schedule;
    json["default_seconds"] = f.standard.seconds;
    json["gain"] = f.gain.value;
    if (f.gain.has_interval()) {
      json["gain_low"] = f.gain.low;
      json["gain_high"] = f.gain.high;
    }
    json["left"] = f.left;
    json["end"] = end_name(f.end);
    if (!f.ranked_first.empty()) json["model_choice"] = f.ranked_first;
    json["space"] = f.space;
    json["measured"] = f.measured;
    json["spent_seconds"] = f.spent;
    json["kept"] = tuned.kept;
    json["wisdom"] = tune::Wisdom::here().file();
    json["trials"] = nlohmann::ordered_json::array();
    for (const tune::Trial& t : f.trials) {
      nlohmann::ordered_json one{{"schedule", t.schedule}};
      if (t.seconds > 0) one["seconds"] = t.seconds;
      if (!t.problem.empty()) one["problem"] = t.problem;
      json["trials"].push_back(std::move(one));
    }
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
};

} // namespace

void add_tune(CommandLine& line) {
  const Command command = line.add_command(
      "tune", "find the fastest schedule of a kernel here, and keep it for schedule=auto");
  auto o = std::make_shared<TuneCommand>();
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own").require();
  command.add("--device", &o->device, "auto, cpu, cuda:N, hip:N");
  command.add("--size", &o->size, "NXxNYxNZ, NXxNY or N");
  command.add("--precision", &o->precision, "fp32, fp64 or mixed; each kernel has its own default");
  command.add("--budget", &o->budget, "time for all of it, such as 30s, 500ms or 2min");
  command.add("--most", &o->most, "most schedules to measure; a tenth of the space if not given")
      .require_between(1, 1000000);
  command.add("--search", &o->search,
              "guided by the model and by what was measured; random; or all: the whole space");
  command.add("--site", &o->site,
              "lattice kernels: propagator, spinor, matrix, vector, complex or real");
  command.add("--operations", &o->operations, "operations of a chain, 1 to 32");
  command.add("--set", &o->settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
  command.add("--json", &o->json, "print one object with everything that was measured");
  command.set_footer("The result is kept in $RIDGE_WISDOM, else $XDG_DATA_HOME/ridge/wisdom, else "
                     "~/.local/share/ridge/wisdom.\nCtrl-C keeps what was found until then. "
                     "RIDGE_TUNE=off forbids tuning and writing.\n");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
