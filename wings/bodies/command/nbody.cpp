#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>

#include "../src/periods.hpp"
#include "../src/solar_system.hpp"
#include "../src/starts.hpp"
#include "app/bodies_input.hpp"
#include "app/bodies_run.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/run_device.hpp"
#include "core/refuse.hpp"
#include "nbody_file.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace ridge::app {

namespace {

using nbody::Parameters;
using nbody::Snapshot;
using Json = nlohmann::ordered_json;

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct NbodyOptions : BodiesOptions {
  std::optional<Index> plummer, cold_collapse;
  bool solar_system = false;
  std::optional<double> softening, gravity;
  std::optional<std::string> integrator, forces;
  std::optional<double> theta, error;
  std::optional<Index> order;
  bool domains = false;

  [[nodiscard]] std::vector<OptionRow> rows();
};

std::vector<OptionRow> NbodyOptions::rows() {
  return {
      {"INPUT", &input, "FILE.h5, FILE.h5:/group or FILE.csv: bodies of yours"},
      {"-o,--output", &output, "FILE.h5: the snapshots, with FILE.xdmf beside it for ParaView"},
      {"--plummer", &plummer, "start from a Plummer sphere of N bodies, in Henon's units"},
      {"--cold-collapse", &cold_collapse,
       "start from a homogeneous sphere of N bodies at rest, mass and radius 1"},
      {"--solar-system", &solar_system,
       "start from the Sun and planets at J2000, in au, days and solar masses; tells their "
       "periods"},
      {"--restart", &restart, "FILE.h5: go on from the last snapshot of this run, bit by bit"},
      {"--seed", &seed, "of --plummer and --cold-collapse; 1 if not given"},
      {"--steps", &steps, "steps to take; 1000 if not given, 0: the energy of the start"},
      fresh("--dt", &dt, "time of a step; needed with INPUT"),
      fresh("--softening", &softening,
            "Plummer's softening length; 0 if not given, 0.01 for --plummer and --cold-collapse"),
      fresh("--G", &gravity, "constant of gravity; 1 if not given"),
      {"--every", &every, "steps between snapshots; a tenth of --steps if not given"},
      fresh("--integrator", &integrator, "leapfrog (if not given) or yoshida4"),
      fresh("--forces", &forces,
            "pairs: sums over all pairs of bodies (if not given), or tree: near bodies one by one, "
            "far ones by nodes of an octree"),
      fresh("--theta", &theta,
            "of --forces tree: how wide a node may look, from 0 (all pairs) to 1.5; 0.5 if not "
            "given"),
      fresh("--error", &error,
            "of --forces tree, in place of --theta: the rms error of accelerations at the start, "
            "such as 1e-4; chooses theta and order, and checks a sample against all pairs"),
      fresh("--order", &order,
            "of --forces tree: of the moments of nodes, 1 (their masses) to 5; if not given, 2, "
            "for fewer than 10000 bodies 4, or what --error chooses"),
      {"--domains", &domains,
       "of --forces tree over ranks: each keeps the bodies of a region, and gets what these need "
       "of the others' trees; if not given, each keeps all bodies"},
      fresh("--precision", &precision,
            "fp32, fp64, or mixed: state and sums in fp64, interactions in fp32; mixed if not "
            "given, fp64 for --solar-system"),
      device_row(&device),
      {"--schedule", &schedule,
       "of the pair sums: auto, a name, or fields such as 'form=direct tile=4'"},
      {"--overwrite", &overwrite, "replace the output file when it exists"},
      {"--json", &json, "print an array with the record"},
  };
}

void require_one_start(const NbodyOptions& o) {
  const bool made = o.plummer || o.cold_collapse;
  o.require_one_start((o.plummer ? 1 : 0) + (o.cold_collapse ? 1 : 0) + (o.solar_system ? 1 : 0),
                      "INPUT, --plummer N, --cold-collapse N, --solar-system or --restart FILE");
  refuse_if(o.seed && !made, "--seed goes with --plummer and --cold-collapse");
  o.require_output();
}

Parameters parameters_of(const NbodyOptions& o) {
  Parameters p;
  refuse_if(!o.input.empty() && !o.dt, "--dt is needed: the time of a step");
  // Those of the starts without a file fit their units; softening as many would choose it.
  p.dt = o.dt.value_or(o.solar_system ? 0.5 : 1e-3);
  p.softening = o.softening.value_or(o.plummer || o.cold_collapse ? 0.01 : 0);
  p.gravity = o.gravity.value_or(o.solar_system ? nbody::solar_gravity : 1);
  p.precision = o.precision      ? spatial::parse_precision(*o.precision)
                : o.solar_system ? nbody::Precision::fp64
                                 : nbody::Precision::mixed;
  if (o.integrator) p.integrator = nbody::parse_integrator(*o.integrator);
  if (o.forces) p.forces = nbody::parse_forces(*o.forces);
  refuse_if((o.theta || o.order || o.error) && p.forces != nbody::Forces::tree,
            "{} goes with --forces tree",
            o.theta   ? "--theta"
            : o.error ? "--error"
                      : "--order");
  refuse_if(o.theta && o.error, "--theta and --error: give one of them");
  p.theta = o.theta.value_or(p.theta);
  if (o.error) {
    refuse_if(!(*o.error > 0), "--error {:g}: it must be positive", *o.error);
    p.error = *o.error;
    p.order = 0; // either
  }
  if (o.order) p.order = static_cast<int>(std::clamp<Index>(*o.order, -99, 99));
  require_sound(p);
  return p;
}

NbodyBeginning begin_anew(const NbodyOptions& o) {
  NbodyBeginning b;
  b.run.parameters = parameters_of(o);
  if (!o.input.empty()) {
    b.run.start = o.input;
    b.at.bodies = read_bodies(o.input, b.files);
  } else if (o.solar_system) {
    b.run.start = "solar-system";
    b.at.bodies = nbody::solar_system();
  } else {
    const auto seed = o.seed.value_or(1);
    const char* const name = o.plummer ? "plummer" : "cold-collapse";
    const Index count = o.plummer ? *o.plummer : *o.cold_collapse;
    if (count <= nbody::most_made)
      require_room(count, b.run.parameters.forces == nbody::Forces::tree);
    b.run.start = fmt::format("{} seed {}", name, seed);
    b.at.bodies =
        o.plummer ? nbody::plummer(*o.plummer, seed) : nbody::cold_collapse(*o.cold_collapse, seed);
  }
  if (!o.order && !o.error) b.run.parameters.order = nbody::default_order(b.at.bodies.count());
  return b;
}

/// Nothing of all pairs.
std::string forces_text(const nbody::Parameters& p) {
  if (p.forces == nbody::Forces::pairs) return "";
  if (p.theta == 0) return "tree with theta 0, which is all pairs, ";
  const std::string asked = p.error > 0 ? fmt::format(" for an error of {:g}", p.error) : "";
  return fmt::format("tree with theta {:.4g} and order {}{}, ", p.theta, p.order, asked);
}

/// What a record says of a tree's last forces.
void print_tree(const Record& force) {
  const auto detail = [&](const char* name) {
    const auto found = std::find_if(force.details.begin(), force.details.end(),
                                    [&](const Detail& d) { return d.name == name; });
    return found == force.details.end() ? 0 : found->number;
  };
  fmt::print("each body met {:.0f} bodies and {:.0f} nodes; accelerations off all pairs: {:.1e} "
             "rms, {:.1e} at the 99th percentile, {:.1e} at worst, of {:.0f} bodies\n",
             detail("p2p"), detail("p2c"), detail("error_rms"), detail("error_p99"),
             detail("error_worst"), detail("error_sample"));
  if (const double asked = detail("error_asked"); asked > 0 && detail("error_rms") > asked) {
    fmt::print("this is more than the {:g} that was asked for and held at the start: bodies have "
               "moved; start anew from the last snapshot to choose again\n",
               asked);
  }
}

/// Of each planet; its period is null before the first turn.
Json periods_of(const nbody::PeriodMeter& meter) {
  Json list = Json::array();
  for (std::size_t n = 0; n < nbody::planets().size(); ++n) {
    const nbody::Planet& planet = nbody::planets()[n];
    const auto body = static_cast<Index>(n) + 1;
    list.push_back({{"planet", planet.name},
                    {"turns", meter.turns(body)},
                    {"period_days", meter.turns(body) > 0 ? Json(meter.period(body)) : Json()},
                    {"published_days", planet.period}});
  }
  return list;
}

void print_periods(const Json& list) {
  fmt::print("{:>9}  {:>6}  {:>12}  {:>12}  {:>10}\n", "planet", "turns", "period/day", "published",
             "difference");
  for (const Json& one : list) {
    const auto published = one["published_days"].get<double>();
    std::string period = "-", difference = "-";
    if (const Json& found = one["period_days"]; !found.is_null()) {
      period = fmt::format("{:.3f}", found.get<double>());
      difference = fmt::format("{:.3f} %", 100 * (found.get<double>() / published - 1));
    }
    fmt::print("{:>9}  {:>6}  {:>12}  {:>12.3f}  {:>10}\n", one["planet"].get<std::string>(),
               one["turns"].get<Index>(), period, published, difference);
  }
}

/// From the first step to the last.
class NbodyCommand : private BodiesRun<NbodyRun, Snapshot> {
public:
  NbodyCommand(const NbodyOptions& options, NbodyBeginning beginning)
      : BodiesRun(options, std::move(beginning)), o_(options) {}

