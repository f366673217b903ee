// `ridge doctor`: why a launch is slow, what would help, by how much, and whether it does.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/doctor/checklist.hpp>
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/longer.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/lab/visit.hpp>

#include "../core/refuse.hpp"
#include "../io/output_file.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "doctor_print.hpp"
#include "foreign/command.hpp"
#include "foreign/profilers.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

struct DoctorCommand {
  KernelOptions launch;
  ForeignCommand foreign;
  std::string on;
  std::string explain;
  std::string output;
  bool prove = false;
  bool checklist = false;
  bool causes = false;
  bool overwrite = false;
  bool json = false;

  void run() const {
    if (!explain.empty())
      return explain_foreign(explain) ? void() : print_explanation(doctor::find_cause(explain));
    if (causes) return print_causes(json);
    if (foreign.is_asked()) {
      const bool of_launch = !launch.kernel.empty() || !launch.device.empty() ||
                             !launch.size.empty() || !launch.precision.empty() ||
                             launch.schedule != "auto";
      refuse_if(of_launch || !on.empty() || checklist,
                "-- PROGRAM and --from FILE take no KERNEL, and none of its options, --on or "
                "--checklist");
      return foreign.run(json, prove, output, overwrite);
    }
    foreign.require_none();
    refuse_if(
        launch.kernel.empty(),
        "doctor takes a KERNEL, -- PROGRAM, --from FILE, --explain CAUSE or --causes; see --help");
    refuse_if(!launch.device.empty() && !on.empty(),
              "--device runs the launch, --on only models it; give one of them");
    refuse_if(!output.empty() && !on.empty(),
              "--output takes a record of the launch, which runs: give --device, not --on");
    refuse_if(prove && !on.empty(),
              "--prove runs the launch, which takes a device here: give --device, not --on");
    examine();
  }

private:
  void examine() const {
    const lab::BenchKernel chosen = found();
    const bool is_cycle = chosen.pattern == "solve";
    refuse_if(launch.of_pattern.has("boundary") && !is_cycle, "--boundary is for multigrid, not {}",
              launch.kernel);
    const OptionValues options = launch.options(chosen);
    const bool recorded = options.has("cutoff") || chosen.pattern == "tree" || is_cycle;
    refuse_if(recorded && (!on.empty() || checklist),
              "lists, trees and cycles of multigrid are known once they have run: give --device, "
              "without --on or --checklist");
    refuse_if(!recorded && !chosen.make_menu, "the doctor does not know what {} does with memory",
              launch.kernel);
    io::OutputPlan plan(overwrite);
    plan.reads(file_of_kernel(launch.kernel), "the kernel's file");
    if (!output.empty()) plan.writes_at_once(output, "the file of the record");
    plan.claim();
    Place place = place_of(!on.empty() ? on : launch.device.empty() ? "auto" : launch.device);
    if (recorded) return examine_recorded(chosen, place, plan);
    const lab::BenchRequest request = launch.request(chosen);
    if (on.empty() && !checklist) {
      lab::RoofSource roof(place.device, true);
      lab::measure_ceilings(place, roof, check_interrupt);
    }
    const auto menu = chosen.make_menu(request, place);
    const NamedText now = menu->parse(launch.schedule);
    if (checklist) return print_checklist(menu->predict(now.text).facts, json);

    lab::Visit visit = visit_of(chosen, place, now);
    std::unique_ptr<lab::Case> running;
    if (on.empty()) running = run_case(chosen, now, visit);
    visit.findings = doctor::diagnose(*menu, now.text, visit.record ? &*visit.record : nullptr);
    if (on.empty()) examine_part(chosen, place, visit);
    if (prove) {
      lab::prove_visit(visit, *running, check_interrupt);
      if (visit.findings.advice) {
        running.reset();          // its memory
        constexpr int steps = 12; // a multiple of the sweeps of all passes
        lab::RoofSource roof(place.device, true);
        lab::prove_advice(visit, *make_case(chosen, now, steps, roof), check_interrupt);
      }
    }
    finish(visit, plan);
  }

  /// Seconds of a launch on a part of its data, where it took longer than modelled.
  void examine_part(const lab::BenchKernel& chosen, const Place& place, lab::Visit& visit) const {
    constexpr int steps = 1;
    lab::BenchRequest request = request_of(chosen, visit.schedule, steps);
    lab::RoofSource roof(place.device, true);
    const auto make = [&](const Extents& part) {
      request.size = part;
      return chosen.make_case(request, roof);
    };
    const bool told = lab::examine_longer(visit, make, request.measure);
    const bool counts = facts_of(place.device).counts == Counts::profiler;
    if (!told && counts && lab::is_longer(visit)) examine_counts(visit);
  }

  /// Counts how busy the units of a GPU were in such a launch, where no part of its data tells.
  void examine_counts(lab::Visit& visit) const {
    const std::string report = [&] {
      try {
        KernelOptions one = launch;
        one.schedule = visit.schedule.text;
        return ncu_report_of(one, doctor::foreign_ncu_metrics());
      } catch (const Failure& error) {
        fmt::print(stderr, "ridge: its units are not counted: {}\n", error.what());
        return std::string();
      }
    }();
    if (report.empty()) return;
    try {
      lab::add_counts(visit, doctor::read_foreign(report));
    } catch (const UsageError&) {
      fmt::print(stderr, "ridge: its units are not counted: {}\n", why_not_counted(report));
    }
  }

