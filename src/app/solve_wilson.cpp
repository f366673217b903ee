// `ridge solve wilson`: propagators, and the pion's correlator.
#include <ridge/core/error.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/record/roof.hpp>

#include "../io/gauge/propagator_file.hpp"
#include "../io/output_file.hpp"
#include "correlator.hpp"
#include "gauge_input.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "solve_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ridge::app {

namespace {

/// "X,Y,Z,T" of "point:X,Y,Z,T"; the origin of "point".
std::vector<Index> parse_source(const std::string& text, const Extents& extents) {
  std::vector<Index> at;
  const std::string right = fmt::format("--source {}: expected point, or point:X,Y,Z,T within {}",
                                        text, to_text(extents));
  if (!text.starts_with("point")) throw UsageError(right);
  if (text == "point") return {0, 0, 0, 0};
  if (text.size() < 7 || text[5] != ':') throw UsageError(right);
  const char* from = text.data() + 6;
  const char* const end = text.data() + text.size();
  while (from < end) {
    Index x = 0;
    const auto [next, status] = std::from_chars(from, end, x);
    if (status != std::errc{} || (next != end && *next != ',')) throw UsageError(right);
    at.push_back(x);
    from = next == end ? end : next + 1;
  }
  bool inside = at.size() == 4 && text.back() != ',';
  for (std::size_t d = 0; inside && d < 4; ++d)
    inside = at[d] >= 0 && at[d] < extents[static_cast<int>(d)];
  if (!inside) throw UsageError(right);
  return at;
}

struct SolveCommand {
  std::string input, output, from, source = "point", boundary = "antiperiodic";
  std::string precision, solver = "cg", device = "auto", size, picture;
  std::optional<double> kappa, mass;
  double tolerance = 1e-10;
  Index iterations = 10000;
  bool accept = false, overwrite = false, json = false, no_roof = false;

  void run() {
    const gauge::WilsonNumbers numbers = check();
    io::OutputPlan plan(overwrite);
    plan.reads(input, "the configuration");
    if (!from.empty()) plan.reads(from, "the start");
    plan.writes(output, "the output");
    if (!picture.empty()) plan.writes_at_once(picture, "the picture");
    plan.claim();
    const io::GaugeFile read = read_configuration(input, size, accept);
    const Extents& extents = read.configuration.extents;
    const std::vector<Index> at = parse_source(source, extents);
    std::optional<io::PropagatorReader> start;
    if (!from.empty()) start.emplace(from, extents);
    Queue queue{Device(device == "auto" ? best_device() : parse_device(device))};
    gauge::WilsonSolver wilson(
        queue, extents, read.configuration.links, numbers,
        boundary == "periodic" ? gauge::periodic : gauge::antiperiodic_in_time, method());
    io::OutputFile file(plan, output);
    file.require_room(static_cast<std::uintmax_t>(extents.count()) * 144 * 16);
    io::PropagatorWriter writer(file.path(), extents);
    columns(queue, wilson, at, start ? &*start : nullptr, writer);
    io::PropagatorFacts facts = facts_;
    facts.kappa = kappa ? *kappa : 0.5 / (*mass + 4);
    facts.tolerance = tolerance;
    facts.source = at;
    facts.configuration = input;
    facts.boundary = boundary;
    writer.finish(facts);
    file.commit();
    end(plan, queue, extents, at[3]);
  }

private:
  [[nodiscard]] gauge::WilsonSolver::Method method() const {
    using Method = gauge::WilsonSolver::Method;
    if (solver == "bicgstab") return Method::bicgstab;
    return precision == "fp64" ? Method::cg : Method::mixed_cg;
  }

  gauge::WilsonNumbers check() const {
    const auto choose = [](const char* name, const std::string& value, const char* first,
                           const char* second) {
      if (value != first && value != second)
        throw UsageError(fmt::format("{} {}: expected {} or {}", name, value, first, second));
    };
    choose("--boundary", boundary, "antiperiodic", "periodic");
    if (!precision.empty()) choose("--precision", precision, "mixed", "fp64");
    choose("--solver", solver, "cg", "bicgstab");
    if (solver == "bicgstab" && precision == "mixed")
      throw UsageError("--precision mixed is for --solver cg");
    if (kappa.has_value() == mass.has_value())
      throw UsageError("either --kappa or --mass is needed");
    if (!(tolerance > 0 && tolerance < 1))
      throw UsageError(fmt::format("--tol {}: expected a number between 0 and 1", tolerance));
    if (iterations < 1)
      throw UsageError(fmt::format("--iterations {}: expected at least 1", iterations));
    if (kappa && !std::isfinite(*kappa)) throw UsageError("--kappa: expected a number");
    if (mass && !(std::isfinite(*mass) && *mass != -4))
      throw UsageError("--mass: expected a number other than -4");
    return kappa ? gauge::by_kappa(*kappa) : gauge::by_mass(*mass);
  }