  void execute(const Device& device) {
    require_sound(now_.bodies, run_.parameters);
    if (!goes_on() && run_.parameters.precision == nbody::Precision::fp32)
      nbody::take_origin_inside(now_.bodies);
    if (run_.parameters.softening == 0)
      nbody::require_apart(now_.bodies, run_.parameters.precision);
    claim_output();
    choose_device(device);
    if (!goes_on()) run_.id = checksum(0, run_.parameters, 0, now_.bodies);
    look();
    if (!goes_on()) run_.initial = now_.diagnostics;
    print_head(device);
    keep();
    begin_periods();
    integrate();
    finish();
  }

private:
  void choose_device(const Device& device) {
    // A share of the bodies takes another schedule than all of them, which a tree is always over.
    const bool whole = ranks_.ranks() == 1 || run_.parameters.forces == nbody::Forces::tree;
    nbody::Before before;
    if (goes_on()) before = {now_.acceleration, now_.potential, now_.tree};
    const WithinLaunches nothing_is_lost;
    system_ = nbody::make_system(device, run_.parameters, now_.bodies, schedule_on(device, whole),
                                 ranks_, before);
    set_device(device, system_->schedule().text);
    run_.parameters = system_->parameters();
  }

  void print_head(const Device& device) const {
    if (o_.json) return;
    const Parameters& p = run_.parameters;
    const Index bodies = now_.bodies.count();
    const bool by_itself = o_.device.empty() || o_.device == "auto";
    fmt::print("{}: {} {}, {}, dt {:g}, softening {:g}, G {:g}, {}{} on {} ({}{}); {}\n",
               run_.start, bodies, bodies == 1 ? "body" : "bodies", to_text(p.integrator), p.dt,
               p.softening, p.gravity, forces_text(p), to_text(p.precision), run_.device,
               run_.device_name, !goes_on() && by_itself && !device.is_gpu() ? ", no GPU here" : "",
               system_->record().schedule);
    fmt::print("{:>10}  {:>12}  {:>12}  {:>12}  {:>12}  {:>9}  {:>10}  {:>12}\n", "step", "time",
               "kinetic", "potential", "energy", "error", "|momentum|", "|ang. mom.|");
    std::fflush(stdout);
  }

