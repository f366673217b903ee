// `ridge gauge hmc`: configurations by hybrid Monte Carlo, with two flavours of fermions or
// without.
#include <ridge/comm/carrier.hpp>
#include <ridge/gauge/hmc.hpp>
#include <ridge/gauge/host_links.hpp>

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

/// A mean and its error, from independent values.
struct MeanAndError {
  double mean = 0, error = 0;
};
MeanAndError mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  MeanAndError result;
  for (const double v : values)
    result.mean += v / n;
  for (const double v : values)
    result.error += (v - result.mean) * (v - result.mean);
  result.error = n > 1 ? std::sqrt(result.error / (n - 1) / n) : 0;
  return result;
}

std::string joined(const std::vector<double>& values) {
  std::string all;
  for (const double v : values)
    all += fmt::format("{}{:.15g}", all.empty() ? "" : " ", v);
  return all;
}

struct HmcCommand {
  GaugeStart start;
  std::string output, device = "auto", grid, integrator = "omelyan";
  FormOptions form;
  gauge::HmcOptions options;
  std::optional<std::uint64_t> seed;
  Index trajectories = 100, warm_up = 20, every = 1;
  bool overwrite = false, json = false;

  void run() {
    check();
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    if (start.goes_on()) plan.reads(start.from, "the start");
    if (ranks.rank() == 0) plan.writes(output, "the output"); // it alone
    plan.claim();
    const io::GaugeForm written = form.form(output, {});
    io::GaugeConfiguration c = start.begin(ranks, options.seed);
    const lattice::RankLattice part = part_of(ranks, c.extents, grid);
    Queue queue(comm::device_of_rank(ranks, device));
    const auto links = start.goes_on() ? links_of_slices(ranks, queue, part, std::move(c.links))
                                       : gauge::to_device(queue, part, c.links);
    c.links = {};
    options.first_trajectory = start.goes_on() ? sequence_number(c) : 0;
    options.between = [&ranks, calls = 0]() mutable {
      // Ranks ask each other, which takes them time.
      if ((ranks.ranks() == 1 || ++calls % 16 == 0) && interrupt_seen_by(ranks))
        throw Interrupted{};
    };
    gauge::Hmc hmc(ranks, queue, part, links, options);
    update(ranks, hmc);
    c.links = slices_of_links(ranks, queue, part, links);
    describe(c, hmc.trajectories(), label());
    write_configuration(ranks, plan, output, written, c);
    const bool stopped = interrupt_seen_by(ranks);
    if (stopped || !failure_.empty())
      fmt::print("{} holds the links after trajectory {}: go on with --start {}\n", output,
                 hmc.trajectories(), output);
    ranks.barrier(); // the first to end ends all: not before rank 0 has written
    if (!failure_.empty()) throw Failure(failure_);
    if (stopped) throw Interrupted{};
    print(hmc);
  }

private:
  void check() {
    refuse_if(!(options.beta >= 0) || !std::isfinite(options.beta),
              "--beta {}: expected a number of at least 0", options.beta);
    refuse_if(!(options.length > 0) || !std::isfinite(options.length),
              "--length {}: expected a number above 0", options.length);
    refuse_if(options.steps < 1, "--steps {}: expected at least 1", options.steps);
    check_fermions();
    options.seed = seed.value_or(1);
    refuse_if(trajectories < 0, "--trajectories {}: expected at least 0", trajectories);
    refuse_if(warm_up < 0, "--warm-up {}: expected at least 0", warm_up);
    refuse_if(every < 1, "--every {}: expected at least 1", every);
    options.integrator = is_first("--integrator", integrator, "omelyan", "leapfrog")
                             ? gauge::Integrator::omelyan
                             : gauge::Integrator::leapfrog;
  }

  void check_fermions() const {
    refuse_if(options.csw && !options.kappa, "--csw is for fermions: --kappa is needed, too");
    if (!options.kappa) return;
    refuse_if(options.csw && !std::isfinite(*options.csw), "--csw {}: expected a number",
              options.csw.value_or(0));
    refuse_if(!std::isfinite(*options.kappa), "--kappa {}: expected a number", *options.kappa);
    refuse_if(options.gauge_steps < 1, "--gauge-steps {}: expected at least 1",
              options.gauge_steps);
    refuse_if(options.most_iterations < 1, "--iterations {}: expected at least 1",
              options.most_iterations);
    const auto between = [](const char* option, double tolerance) {
      refuse_if(!(tolerance > 0 && tolerance < 1), "{} {}: expected a number between 0 and 1",
                option, tolerance);
    };
    between("--tol", options.force_tolerance);
    between("--tol-action", options.action_tolerance);
  }

  [[nodiscard]] std::string label() const {
    std::string fermions =
        options.kappa ? fmt::format(", two flavours of kappa {}", *options.kappa) : "";
    if (options.csw) fermions += fmt::format(", csw {}", *options.csw);
    return fmt::format("ridge hmc, beta {}{}, length {}, {} steps of {}, seed {}", options.beta,
                       fermions, options.length, options.steps, integrator, options.seed);
  }