  void columns(Queue& queue, gauge::WilsonSolver& wilson, const std::vector<Index>& at,
               io::PropagatorReader* start, io::PropagatorWriter& writer) {
    const Extents& extents = wilson.lattice().extents();
    gauge::Fermion<double> b(queue.device(), wilson.lattice(), "the source");
    gauge::Fermion<double> x(queue.device(), wilson.lattice(), "the solution");
    correlator_.assign(static_cast<std::size_t>(extents[3]), 0);
    const auto place = static_cast<std::size_t>(
        at[0] + extents[0] * (at[1] + extents[1] * (at[2] + extents[2] * at[3])));
    Progress line;
    if (!json)
      fmt::print("{:>6} {:>10} {:>12} {:>10}\n", "column", "iterations", "residual", "time");
    for (int c = 0; c < io::propagator_columns; ++c) {
      io::Column sites(static_cast<std::size_t>(extents.count()));
      component(sites[place], c) = {1, 0};
      b.set(queue, sites);
      component(sites[place], c) = {0, 0};
      x.set(queue, start != nullptr ? start->read(c) : sites);
      solve::Solved solved;
      if (!interrupt_seen()) {
        solve::Options options{.tolerance = tolerance, .most_iterations = iterations};
        options.go_on = [&](const solve::Progress& now) {
          line.show(fmt::format("column {} of {}: iteration {}, residual {:.1e}", c + 1,
                                io::propagator_columns, now.iterations, now.residual));
          return !interrupt_seen();
        };
        solved = wilson.solve(x, b, options);
      } else {
        solved.residual = wilson.residual(x, b);
      }
      add(solved);
      line.clear();
      if (!json) {
        fmt::print("{:>6} {:>10} {:>12.2e} {:>10}{}\n", c, solved.iterations, solved.residual,
                   to_text(solved.seconds), solved.converged ? "" : "  not converged");
        std::fflush(stdout);
      }
      writer.write(c, x.get(queue));
      const auto slices = slice_norm2(queue, x, 3);
      for (std::size_t t = 0; t < slices.size(); ++t)
        correlator_[t] += slices[t];
    }
  }

  void add(const solve::Solved& solved) {
    facts_.residuals.push_back(solved.residual);
    facts_.iterations.push_back(solved.iterations);
    total_.iterations += solved.iterations;
    total_.updates += solved.updates;
    total_.bytes += solved.bytes;
    total_.flops += solved.flops;
    total_.seconds.value += solved.seconds.value;
    total_.residual = std::max(total_.residual, solved.residual);
    unfinished_ += solved.converged ? 0 : 1;
  }

  void end(const io::OutputPlan& plan, Queue& queue, const Extents& extents, Index from_t) const {
    const Correlator pion(correlator_, from_t);
    if (!picture.empty()) pion.draw(plan, picture);
    if (json) {
      print_record(queue, extents);
    } else {
      fmt::print("{}", pion.table("pion"));
      fmt::print("{} iterations in {}, {} on {}; wrote {}\n", total_.iterations,
                 to_text(total_.seconds), quantity(total_.bytes / total_.seconds.value, "B/s"),
                 to_text(queue.device().id()), output);
    }
    if (interrupt_seen() && !json)
      fmt::print("{} holds what was reached: go on with --from {}\n", output, output);
    check_interrupt();
    if (unfinished_ == 0) return;
    throw Failure(fmt::format(
        "{} of {} columns did not converge to {:g}: the largest residual is {:.2e}; {} holds the "
        "best there is (go on with --from)",
        unfinished_, io::propagator_columns, tolerance, total_.residual, output));
  }

  void print_record(Queue& queue, const Extents& extents) const {
    const bool mixed = method() == gauge::WilsonSolver::Method::mixed_cg;
    solve::Solved all_columns = total_;
    all_columns.converged = unfinished_ == 0;
    Record record = solve::record_of(all_columns, queue.device(), "wilson",
                                     mixed ? "mixed" : "fp64", extents, extents.count());
    Roof roof;
    if (!no_roof) roof = measure_roof(queue.device(), {.quick = true, .only = {"copy"}});
    if (const Ceiling* const copy = roof.find("copy"); copy != nullptr && record.achieved) {
      record.achieved->roof = copy->value;
      record.achieved->roof_name = "copy";
    }
    record.details.push_back({"solver", 0, solver});
    std::string all;
    for (const double c : correlator_)
      all += fmt::format("{}{:.15g}", all.empty() ? "" : " ", c);
    record.details.push_back({"correlator", 0, all});
    fmt::print("{}\n", to_json(std::vector{record}));
  }

  io::PropagatorFacts facts_;
  solve::Solved total_;
  int unfinished_ = 0;
  std::vector<double> correlator_;
};

} // namespace

void add_solve_wilson(const Command& solve) {
  const Command command =
      solve.add_command("wilson", "D x = b of Wilson fermions: a propagator of 12 columns");
  auto o = std::make_shared<SolveCommand>();
  command.add("INPUT", &o->input, "the configuration: NERSC, ILDG (LIME) or HDF5").require();
  command.add("-o,--output", &o->output, "FILE.h5: the propagator").require();
  command.add("--kappa", &o->kappa, "the hopping parameter");
  command.add("--mass", &o->mass, "the bare mass instead, 1 / (2 kappa) - 4");
  command.add("--source", &o->source, "point (if not given), or point:X,Y,Z,T");
  command.add("--boundary", &o->boundary,
              "of fermions in time: antiperiodic (if not given) or periodic");
  command.add("--tol", &o->tolerance, "|b - D x| / |b|; 1e-10 if not given");
  command.add("--iterations", &o->iterations, "most of a column; 10000 if not given");
  command.add("--solver", &o->solver, "cg (if not given): on D^+ D; or bicgstab, on D, in fp64");
  command.add("--precision", &o->precision, "mixed: fp32 within fp64 (if not given), or fp64");
  command.add("--from", &o->from, "FILE.h5: a propagator to begin from");
  command.add("--size", &o->size, "NXxNYxNZxNT that the configuration must have");
  command.add("--picture", &o->picture, "PNG of the pion's correlator, bars of its logarithm");
  command.add_device(&o->device);
  command.add("--accept", &o->accept, "go on though checks of the configuration fail");
  command.add("--overwrite", &o->overwrite, "replace an output that exists");
  command.add("--json", &o->json, "print an array with the record");
  command.add("--no-roof", &o->no_roof, "measure no ceiling for it");
  command.set_footer("\nCtrl-C keeps what was reached, to go on by --from.\n");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