  /// A line of the state that was looked at.
  void tell() {
    const Snapshot& s = now_;
    const nbody::Diagnostics& d = s.diagnostics;
    error_ = energy_error(run_.initial, d);
    largest_error_ = std::max(largest_error_, error_);
    lines_.push_back({{"step", s.step},
                      {"time", s.time},
                      {"kinetic_energy", d.kinetic},
                      {"potential_energy", d.potential},
                      {"energy", d.energy()},
                      {"energy_error", error_},
                      {"momentum", d.momentum},
                      {"angular_momentum", d.angular_momentum}});
    if (o_.json) return;
    fmt::print(
        "{:>10}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>9.1e}  {:>10.2e}  {:>12.6g}\n",
        s.step, s.time, d.kinetic, d.potential, d.energy(), error_, nbody::length(d.momentum),
        nbody::length(d.angular_momentum));
    std::fflush(stdout);
  }

  /// Brings the present state here.
  void look() override {
    now_.step = step();
    system_->read(now_.bodies, now_.potential);
    now_.acceleration = system_->accelerations();
    now_.tree = system_->tree();
    now_.time = static_cast<double>(now_.step) * run_.parameters.dt;
    now_.diagnostics = nbody::diagnose(now_.bodies, now_.potential, system_->potential_lack());
  }

  /// Reports and writes the state that was looked at.
  void keep() override {
    if (const Index lost = nbody::first_lost(now_.bodies, now_.potential);
        lost >= 0 || !std::isfinite(now_.diagnostics.energy())) {
      throw Failure(fmt::format("at step {} body {} is no longer at a finite place and speed; give "
                                "a smaller --dt, more --softening or --precision fp64{}",
                                now_.step, std::max<Index>(lost, 0), kept()));
    }
    progress_.clear();
    tell();
    write_state([&](BodiesFile& file) { write_nbody(file, run_, now_); });
  }