  /// A gravity of bodies that --theta is given for is that of a tree.
  [[nodiscard]] lab::BenchKernel found() const {
    lab::BenchKernel chosen = launch.chosen(lab::find_kernel(launch.kernel, launch.settings));
    if (!has_theta() || chosen.pattern == "tree") return chosen;
    refuse_if(chosen.name != "gravity",
              "--theta is for gravity and for trees of it; far fields of {} are not examined",
              launch.kernel);
    return lab::find_kernel(chosen.name + "-tree", launch.settings);
  }

  /// Lists, trees and cycles: what they do is counted, not modelled.
  void examine_recorded(const lab::BenchKernel& chosen, const Place& place,
                        const io::OutputPlan& plan) const {
    lab::RoofSource roof(place.device, true);
    lab::BenchRequest request = request_of(chosen, {}, 1);
    const auto running = chosen.make_case(request, roof);
    const NamedText now = running->menu().parse(launch.schedule);
    refuse_if(chosen.pattern == "solve" && !now.text.starts_with("cycle=v level=0 "),
              "the doctor examines V cycles from the finest level, not '{}'", launch.schedule);
    request.schedule = now.text;
    lab::Visit visit = visit_of(chosen, place, now);
    lab::run_visit(visit, *running, request, roof);
    lab::examine_record(visit, *running, check_interrupt);
    if (prove) lab::prove_visit(visit, *running, check_interrupt);
    finish(visit, plan);
  }

  [[nodiscard]] lab::Visit visit_of(const lab::BenchKernel& chosen, const Place& place,
                                    const NamedText& now) const {
    return {has_theta() ? chosen.name : launch.shown(),
            device_text(place),
            place.described->name,
            launch.extents(chosen),
            launch.digits(chosen),
            now,
            {},
            {},
            {}};
  }

  void finish(const lab::Visit& visit, const io::OutputPlan& plan) const {
    if (!output.empty()) io::write_text_file(plan, output, lab::record_text(visit));
    print_visit(visit, json);
    fail_if(visit.findings.is_unexplained(),
            "no cause is known of this launch, and a schedule with a name is predicted to be "
            "{:.2f} times as fast: {}",
            visit.findings.best.predicted_gain, visit.findings.best.fix);
    for (std::size_t i = 0; i < visit.proofs.size(); ++i) {
      const auto& d = visit.findings.diagnoses[i];
      if (visit.proofs[i] && !visit.proofs[i]->confirms(d.predicted_gain)) {
        throw Failure(fmt::format(
            "{}: predicted {:.2f} times as fast, proved {:.2f}: the prediction did not hold",
            d.cause->name, d.predicted_gain, visit.proofs[i]->gain));
      }
    }
  }

  [[nodiscard]] bool has_theta() const { return launch.of_pattern.has("theta"); }
  [[nodiscard]] std::string device_text(const Place& place) const {
    return on.empty() || model::names_device_here(on) ? to_text(place.device.id()) : on;
  }

  [[nodiscard]] lab::BenchRequest request_of(const lab::BenchKernel& chosen, const NamedText& now,
                                             int steps) const {
    lab::BenchRequest request = launch.request(chosen);
    request.schedule = now.text;
    request.options.set("steps", Index{steps});
    request.measure.repeats = 5;
    request.measure.between = check_interrupt;
    return request;
  }
  [[nodiscard]] std::unique_ptr<lab::Case> make_case(const lab::BenchKernel& chosen,
                                                     const NamedText& now, int steps,
                                                     lab::RoofSource& roof) const {
    return chosen.make_case(request_of(chosen, now, steps), roof);
  }
  [[nodiscard]] std::unique_ptr<lab::Case> run_case(const lab::BenchKernel& chosen,
                                                    const NamedText& now, lab::Visit& visit) const {
    constexpr int steps = 1; // of what evolves, a launch is one sweep
    lab::RoofSource roof(named_device(launch.device), true);
    auto running = make_case(chosen, now, steps, roof);
    lab::run_visit(visit, *running, request_of(chosen, now, steps), roof);
    return running;
  }
};

} // namespace

void add_doctor(CommandLine& line, std::optional<std::vector<std::string>> program) {
  const Command command = line.add_command(
      "doctor", "why a launch is slow, what would help, by how much, and whether it does");
  auto o = std::make_shared<DoctorCommand>();
  o->foreign.program = std::move(program);
  o->foreign.add_to(command);
  o->launch.add_to(command, KernelOption::doctor);
  command.add_device(&o->launch.device, ": runs the launch there");
  command.add("--on", &o->on, "by the model alone: a device here, a described one, or FILE.json");
  command.add("--prove", &o->prove,
              "run each cure in turn with the launch; exits 1 when a prediction does not hold");
  command.add("--checklist", &o->checklist, "the checklist of the GPU memory guide, answered");
  command.add("--causes", &o->causes,
              "all causes, and what is said of launches with one planted cause each");
  command.add("--explain", &o->explain, "the background of a cause, and its source");
  command.add("-o,--output", &o->output,
              "write the launch's record with its diagnoses to a file for ridge report");
  command.add("--overwrite", &o->overwrite, "replace the file of --output when it exists");
  command.add("--json", &o->json, "print JSON");
  command.set_action([o] {
    const WithinLaunches are_given_up;
    o->run();
  });
}

} // namespace ridge::app
