#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>

#include "bodies_run.hpp"
#include "commands.hpp"
#include "nbody_file.hpp"
#include "nbody_input.hpp"
#include "nbody_report.hpp"
#include "run_device.hpp"

#include <fmt/core.h>
#include <nbody/solar_system.hpp>
#include <nbody/starts.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace ridge::app {

namespace {

using nbody::Parameters;
using nbody::Snapshot;

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct NbodyOptions {
  std::string input, output, restart, device, schedule;
  std::optional<Index> plummer, cold_collapse;
  bool solar_system = false;
  std::optional<std::uint64_t> seed;
  std::optional<double> dt, softening, gravity;
  std::optional<std::string> precision, integrator, forces;
  std::optional<double> theta, error;
  std::optional<Index> order;
  Index steps = 1000;
  std::optional<Index> every;
  bool overwrite = false, json = false, domains = false;
};

/// A run before its first step: what it is and the state it begins with.
struct Beginning {
  NbodyRun run;
  Snapshot at;
  std::vector<std::filesystem::path> files; ///< that were read
  bool goes_on = false;
};

void require_one_start(const NbodyOptions& o) {
  const int starts = (o.input.empty() ? 0 : 1) + (o.restart.empty() ? 0 : 1) + (o.plummer ? 1 : 0) +
                     (o.cold_collapse ? 1 : 0) + (o.solar_system ? 1 : 0);
  if (starts != 1) {
    throw UsageError(
        fmt::format("{}: give INPUT, --plummer N, --cold-collapse N, --solar-system or "
                    "--restart FILE, one of them",
                    starts == 0 ? "nothing to start from" : "several starts"));
  }
  require_steps(o.steps, o.every);
  if (o.seed && !o.plummer && !o.cold_collapse) {
    throw UsageError("--seed goes with --plummer and --cold-collapse");
  }
  if (o.output.empty() && (!o.input.empty() || !o.restart.empty())) {
    throw UsageError("-o FILE.h5 is needed: where snapshots go");
  }
}

void require_no_parameters(const NbodyOptions& o) {
  require_none_given({{o.dt.has_value(), "--dt"},
                      {o.softening.has_value(), "--softening"},
                      {o.gravity.has_value(), "--G"},
                      {o.precision.has_value(), "--precision"},
                      {o.integrator.has_value(), "--integrator"},
                      {o.forces.has_value(), "--forces"},
                      {o.theta.has_value(), "--theta"},
                      {o.error.has_value(), "--error"},
                      {o.order.has_value(), "--order"}},
                     o.restart + ":/snapshots/STEP");
}

Parameters parameters_of(const NbodyOptions& o) {
  Parameters p;
  if (!o.input.empty() && !o.dt) throw UsageError("--dt is needed: the time of a step");
  // Those of the starts without a file fit their units; softening as many would choose it.
  p.dt = o.dt.value_or(o.solar_system ? 0.5 : 1e-3);
  p.softening = o.softening.value_or(o.plummer || o.cold_collapse ? 0.01 : 0);
  p.gravity = o.gravity.value_or(o.solar_system ? nbody::solar_gravity : 1);
  p.precision = o.precision      ? nbody::parse_precision(*o.precision)
                : o.solar_system ? nbody::Precision::fp64
                                 : nbody::Precision::mixed;
  if (o.integrator) p.integrator = nbody::parse_integrator(*o.integrator);
  if (o.forces) p.forces = nbody::parse_forces(*o.forces);
  if ((o.theta || o.order || o.error) && p.forces != nbody::Forces::tree) {
    throw UsageError(fmt::format("{} goes with --forces tree", o.theta   ? "--theta"
                                                               : o.error ? "--error"
                                                                         : "--order"));
  }
  if (o.theta && o.error) throw UsageError("--theta and --error: give one of them");
  p.theta = o.theta.value_or(p.theta);
  if (o.error) {
    if (!(*o.error > 0))
      throw UsageError(fmt::format("--error {:g}: it must be positive", *o.error));
    p.error = *o.error;
    p.order = 0; // either
  }
  if (o.order) p.order = static_cast<int>(std::clamp<Index>(*o.order, -99, 99));
  require_sound(p);
  return p;
}

Beginning begin_anew(const NbodyOptions& o) {
  Beginning b;
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

Beginning begin_again(const NbodyOptions& o) {
  require_no_parameters(o);
  NbodyRestart from = read_restart(o.restart);
  return {std::move(from.run), std::move(from.last), {o.restart, from.file}, true};
}

/// From the first step to the last.
class NbodyCommand : private BodiesRun<NbodyWriter> {
public:
  NbodyCommand(const NbodyOptions& options, Beginning beginning)
      : BodiesRun(options.output, beginning.at.step, options.steps, options.every), o_(options),
        run_(std::move(beginning.run)), now_(std::move(beginning.at)),
        files_(std::move(beginning.files)), goes_on_(beginning.goes_on), report_(options.json) {}

  void execute(const Device& device) {
    require_sound(now_.bodies, run_.parameters);
    if (!goes_on_ && run_.parameters.precision == nbody::Precision::fp32) {
      take_origin_inside(now_.bodies);
    }
    if (run_.parameters.softening == 0) {
      require_apart(now_.bodies, run_.parameters.precision);
    }
    claim(files_, o_.overwrite);
    choose_device(device);
    if (!goes_on_) run_.id = checksum(0, run_.parameters, 0, now_.bodies);
    look();
    if (!goes_on_) run_.initial = now_.diagnostics;
    report_.begin(run_, now_.bodies.count(), system_->record(), note(device));
    keep();
    begin_periods();
    integrate();
    finish();
  }

private:
  void choose_device(const Device& device) {
    // A share of the bodies takes another schedule than all of them, which a tree is always over.
    const bool whole = ranks_.ranks() == 1 || run_.parameters.forces == nbody::Forces::tree;
    const bool same =
        goes_on_ && o_.schedule.empty() && to_text(device.id()) == run_.device && whole;
    const std::string schedule = same ? run_.schedule : o_.schedule.empty() ? "auto" : o_.schedule;
    nbody::Before before;
    if (goes_on_) before = {now_.acceleration, now_.potential, now_.tree};
    system_ = nbody::make_system(device, run_.parameters, now_.bodies, schedule, ranks_, before);
    run_.device = to_text(device.id());
    run_.device_name = device.facts().name;
    run_.schedule = system_->schedule().text;
    run_.parameters = system_->parameters();
  }

  [[nodiscard]] std::string note(const Device& device) const {
    const bool by_itself = o_.device.empty() || o_.device == "auto";
    return !goes_on_ && by_itself && !device.is_gpu() ? ", no GPU here" : "";
  }

  /// Brings the present state here.
  void look() override {
    now_.step = step();
    system_->read(now_.bodies, now_.potential);
    now_.acceleration = system_->accelerations();
    now_.tree = system_->tree();
    now_.time = static_cast<double>(now_.step) * run_.parameters.dt;
    now_.diagnostics = diagnose(now_.bodies, now_.potential, system_->potential_lack());
  }

  /// Reports and writes the state that was looked at.
  void keep() override {
    if (const Index lost = first_lost(now_.bodies, now_.potential);
        lost >= 0 || !std::isfinite(now_.diagnostics.energy())) {
      throw Failure(
          fmt::format("at step {} body {} is no longer at a finite place and speed; give a "
                      "smaller --dt, more --softening or --precision fp64{}",
                      now_.step, std::max<Index>(lost, 0), kept()));
    }
    progress_.clear();
    report_.snapshot(run_, now_);
    write_state(run_, now_);
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
    NbodyReport::End end;
    end.force = system_->record();
    system_->add_error(end.force);
    end.force.schedule_name = system_->schedule().name;
    end.steps = taken();
    end.evaluations = end.steps * static_cast<Index>(leapfrogs(run_.parameters.integrator).size());
    end.seconds = seconds();
    end.on_device = system_->held();
    constexpr Index values = 8; // of a body: place, velocity, mass, potential
    end.on_host = Bytes{values * now_.bodies.count() * static_cast<Index>(sizeof(double))};
    end.output = written();
    end.periods = periods_ ? &*periods_ : nullptr;
    report_.end(run_, end);
  }

  const NbodyOptions& o_;
  NbodyRun run_;
  Snapshot now_;
  std::vector<std::filesystem::path> files_;
  bool goes_on_;
  NbodyReport report_;
  std::unique_ptr<nbody::System> system_;
  std::optional<nbody::PeriodMeter> periods_;
  Index sample_ = 0; ///< steps between two looks at them
};

void run_nbody(const NbodyOptions& o) {
  require_one_start(o);
  Beginning beginning = o.restart.empty() ? begin_anew(o) : begin_again(o);
  if (o.domains && beginning.run.parameters.forces != nbody::Forces::tree)
    throw UsageError("--domains goes with --forces tree");
  beginning.run.parameters.domains = o.domains;
  const Device device = device_of_run(comm::world(), o.device,
                                      {o.restart, beginning.run.device, beginning.run.device_name});
  NbodyCommand(o, std::move(beginning)).execute(device);
}

} // namespace

void add_nbody(CommandLine& line) {
  const Command command =
      line.add_command("nbody", "integrate bodies under their own gravity, with snapshots");
  auto o = std::make_shared<NbodyOptions>();
  command.add("INPUT", &o->input, "FILE.h5, FILE.h5:/group or FILE.csv: bodies of yours");
  command.add("-o,--output", &o->output,
              "FILE.h5: the snapshots, with FILE.xdmf beside it for ParaView");
  command.add("--plummer", &o->plummer,
              "start from a Plummer sphere of N bodies, in Henon's units");
  command.add("--cold-collapse", &o->cold_collapse,
              "start from a homogeneous sphere of N bodies at rest, mass and radius 1");
  command.add("--solar-system", &o->solar_system,
              "start from the Sun and planets at J2000, in au, days and solar masses; tells "
              "their periods");
  command.add("--restart", &o->restart,
              "FILE.h5: go on from the last snapshot of this run, bit by bit");
  command.add("--seed", &o->seed, "of --plummer and --cold-collapse; 1 if not given");
  command.add("--steps", &o->steps, "steps to take; 1000 if not given, 0: the energy of the start");
  command.add("--dt", &o->dt, "time of a step; needed with INPUT");
  command.add("--softening", &o->softening,
              "Plummer's softening length; 0 if not given, 0.01 for --plummer and "
              "--cold-collapse");
  command.add("--G", &o->gravity, "constant of gravity; 1 if not given");
  command.add("--every", &o->every, "steps between snapshots; a tenth of --steps if not given");
  command.add("--integrator", &o->integrator, "leapfrog (if not given) or yoshida4");
  command.add("--forces", &o->forces,
              "pairs: sums over all pairs of bodies (if not given), or tree: near bodies one by "
              "one, far ones by nodes of an octree");
  command.add("--theta", &o->theta,
              "of --forces tree: how wide a node may look, from 0 (all pairs) to 1.5; 0.5 if not "
              "given");
  command.add("--error", &o->error,
              "of --forces tree, in place of --theta: the rms error of accelerations at the start, "
              "such as 1e-4; chooses theta and order, and checks a sample against all pairs");
  command.add("--order", &o->order,
              "of --forces tree: of the moments of nodes, 1 (their masses) to 5; if not given, 2, "
              "for fewer "
              "than 10000 bodies 4, or what --error chooses");
  command.add("--domains", &o->domains,
              "of --forces tree over ranks: each keeps the bodies of a region, and gets what these "
              "need of the others' trees; if not given, each keeps all bodies");
  command.add("--precision", &o->precision,
              "fp32, fp64, or mixed: state and sums in fp64, interactions in fp32; mixed if "
              "not given, fp64 for --solar-system");
  command.add_device(&o->device);
  command.add("--schedule", &o->schedule,
              "of the pair sums: auto, a name, or fields such as 'form=direct tile=4'");
  command.add("--overwrite", &o->overwrite, "replace the output file when it exists");
  command.add("--json", &o->json, "print an array with the record");
  command.set_footer(std::string(bodies_help()) +
                     "\nCtrl-C writes a last snapshot to go on from. See docs/nbody.md.\n");
  command.set_action([o] { run_nbody(*o); }, Ranks::several);
}

} // namespace ridge::app
