// `ridge doctor`: why a launch is slow, what would help, by how much, and whether it does.
#include <ridge/core/error.hpp>
#include <ridge/doctor/checklist.hpp>
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/doctor/pages.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/proof.hpp>

#include "commands.hpp"
#include "doctor_print.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "output_file.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::app {

namespace {

struct DoctorCommand {
  KernelOptions launch;
  std::string on;
  std::string explain;
  std::string output;
  bool prove = false;
  bool checklist = false;
  bool causes = false;
  bool json = false;

  void run() const {
    if (!explain.empty()) return print_explanation(doctor::find_cause(explain));
    if (causes) return print_causes(json);
    if (launch.kernel.empty())
      throw UsageError("doctor takes a KERNEL, --explain CAUSE or --causes; see --help");
    if (!launch.device.empty() && !on.empty())
      throw UsageError("--device runs the launch, --on only models it; give one of them");
    if (!output.empty() && !on.empty())
      throw UsageError(
          "--output takes a record of the launch, which runs: give --device, not --on");
    if (prove && !on.empty())
      throw UsageError(
          "--prove runs the launch, which takes a device here: give --device, not --on");
    examine();
  }

private:
  void examine() const {
    const lab::BenchKernel chosen = launch.find();
    if (!chosen.make_patient)
      throw UsageError(
          fmt::format("the doctor does not know what {} does with memory", launch.kernel));
    if (!output.empty()) require_writable(output);
    doctor::Examination e = examination(chosen);
    if (on.empty() && !checklist) measure_ceilings(e);
    const auto patient = chosen.make_patient(e);
    const doctor::Prescription now = patient->parse(launch.schedule);
    if (checklist) return print_checklist(patient->facts(now.schedule), json);

    Visit visit{
        launch.kernel, device_text(e), e.description.name, e.size, e.precision, now, {}, {}, {}};
    std::unique_ptr<lab::Case> running;
    if (on.empty()) {
      running = run_case(chosen, e, now, visit);
    }
    visit.findings =
        doctor::diagnose(*patient, now.schedule, visit.record ? &*visit.record : nullptr);
    if (prove) {
      for (const doctor::Diagnosis& d : visit.findings.diagnoses)
        visit.proofs.push_back(proof_of(*running, now, d));
    }
    if (!output.empty()) write_text_file(output, record_text(visit));
    print_visit(visit, json);
    for (std::size_t i = 0; i < visit.proofs.size(); ++i) {
      const auto& d = visit.findings.diagnoses[i];
      if (visit.proofs[i] && !visit.proofs[i]->confirms(d.predicted_gain)) {
        throw Failure(fmt::format(
            "{}: predicted {:.2f} times as fast, proved {:.2f}: the prediction did not hold",
            d.cause->name, d.predicted_gain, visit.proofs[i]->gain));
      }
    }
  }

  [[nodiscard]] doctor::Examination examination(const lab::BenchKernel& chosen) const {
    const auto make = [&](const Device& device, const model::Description& description) {
      return doctor::Examination{device,
                                 description,
                                 device.kind() == DeviceKind::cpu || is_here(),
                                 launch.extents(chosen),
                                 launch.digits(chosen),
                                 launch.site,
                                 launch.operations};
    };
    if (is_here()) {
      const Device device = named_device(on.empty() ? launch.device : on);
      return make(device, model::description_of(device.facts(), device.kind()));
    }
    const model::Description d = model::find_description(on);
    // Schedules of one cpu are those of another.
    return make(Device(!d.is_gpu() ? "cpu" : d.warp_width == 64 ? "simt:64" : "simt:32"), d);
  }

  /// Whether the device itself is asked for, not what a file says of one.
  [[nodiscard]] bool is_here() const { return on.empty() || model::names_device_here(on); }

  [[nodiscard]] std::string device_text(const doctor::Examination& e) const {
    return is_here() ? to_text(e.device.id()) : on;
  }

  /// Ceilings that the model takes from a data sheet or not at all, as they are here and now.
  static void measure_ceilings(doctor::Examination& e) {
    lab::RoofSource roof(e.device, true);
    const auto replace = [&](double model::Description::*member, const char* name) {
      check_interrupt();
      if (const Ceiling* const found = roof.find(name)) e.description.*member = found->value;
    };
    replace(&model::Description::copy_bytes_per_second, "copy");
    // Of what NVIDIA's L1 asks its L2 the model knows the bytes; AMD's L1 serves some of them.
    if (e.device.kind() == DeviceKind::cuda)
      replace(&model::Description::cache_bytes_per_second, "cache_copy");
    if (e.device.is_gpu()) return; // the data sheet says the rest
    replace(&model::Description::fp32_flops, "fma_fp32");
    replace(&model::Description::fp64_flops, "fma_fp64");
    replace(&model::Description::launch_seconds, "launch");
    replace(&model::Description::cache_bytes_per_second, "cache_copy");
    // A plain copy reads, beside the bytes that count, the lines that it writes: half as many.
    if (const Ceiling* const plain = roof.find("copy_plain")) {
      e.fill_cost =
          std::clamp(2 * (e.description.copy_bytes_per_second / plain->value - 1), 0.0, 1.0);
    }
  }

  [[nodiscard]] std::unique_ptr<lab::Case> run_case(const lab::BenchKernel& chosen,
                                                    const doctor::Examination& e,
                                                    const doctor::Prescription& now,
                                                    Visit& visit) const {
    lab::BenchRequest request = launch.request(chosen);
    request.schedule = now.schedule;
    request.measure.repeats = 5;
    request.measure.between = check_interrupt;
    lab::RoofSource roof(e.device, true);
    auto running = chosen.make_case(request, roof);
    lab::bench_case(*running, request, roof, [&](const Record& record) { visit.record = record; });
    if (visit.record->check && !visit.record->check->ok) {
      throw Failure(fmt::format("{} under '{}': {}", launch.kernel, now.schedule,
                                visit.record->check->message));
    }
    if (const auto memory = running->limit().memory; memory && e.device.host_accessible()) {
      const auto share =
          doctor::node_share(memory->a, static_cast<std::size_t>(memory->size.value));
      if (share) visit.record->details.push_back({doctor::node_share_detail, *share, {}});
    }
    return running;
  }

  [[nodiscard]] static std::optional<lab::Proof>
  proof_of(lab::Case& running, const doctor::Prescription& now, const doctor::Diagnosis& d) {
    if (d.schedule.empty()) return {}; // what is to be done is not a schedule's to do
    return lab::prove(running, {now.name, now.schedule}, {"", d.schedule}, check_interrupt);
  }
};

} // namespace

void add_doctor(CommandLine& line) {
  const Command command = line.add_command(
      "doctor", "why a launch is slow, what would help, by how much, and whether it does");
  auto o = std::make_shared<DoctorCommand>();
  o->launch.add_to(command);
  command.add("--device", &o->launch.device, "auto, cpu, cuda:N, hip:N: runs the launch there");
  command.add("--on", &o->on, "by the model alone: a device here, a described one, or FILE.json");
  command.add("--prove", &o->prove,
              "run each cure in turn with the launch; exits 1 when a prediction does not hold");
  command.add("--checklist", &o->checklist, "the checklist of the GPU memory guide, answered");
  command.add("--causes", &o->causes,
              "all causes, and what is said of launches with one planted cause each");
  command.add("--explain", &o->explain, "the background of a cause, and its source");
  command.add("-o,--output", &o->output,
              "write the launch's record with its diagnoses to a file for ridge report");
  command.add("--json", &o->json, "print JSON");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
