#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/plan.hpp>
#include <ridge/lab/table.hpp>

#include "../io/output_file.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

#include <fmt/core.h>

#include <set>

namespace ridge::app {

namespace {

struct LabCommand {
  std::string device = "auto";
  bool quick = false;
  std::string json_file;
  bool overwrite = false;

  void run() const {
    io::OutputPlan plan(overwrite);
    if (!json_file.empty()) plan.writes_at_once(json_file, "the file of records");
    plan.claim();
    const Device chosen(device == "auto" ? best_device() : parse_device(device));
    const DeviceFacts& facts = chosen.facts();
    fmt::print("Ridge lab on {}: {}, {}, {} units, {} of memory\n", to_text(chosen.id()),
               facts.name, facts.architecture, facts.units, to_text(facts.memory));
    const auto planned = lab::lab_plan(chosen, quick);
    // A kernel has several rows: one for each of its sizes, precisions and schedules.
    std::set<std::string> kernels;
    for (const lab::PlannedRun& p : planned)
      kernels.insert(p.kernel);
    fmt::print("{} kernels; takes {}\n", kernels.size(),
               chosen.is_gpu() ? "about a minute"
               : quick         ? "about a minute on two cores"
                               : "one to two minutes on two cores");
    if (device == "auto" && !chosen.is_gpu())
      fmt::print("no GPU here, so everything runs on the cpu\n");
    std::fflush(stdout);

    lab::RoofSource roof(chosen, quick);
    const std::vector<Record> records = run_all(chosen, planned, roof);
    print(records, roof);
    if (!json_file.empty()) io::write_text_file(plan, json_file, to_json(records) + "\n");
    for (const Record& r : records) {
      if (r.check && !r.check->ok) {
        throw Failure(fmt::format("{} {} under '{}' failed its check: {}", r.kernel,
                                  to_text(r.size), r.schedule, r.check->message));
      }
    }
  }

  [[nodiscard]] std::vector<Record> run_all(const Device& chosen,
                                            const std::vector<lab::PlannedRun>& planned,
                                            lab::RoofSource& roof) const {
    std::vector<Record> records;
    Progress progress;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      const lab::PlannedRun& p = planned[i];
      progress.show(fmt::format("{} of {}: {} {} {}", i + 1, planned.size(), p.kernel,
                                to_text(p.size), p.precision));
      lab::BenchRequest request{chosen, p.size, p.precision, p.schedule, {}};
      // On a cpu each launch takes a tenth of a second, and many rows are measured.
      request.measure.repeats = quick ? 5 : chosen.is_gpu() ? 11 : 7;
      request.measure.between = check_interrupt;
      request.measure.patience = Seconds{quick ? 1.5 : chosen.is_gpu() ? 4.0 : 2.0};
      lab::run_kernel(lab::find_bench_kernel(p.kernel), request, roof, [&](const Record& record) {
        check_interrupt();
        records.push_back(record);
      });
    }
    return records;
  }

  static void print(const std::vector<Record>& records, lab::RoofSource& roof) {
    lab::Table table(lab::record_header());
    std::set<std::string> roofs;
    for (const Record& r : records) {
      table.add(lab::record_row(r));
      if (r.achieved && r.achieved->roof > 0) roofs.insert(r.achieved->roof_name);
    }
    fmt::print("\n{}\n", table.text());
    for (const std::string& name : roofs) {
      if (const Ceiling* const c = roof.known(name)) {
        print_ceiling("roof " + name, *c);
      } else if (name == "issue") {
        fmt::print("roof issue: the operations an interaction declares, at these rates\n");
        for (const char* const rate : {"fma_fp32", "fma_fp64", "rsqrt_fp32"}) {
          const Ceiling* const known = roof.known(rate);
          if (known != nullptr) print_ceiling(std::string("  ") + rate, *known);
        }
      } else {
        fmt::print("roof {}: measured in turn with each row, on the same memory\n", name);
      }
    }
    if (const std::string busy = lab::busy_text(records); !busy.empty()) fmt::print("{}\n", busy);
    std::set<std::string> told;
    for (const Record& r : records) {
      if (told.insert(r.kernel).second)
        fmt::print("{}\n", lab::within_columns(r.kernel + ": " + r.work.convention, 2));
    }
  }

  static void print_ceiling(const std::string& name, const Ceiling& c) {
    fmt::print("{}: {}, measured in this run ({})\n", name, quantity(c.value, c.unit), c.how);
  }
};

} // namespace

void add_lab(CommandLine& line) {
  const Command command =
      line.add_command("lab", "run everything on the best device here: one checked table");
  auto o = std::make_shared<LabCommand>();
  command.add({device_row(&o->device),
               {"--quick", &o->quick, "fewer kernels and repeats"},
               {"--json", &o->json_file, "also write the records to this file"},
               {"--overwrite", &o->overwrite, "replace the file of --json when it exists"}});
  command.set_action([o] {
    const WithinLaunches are_given_up;
    o->run();
  });
}

} // namespace ridge::app
