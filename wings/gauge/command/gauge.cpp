// `ridge gauge info`, `plaquette` and `convert`: what is in configurations.
#include <ridge/comm/carrier.hpp>
#include <ridge/comm/measure.hpp>
#include <ridge/core/error.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/slices.hpp>
#include <ridge/record/measure.hpp>

#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ridge::app {

namespace {

struct InfoOptions {
  std::string file;
  int configuration = 0;
  bool accept = false, json = false;

  void run() const {
    refuse_if(!std::filesystem::exists(file), "there is no file {}", file);
    comm::Communicator& ranks = comm::world();
    const io::GaugeFile read = io::read_gauge_file(ranks, file, configuration);
    const gauge::Slices slices(ranks, read.configuration.extents);
    const gauge::LinkAverages averages = gauge::link_averages(slices, read.configuration.links);
    json ? print_json(read, averages) : print(read, averages);
    std::fflush(stdout);
    ranks.barrier(); // the first to end ends all: not before rank 0 has printed
    if (accept) return;
    try {
      io::require_good(file, read);
    } catch (const Failure& wrong) {
      throw Failure(std::string(wrong.what()) + "; --accept makes no error of it");
    }
  }

private:
  void print(const io::GaugeFile& read, const gauge::LinkAverages& averages) const {
    fmt::print("{}: links of {}, {}\n", file, to_text(read.configuration.extents),
               io::to_text(read.form));
    for (const io::GaugeCheck& check : read.checks)
      fmt::print("  {:<20} {}  ({}: {})\n", check.what, check.found,
                 check.ok ? "expected" : "WRONG, expected", check.expected);
    fmt::print("  computed here: plaquette {:.12f}, link trace {:.12f}\n", averages.plaquette,
               averages.link_trace);
    for (const io::HeaderLine& line : read.configuration.header)
      fmt::print("  {} = {}\n", line.key, line.value);
  }

  void print_json(const io::GaugeFile& read, const gauge::LinkAverages& averages) const {
    nlohmann::ordered_json all;
    all["file"] = file;
    all["form"] = io::to_text(read.form);
    for (int d = 0; d < 4; ++d)
      all["size"].push_back(read.configuration.extents[d]);
    all["plaquette"] = averages.plaquette;
    all["link_trace"] = averages.link_trace;
    all["checks"] = nlohmann::ordered_json::array();
    for (const io::GaugeCheck& check : read.checks)
      all["checks"].push_back({{"what", check.what},
                               {"found", check.found},
                               {"expected", check.expected},
                               {"ok", check.ok}});
    all["header"] = nlohmann::ordered_json::object();
    for (const io::HeaderLine& line : read.configuration.header)
      all["header"][line.key] = line.value;
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
};

struct PlaquetteOptions {
  std::string file, size, device = "auto", grid;
  int configuration = 0;
  bool accept = false, json = false;

  void run() const {
    comm::Communicator& ranks = comm::world();
    io::GaugeFile read = read_configuration(ranks, file, size, accept, configuration);
    const lattice::RankLattice part = part_of(ranks, read.configuration.extents, grid);
    Queue queue(comm::device_of_rank(ranks, device));
    const auto links = links_of_slices(ranks, queue, part, std::move(read.configuration.links));
    check_interrupt();
    gauge::MeasurePlaquette measured(ranks, queue, part, links);
    const gauge::LinkAverages averages = measured();
    if (!json) {
      fmt::print("{}: plaquette {:.15f}, link trace {:.15f} on {}\n", file, averages.plaquette,
                 averages.link_trace, to_text(queue.device().id()));
      return;
    }
    MeasureOptions few;
    few.repeats = 3;
    few.warm_up = 0;
    if (ranks.ranks() == 1) few.between = check_interrupt;
    Record record = measured.record();
    const auto once = [&] { (void)measured(); };
    record.timing = ranks.ranks() == 1 ? measure(queue, once, few)
                                       : comm::measure_ranks(ranks, queue, once, few);
    record.details.insert(record.details.end(), {{"plaquette", averages.plaquette, ""},
                                                 {"link_trace", averages.link_trace, ""}});
    fmt::print("{}\n", to_json(std::vector{record}));
  }
};

struct ConvertOptions {
  std::string input, output, size;
  FormOptions form;
  int configuration = 0;
  bool accept = false, reunitarise = false, overwrite = false;

  void run() const {
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    plan.reads(input, "the input");
    if (ranks.rank() == 0) plan.writes(output, "the output"); // it alone
    plan.claim();
    const io::GaugeForm like{};
    (void)form.form(output, like); // wrong options are said before reading
    io::GaugeFile read =
        read_configuration(ranks, input, size, accept || reunitarise, configuration);
    const io::GaugeForm wanted = form.form(output, read.form);
    if (reunitarise) restore(ranks, read.configuration);
    if (interrupt_seen_by(ranks)) throw Interrupted{};
    write_configuration(ranks, plan, output, wanted, read.configuration);
    fmt::print("{} ({}) from {} ({}), links of {}\n", output, io::to_text(wanted), input,
               io::to_text(read.form), to_text(read.configuration.extents));
    ranks.barrier(); // the first to end ends all: not before rank 0 has written
  }

private:
  void restore(comm::Communicator& ranks, io::GaugeConfiguration& read) const {
    try {
      gauge::make_special_unitary({ranks, read.extents}, read.links);
    } catch (const Failure& e) {
      throw Failure(input + ": " + e.what());
    }
  }
};

void add_info(const Command& gauge) {
  const Command command =
      gauge.add_command("info", "what a configuration's file holds, with all its checks");
  auto o = std::make_shared<InfoOptions>();
  command.add({required("FILE", &o->file, gauge_forms),
               configuration_row(&o->configuration),
               {"--accept", &o->accept, "exit 0 though checks fail"},
               {"--json", &o->json, "print an object"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

void add_plaquette(const Command& gauge) {
  const Command command =
      gauge.add_command("plaquette", "average plaquette and link trace, on a device");
  auto o = std::make_shared<PlaquetteOptions>();
  command.add({required("FILE", &o->file, gauge_forms),
               {"--size", &o->size, "NXxNYxNZxNT that the file must have"},
               configuration_row(&o->configuration),
               {"--accept", &o->accept, "go on though checks of the file fail"},
               device_row(&o->device),
               rank_grid_row(&o->grid),
               {"--json", &o->json, "print an array with the record"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

void add_convert(const Command& gauge) {
  const Command command = gauge.add_command("convert", "a configuration in another format");
  auto o = std::make_shared<ConvertOptions>();
  command.add({required("INPUT", &o->input, gauge_forms),
               required("OUTPUT", &o->output, gauge_endings),
               {"--size", &o->size, "NXxNYxNZxNT that the input must have"}});
  command.add(o->form.rows());
  command.add({{"--reunitarise", &o->reunitarise,
                "make every link special unitary; checks of the input that fail are said only"},
               configuration_row(&o->configuration),
               {"--accept", &o->accept, "go on though checks of the input fail"},
               {"--overwrite", &o->overwrite, "replace an output that exists"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace

void add_gauge(CommandLine& line) {
  const Command command =
      line.add_command("gauge", "configurations of SU(3) links: files, plaquette, heatbath");
  add_info(command);
  add_plaquette(command);
  add_convert(command);
  add_heatbath(command);
  add_hmc(command);
  add_smear(command);
  add_observables(command);
}

} // namespace ridge::app
