// `ridge gauge smear`: APE and stout links.
#include <ridge/comm/carrier.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/smear.hpp>

#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::app {

namespace {

struct SmearCommand {
  std::string input, output, size, device = "auto", grid;
  FormOptions form;
  std::optional<double> ape, stout;
  int steps = 1, configuration = 0;
  bool spatial = false, accept = false, overwrite = false;

  void run() const {
    refuse_if(ape && stout, "--ape and --stout: give one of them, not both");
    refuse_if(!ape && !stout, "either --ape ALPHA or --stout RHO is needed");
    const double weight = ape ? *ape : *stout;
    refuse_if(!std::isfinite(weight) || (ape && (weight < 0 || weight > 1)),
              "--{} {}: expected a number{}", ape ? "ape" : "stout", weight,
              ape ? " between 0 and 1" : "");
    refuse_if(steps < 0, "--steps {}: expected at least 0", steps);
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    plan.reads(input, "the input");
    if (ranks.rank() == 0) plan.writes(output, "the output"); // it alone
    plan.claim();
    (void)form.form(output, {}); // wrong options are said before reading
    io::GaugeFile read = read_configuration(ranks, input, size, accept, configuration);
    const io::GaugeForm wanted = form.form(output, read.form);
    const lattice::RankLattice part = part_of(ranks, read.configuration.extents, grid);
    Queue queue(comm::device_of_rank(ranks, device));
    auto links = links_of_slices(ranks, queue, part, std::move(read.configuration.links));
    const auto plaquette = [&] {
      return gauge::MeasurePlaquette(ranks, queue, part, links)().plaquette;
    };
    const double before = plaquette();
    Progress progress;
    for (int i = 0; i < steps; ++i) {
      if (interrupt_seen_by(ranks)) throw Interrupted{};
      gauge::smear(ranks, queue, part, links, {stout.has_value(), weight, 1, spatial});
      progress.show(fmt::format("step {} of {}", i + 1, steps), static_cast<double>(i + 1) / steps);
    }
    progress.clear();
    const double after = plaquette();
    fail_if(!std::isfinite(after), "the links are no numbers after {} {} with --{} {}: give less",
            steps, steps == 1 ? "step" : "steps", ape ? "ape" : "stout", weight);
    read.configuration.links = slices_of_links(ranks, queue, part, links);
    if (interrupt_seen_by(ranks)) throw Interrupted{};
    write_configuration(ranks, plan, output, wanted, read.configuration);
    fmt::print("{}: {} of {}, {} {}, plaquette {:.12f} -> {:.12f} on {}\n", output,
               stout ? "stout" : "APE", input, steps, steps == 1 ? "step" : "steps", before, after,
               to_text(queue.device().id()));
    ranks.barrier(); // the first to end ends all: not before rank 0 has written
  }
};

} // namespace

void add_smear(const Command& gauge) {
  const Command command = gauge.add_command("smear", "APE or stout links of a configuration");
  auto o = std::make_shared<SmearCommand>();
  command.add({
      required("INPUT", &o->input, gauge_forms),
      required("OUTPUT", &o->output, gauge_endings),
      {"--ape", &o->ape,
       "weight of the staples' mean beside 1 - weight of the link, put back into SU(3)"},
      {"--stout", &o->stout, "rho, the weight of each staple"},
      {"--steps", &o->steps, "how often, 0 or more; 1 if not given"},
      {"--spatial", &o->spatial, "links and staples in space only"},
      {"--size", &o->size, "NXxNYxNZxNT that the input must have"},
  });
  command.add(o->form.rows());
  command.add({device_row(&o->device),
               rank_grid_row(&o->grid),
               configuration_row(&o->configuration),
               {"--accept", &o->accept, "go on though checks of the input fail"},
               {"--overwrite", &o->overwrite, "replace an output that exists"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
