// `ridge tune`: the fastest schedule of a kernel here, kept for every later launch.
#include <ridge/core/error.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/lab/tuned_text.hpp>

#include "../core/refuse.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "progress.hpp"

#include <fmt/core.h>

#include <charconv>

namespace ridge::app {

namespace {

/// "30s", "500ms", "2min" or "30": seconds.
double parse_budget(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double scale = unit.empty() || unit == "s" ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "min"             ? 60
                                                   : 0;
  refuse_if(status != std::errc{} || scale == 0 || !(value > 0) || value * scale > 86400,
            "--budget {}: give a time above 0 and up to a day, such as 30s, 500ms or 2min", text);
  return value * scale;
}

tune::Order parse_order(const std::string& text) {
  if (text == "guided") return tune::Order::guided;
  if (text == "random") return tune::Order::random;
  if (text == "all") return tune::Order::all;
  throw UsageError(fmt::format("--search {}: it is guided, random or all", text));
}

struct TuneCommand {
  KernelOptions launch{.device = "auto"};
  std::string budget = "30s";
  std::string search = "guided";
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

    const lab::BenchKernel chosen = launch.find();
    refuse_if(!chosen.tunes,
              "the schedules of {} do different work: there is no fastest to keep; compare them by "
              "bench {} --schedule all",
              launch.kernel, launch.kernel);
    lab::BenchRequest request = launch.request(chosen);
    if (launch.device != "auto") request.device = Device(parse_device(launch.device));
    lab::RoofSource roof(request.device);
    lab::require_speed(request.device);
    const auto the_case = chosen.make_case(request, roof);
    const tune::Tuned tuned = lab::tune_case(*the_case, options);
    progress.clear();
    const tune::Key key = tune::key_of(request.device, the_case->subject());
    fmt::print("{}\n", json ? lab::tuned_json(tuned, key) : lab::tuned_text(tuned, key));
    if (!tuned.not_kept.empty()) throw Failure(tuned.not_kept);
    check_interrupt(); // says so by its exit
  }
};

} // namespace

void add_tune(CommandLine& line) {
  const Command command = line.add_command(
      "tune", "find the fastest schedule of a kernel here, and keep it for schedule=auto");
  auto o = std::make_shared<TuneCommand>();
  command.add("KERNEL", &o->launch.kernel, "a built-in kernel, or FILE.hpp:Name of your own")
      .require();
  command.add_device(&o->launch.device);
  command.add("--size", &o->launch.size, "NXxNYxNZ, NXxNY or N");
  command.add("--precision", &o->launch.precision,
              "fp32, fp64 or mixed; each kernel has its own default");
  command.add("--budget", &o->budget, "time for all of it, such as 30s, 500ms or 2min");
  command.add("--most", &o->most, "most schedules to measure; a tenth of the space if not given")
      .require_between(1, 1000000);
  command.add("--search", &o->search,
              "guided by the model and by what was measured; random; or all: the whole space");
  o->launch.add_of_pattern(command, KernelOption::tune);
  command.add("--json", &o->json, "print one object with everything that was measured");
  command.set_footer("The result is kept in $RIDGE_WISDOM, else $XDG_DATA_HOME/ridge/wisdom, else "
                     "~/.local/share/ridge/wisdom.\nCtrl-C keeps what was found until then. "
                     "RIDGE_TUNE=off forbids tuning and writing.\n");
  command.set_action([o] {
    const WithinLaunches are_given_up;
    o->run();
  });
}

} // namespace ridge::app
