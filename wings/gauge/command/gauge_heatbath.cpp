// `ridge gauge heatbath`: configurations of the Wilson gauge action.
#include <ridge/comm/carrier.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/record/estimate.hpp>

#include "app/interrupt.hpp"
#include "app/run.hpp"
#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"
#include "gauge_start.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace ridge::app {

namespace {

struct HeatbathCommand {
  GaugeStart start;
  std::string output, device = "auto", grid;
  FormOptions form;
  double beta = 6;
  Index sweeps = 100, every = 0;
  int relaxations = 4;
  std::optional<std::uint64_t> seed;
  bool overwrite = false, json = false;

  void run() {
    check();
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    const bool goes_on = start.goes_on();
    if (goes_on) plan.reads(start.from, "the start");
    if (ranks.rank() == 0) plan.writes(output, "the output"); // it alone
    plan.claim();
    const io::GaugeForm written = form.form(output, {});
    io::GaugeConfiguration c = start.begin(ranks, *seed);
    const lattice::RankLattice part = part_of(ranks, c.extents, grid);
    Queue queue(comm::device_of_rank(ranks, device));
    const auto links = goes_on ? links_of_slices(ranks, queue, part, std::move(c.links))
                               : gauge::to_device(queue, part, c.links);
    c.links = {};
    gauge::Heatbath heatbath(ranks, queue, part, links,
                             {beta, relaxations, *seed, goes_on ? sequence_number(c) : 0});
    gauge::MeasurePlaquette measured(ranks, queue, part, links);
    update(ranks, heatbath, measured);
    c.links = slices_of_links(ranks, queue, part, links);
    describe(c, heatbath.sweeps(),
             fmt::format("ridge heatbath, beta {}, {} overrelaxations, seed {}", beta, relaxations,
                         *seed));
    write_configuration(ranks, plan, output, written, c);
    const bool stopped = interrupt_seen_by(ranks);
    if (stopped)
      fmt::print("{} holds the links after sweep {}: go on with --start {}\n", output,
                 heatbath.sweeps(), output);
    ranks.barrier(); // the first to end ends all: not before rank 0 has written
    if (stopped) throw Interrupted{};
    print(heatbath, measured);
  }

private:
  void check() {
    refuse_if(!(beta >= 0) || !std::isfinite(beta), "--beta {}: expected a number of at least 0",
              beta);
    const auto refuse_negative = [](const char* option, Index n) {
      refuse_if(n < 0, "{} {}: expected at least 0", option, n);
    };
    refuse_negative("--sweeps", sweeps);
    refuse_negative("--every", every);
    refuse_negative("--relaxations", relaxations);
    if (!seed) seed = 1;
    if (every == 0) every = std::max<Index>(1, sweeps / 20);
  }

  void update(comm::Communicator& ranks, gauge::Heatbath& heatbath,
              gauge::MeasurePlaquette& measured) {
    Progress progress;
    const auto begin = std::chrono::steady_clock::now();
    if (!json) fmt::print("{:>8}  {:>16}\n", "sweep", "plaquette");
    for (Index i = 0; i < sweeps && !interrupt_seen_by(ranks); ++i) {
      heatbath.sweep();
      if ((i + 1) % every != 0 && i + 1 != sweeps) continue;
      const double plaquette = measured().plaquette; // waits
      history_.push_back(plaquette);
      if (!json) {
        progress.clear();
        fmt::print("{:>8}  {:>16.12f}\n", heatbath.sweeps(), plaquette);
        std::fflush(stdout);
      }
      progress.show(fmt::format("sweep {} of {}", i + 1, sweeps),
                    static_cast<double>(i + 1) / static_cast<double>(sweeps));
    }
    progress.clear();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void print(const gauge::Heatbath& heatbath, gauge::MeasurePlaquette& measured) const {
    const double last = measured().plaquette;
    if (!json) {
      fmt::print("{} {} in {}; wrote {}, plaquette {:.12f}\n", sweeps,
                 sweeps == 1 ? "sweep" : "sweeps", to_text(Seconds{seconds_}), output, last);
      return;
    }
    Record record = heatbath.record();
    const double launches = static_cast<double>(sweeps) * 8 * (1 + relaxations);
    set_rate(record, static_cast<Index>(launches), seconds_,
             static_cast<double>(record.work.read.value + record.work.written.value), "B/s");
    std::string all;
    for (const double p : history_)
      all += fmt::format("{}{:.15g}", all.empty() ? "" : " ", p);
    record.details.insert(record.details.end(),
                          {{"sweeps", static_cast<double>(heatbath.sweeps()), ""},
                           {"beta", beta, ""},
                           {"plaquette", last, ""},
                           {"plaquettes", 0, all}});
    fmt::print("{}\n", to_json(std::vector{record}));
  }

  std::vector<double> history_;
  double seconds_ = 0;
};

} // namespace

void add_heatbath(const Command& gauge) {
  const Command command = gauge.add_command(
      "heatbath", "make a configuration of the Wilson gauge action by heatbath and overrelaxation");
  auto o = std::make_shared<HeatbathCommand>();
  command.add({
      {"--size", &o->start.size, "NXxNYxNZxNT, all even"},
      {"--beta", &o->beta, "6 / g^2; 6 if not given"},
      {"--sweeps", &o->sweeps, "of heatbath; 100 if not given, 0 writes the start"},
      {"--relaxations", &o->relaxations, "sweeps of overrelaxation after each; 4 if not given"},
      {"--seed", &o->seed, "of the random numbers; 1 if not given"},
      {"--start", &o->start.from,
       "cold (if not given), hot, or FILE: go on from there, sweeps counted on"},
      {"--every", &o->every, "sweeps between plaquettes; a twentieth if not given"},
      required("-o,--output", &o->output,
               "the links after the last sweep; Ctrl-C writes them, too"),
  });
  command.add(o->form.rows());
  command.add({device_row(&o->device),
               rank_grid_row(&o->grid),
               configuration_row(&o->start.configuration),
               {"--accept", &o->start.accept, "go on though checks of the start fail"},
               {"--overwrite", &o->overwrite, "replace an output that exists"},
               {"--json", &o->json, "print an array with the record of a launch"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