  void update(comm::Communicator& ranks, gauge::Hmc& hmc) {
    Progress progress;
    const auto begin = std::chrono::steady_clock::now();
    if (!json)
      fmt::print("{:>10}  {:>16}  {:>12}  {:>6}{}\n", "trajectory", "plaquette", "dH", "taken",
                 options.kappa ? "  iterations" : "");
    std::fflush(stdout);
    Index iterations = 0;
    for (Index i = 0; i < trajectories && !interrupt_seen_by(ranks); ++i) {
      const bool always = hmc.trajectories() < warm_up;
      gauge::Trajectory last;
      try {
        last = hmc.trajectory(always);
      } catch (const Interrupted&) {
        break; // the links are those before it
      } catch (const Failure& error) {
        if (i == 0) throw;
        failure_ = error.what();
        break;
      }
      plaquettes_.push_back(last.plaquette);
      changes_.push_back(last.energy_change);
      if (!always) {
        weights_.push_back(std::exp(-last.energy_change));
        accepted_ += last.accepted ? 1 : 0;
      }
      if (!json && ((i + 1) % every == 0 || i + 1 == trajectories)) {
        progress.clear();
        fmt::print("{:>10}  {:>16.12f}  {:>12.4g}  {:>6}{}\n", hmc.trajectories(), last.plaquette,
                   last.energy_change,
                   always          ? "always"
                   : last.accepted ? "yes"
                                   : "no",
                   options.kappa ? fmt::format("  {:>10}", hmc.solves().iterations - iterations)
                                 : "");
        std::fflush(stdout);
      }
      iterations = hmc.solves().iterations;
      progress.show(fmt::format("trajectory {} of {}", i + 1, trajectories),
                    static_cast<double>(i + 1) / static_cast<double>(trajectories));
    }
    progress.clear();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void print(gauge::Hmc& hmc) const {
    const MeanAndError weight = mean_of(weights_);
    const double last = hmc.plaquette();
    const double counted = static_cast<double>(weights_.size());
    if (!json) {
      if (counted > 0)
        fmt::print("accepted {} of {}, <exp(-dH)> {:.4f} +- {:.4f}\n", accepted_, counted,
                   weight.mean, weight.error);
      fmt::print("{} {} in {}; wrote {}, plaquette {:.12f}\n", trajectories,
                 trajectories == 1 ? "trajectory" : "trajectories", to_text(Seconds{seconds_}),
                 output, last);
      return;
    }
    Record record = hmc.record();
    set_rate(record, trajectories, seconds_,
             static_cast<double>(record.work.read.value + record.work.written.value), "B/s");
    record.details.insert(record.details.end(),
                          {{"trajectories", static_cast<double>(hmc.trajectories()), ""},
                           {"beta", options.beta, ""},
                           {"plaquette", last, ""},
                           {"plaquettes", 0, joined(plaquettes_)},
                           {"energy_changes", 0, joined(changes_)}});
    if (options.kappa) {
      const gauge::Hmc::Solves solved = hmc.solves();
      record.details.insert(record.details.end(),
                            {{"kappa", *options.kappa, ""},
                             {"csw", options.csw.value_or(0), ""},
                             {"solves", static_cast<double>(solved.solves), ""},
                             {"iterations", static_cast<double>(solved.iterations), ""}});
    }
    if (counted > 0) {
      record.details.insert(record.details.end(),
                            {{"acceptance", static_cast<double>(accepted_) / counted, ""},
                             {"exp_energy_change", weight.mean, ""},
                             {"exp_energy_change_error", weight.error, ""}});
    }
    fmt::print("{}\n", to_json(std::vector{record}));
  }

  std::vector<double> plaquettes_, changes_, weights_;
  Index accepted_ = 0;
  double seconds_ = 0;
  std::string failure_; ///< what ended the trajectories before the last one
};

} // namespace

void add_hmc(const Command& gauge) {
  const Command command = gauge.add_command(
      "hmc", "make a configuration by hybrid Monte Carlo, with two flavours or without");
  auto o = std::make_shared<HmcCommand>();
  command.add({
      {"--size", &o->start.size, "NXxNYxNZxNT"},
      {"--beta", &o->options.beta, "6 / g^2; 6 if not given"},
      {"--trajectories", &o->trajectories, "100 if not given, 0 writes the start"},
      {"--length", &o->options.length, "of a trajectory; 1 if not given"},
      {"--steps", &o->options.steps, "of a trajectory; 10 if not given"},
      {"--integrator", &o->integrator, "omelyan (if not given; two forces a step) or leapfrog"},
      {"--kappa", &o->options.kappa, "two flavours of Wilson fermions, antiperiodic in time"},
      {"--csw", &o->options.csw, "the clover term's coefficient; no term if not given"},
      {"--gauge-steps", &o->options.gauge_steps,
       "by the gauge force in each move of links between fermion forces; 4 if not given"},
      {"--tol", &o->options.force_tolerance, "|b - A x| / |b| in forces; 1e-8 if not given"},
      {"--tol-action", &o->options.action_tolerance, "the same in dH; 1e-11 if not given"},
      {"--iterations", &o->options.most_iterations, "most of a solve; 10000 if not given"},
      {"--reproducible", &o->options.reproducible,
       "fermions have the same bits for any number of ranks"},
      {"--warm-up", &o->warm_up,
       "trajectories, from the first ever, that are taken whatever dH is; 20 if not given"},
      {"--seed", &o->seed, "of the random numbers; 1 if not given"},
      {"--start", &o->start.from,
       "cold (if not given), hot, or FILE: go on from there, trajectories counted on"},
      {"--every", &o->every, "trajectories between lines; 1 if not given"},
      required("-o,--output", &o->output,
               "the links after the last trajectory; Ctrl-C writes them, too"),
  });
  command.add(o->form.rows());
  command.add({device_row(&o->device),
               rank_grid_row(&o->grid),
               configuration_row(&o->start.configuration),
               {"--accept", &o->start.accept, "go on though checks of the start fail"},
               {"--overwrite", &o->overwrite, "replace an output that exists"},
               {"--json", &o->json, "print an array with the record of a trajectory"}});
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
