// `ridge schedules`: what can be asked of a kernel's schedule, and what is compiled ahead.
#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/case.hpp>

#include "commands.hpp"
#include "kernel_options.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

struct SchedulesCommand {
  std::string kernel;
  std::string device = "auto";
  std::string size;
  std::string precision;

  void run() const {
    const lab::BenchKernel chosen = lab::find_kernel(kernel);
    lab::BenchRequest request{Device(device == "auto" ? best_device() : parse_device(device)),
                              size.empty() ? small(chosen) : parse_extents(size, "--size"),
                              asked_precision(chosen, kernel, precision),
                              "all",
                              {}};
    lab::RoofSource roof(request.device);
    const auto the_case = chosen.make_case(request, roof);
    const Menu& menu = the_case->menu();
    fmt::print("{}, a kernel of the pattern {}, on {} ({})\n\nfields:\n{}\n", chosen.name,
               chosen.pattern, to_text(request.device.id()), request.device.facts().name,
               menu.help());
    lab::Table table({"schedule", "compiled", "fields"});
    for (const lab::AskedSchedule& s : menu.asked("all"))
      table.add({s.name, is_ahead(*the_case, s) ? "ahead" : "on demand", s.text});
    fmt::print("{}\nAny other value of these fields is compiled when it is first asked for.\n",
               table.text());
  }

  static bool is_ahead(lab::Case& the_case, const lab::AskedSchedule& schedule) {
    const launch::AheadOnly only;
    try {
      (void)the_case.bind(schedule);
      return true;
    } catch (const launch::NotAhead&) {
      return false;
    }
  }
  /// Extents that show every schedule and take little memory.
  static Extents small(const lab::BenchKernel& k) {
    switch (k.default_size.rank()) {
    case 1:
      return {Index{1} << 16};
    case 2:
      return {512, 64};
    case 3:
      return {256, 64, 32};
    default:
      return {8, 8, 8, 8};
    }
  }
};

} // namespace

void add_schedules(CommandLine& line) {
  const Command command =
      line.add_command("schedules", "the schedule fields of a kernel, and what is compiled ahead");
  auto o = std::make_shared<SchedulesCommand>();
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own").require();
  command.add_device(&o->device);
  command.add("--size", &o->size, "NXxNYxNZ, NXxNY or N; the default schedule depends on it");
  command.add("--precision", &o->precision, "fp32, fp64 or mixed");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