  void begin_periods() {
    if (run_.start != "solar-system") return;
    // Often enough for the fastest planet, seldom enough to be cheap.
    constexpr double sample_days = 2;
    const Index sample = std::max<Index>(1, static_cast<Index>(sample_days / run_.parameters.dt));
    if (static_cast<double>(sample) * run_.parameters.dt > 20) return;
    sample_ = sample;
    periods_.emplace().look(now_.time, now_.bodies);
  }

  [[nodiscard]] Index beside() const override { return sample_; }
  Index advance(Index most) override {
    system_->advance(most);
    system_->wait();
    return most;
  }
  void passed() override {
    if (!periods_) return;
    look();
    periods_->look(now_.time, now_.bodies);
  }

  void finish() {
    const Parameters& p = run_.parameters;
    const Index steps = taken();
    const Index evaluations = steps * static_cast<Index>(leapfrogs(p.integrator).size());
    constexpr Index values = 8; // of a body: place, velocity, mass, potential
    const Bytes on_host{values * now_.bodies.count() * static_cast<Index>(sizeof(double))};
    Record record = system_->record();
    system_->add_error(record);
    const Bytes on_device = system_->held();
    record.schedule_name = system_->schedule().name;
    record.kernel = "nbody";
    set_rate(record, evaluations, seconds(), static_cast<double>(record.work.items),
             "interactions/s");
    const std::string wrote = written();
    if (o_.json) {
      Json all = {{"start", run_.start},
                  {"run", fmt::format("{:016x}", run_.id)},
                  {"integrator", to_text(p.integrator)},
                  {"dt", p.dt},
                  {"softening", p.softening},
                  {"G", p.gravity},
                  {"forces", to_text(p.forces)},
                  {"error_asked", p.error > 0 ? Json(p.error) : Json()},
                  {"steps", steps},
                  {"evaluations", evaluations},
                  {"seconds", seconds()},
                  {"energy_error", error_},
                  {"largest_energy_error", largest_error_},
                  {"device_bytes", on_device.value},
                  {"host_bytes", on_host.value},
                  {"output", wrote.empty() ? Json() : Json(wrote)},
                  {"snapshots", lines_}};
      if (periods_) all["periods"] = periods_of(*periods_);
      Json whole = Json::parse(to_json(record));
      whole["nbody"] = std::move(all);
      fmt::print("{}\n", Json::array({whole}).dump(2));
      return;
    }
    if (periods_) print_periods(periods_of(*periods_));
    if (p.forces == nbody::Forces::tree) print_tree(record);
    const auto each = [&](Bytes b) {
      return static_cast<double>(b.value) / static_cast<double>(now_.bodies.count());
    };
    fmt::print("energy error {:.1e} at the end, {:.1e} at most; {} {} in {}{}; {:.0f} + {:.0f} "
               "bytes a body on device and host{}\n",
               error_, largest_error_, steps, steps == 1 ? "step" : "steps",
               ridge::to_text(Seconds{seconds()}),
               record.achieved ? ", " + quantity(record.achieved->rate, record.achieved->unit) : "",
               each(on_device), each(on_host), wrote.empty() ? "" : "; wrote " + wrote);
  }

  const NbodyOptions& o_;
  std::unique_ptr<nbody::System> system_;
  std::optional<nbody::PeriodMeter> periods_;
  Index sample_ = 0;                     ///< steps between two looks at them
  double error_ = 0, largest_error_ = 0; ///< of the energy, at the last snapshot and of all
  Json lines_ = Json::array();
};

void run_nbody(NbodyOptions& o) {
  require_one_start(o);
  if (!o.restart.empty()) require_none_given(o.rows(), o.restart + ":/snapshots/STEP");
  NbodyBeginning beginning = o.restart.empty() ? begin_anew(o) : read_nbody_restart(o.restart);
  refuse_if(o.domains && beginning.run.parameters.forces != nbody::Forces::tree,
            "--domains goes with --forces tree");
  beginning.run.parameters.domains = o.domains;
  const Device device = device_of_run(comm::world(), o.device,
                                      {o.restart, beginning.run.device, beginning.run.device_name});
  NbodyCommand(o, std::move(beginning)).execute(device);
}

} // namespace

} // namespace ridge::app

namespace ridge::wings {

void bodies(app::CommandLine& line);

void bodies(app::CommandLine& line) {
  const app::Command command =
      line.add_command("nbody", "integrate bodies under their own gravity, with snapshots");
  auto o = std::make_shared<app::NbodyOptions>();
  command.add(o->rows());
  command.set_footer(std::string(app::bodies_help()) +
                     "\nCtrl-C writes a last snapshot to go on from. See docs/nbody.md.\n");
  command.set_action([o] { app::run_nbody(*o); }, app::Ranks::several);
}

} // namespace ridge::wings
