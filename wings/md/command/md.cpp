// `ridge md`: bodies that act on each other within a cutoff, with snapshots.
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/pairs/lennard_jones.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "../src/system.hpp"
#include "app/bodies_input.hpp"
#include "app/bodies_run.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/run_device.hpp"
#include "core/refuse.hpp"
#include "md_file.hpp"
#include "md_samples.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace ridge::app {

namespace {

using Json = nlohmann::ordered_json;

/// The interaction that is not asked for.
constexpr const char* standard = lab::LennardJonesEntry::name;
constexpr double standard_temperature = 1.44;

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct MdOptions : BodiesOptions {
  std::optional<Index> lattice;
  std::optional<double> cutoff, skin, density, temperature, relaxation;
  std::optional<std::string> box, interaction, thermostat;
  std::optional<Index> shells, sample, window;
  bool tail = false, diffusion = false;
  std::vector<std::string> settings;

  [[nodiscard]] std::vector<OptionRow> rows();
};

std::vector<OptionRow> MdOptions::rows() {
  return {
      {"INPUT", &input, "FILE.h5, FILE.h5:/group or FILE.csv: bodies of yours"},
      {"-o,--output", &output, "FILE.h5: the snapshots, with FILE.xdmf beside it for ParaView"},
      {"--lattice", &lattice,
       "start from N = 4 c^3 bodies on a face-centred cubic lattice, at a --temperature"},
      {"--restart", &restart, "FILE.h5: go on from the last snapshot of this run, bit by bit"},
      fresh("--density", &density,
            "bodies in a unit of volume: the periodic box is a cube; 0.8442 if not given with "
            "--lattice"),
      fresh("--box", &box,
            "of INPUT: three periods from 0, such as 10x10x20; that of a snapshot if not given"),
      {"--temperature", &temperature,
       "of --lattice, 1.44 if not given, and which --thermostat holds"},
      {"--seed", &seed, "of --lattice and --thermostat; 1 if not given"},
      fresh("--thermostat", &thermostat,
            "langevin, or rescale: all velocities by a random factor (Bussi, Donadio, Parrinello "
            "2007); none if not given"),
      fresh("--relaxation", &relaxation, "time in which the thermostat acts; 0.5 if not given"),
      fresh("--tail", &tail,
            "add the energy and the pressure of Lennard-Jones pairs beyond the cutoff"),
      fresh("--rdf", &shells, "sample the radial distribution in so many shells up to the cutoff"),
      fresh("--diffusion", &diffusion,
            "sample displacements, and velocities beside those at the start"),
      fresh("--window", &window,
            "steps after which --diffusion begins from a new start, and takes means; all steps if "
            "not given"),
      fresh("--sample", &sample, "steps between samples of --rdf and --diffusion; 10 if not given"),
      {"--steps", &steps, "steps to take; 1000 if not given, 0: the energy of the start"},
      fresh("--dt", &dt, "time of a step; 0.005 if not given"),
      fresh("--cutoff", &cutoff, "pairs nearer than that act on each other; 2.5 if not given"),
      fresh("--skin", &skin,
            "lists hold pairs that are so much farther apart; 0.12 of the cutoff if not given"),
      fresh("--interaction", &interaction,
            std::string(standard) + " (if not given), or FILE.hpp:Name of your own: 3 sources, the "
                                    "force and perhaps the energy"),
      fresh("--set", &settings,
            "MEMBER=NUMBER of an interaction in a file, such as epsilon=2; may be repeated"),
      {"--every", &every, "steps between snapshots; a tenth of --steps if not given"},
      fresh(
          "--precision", &precision,
          "fp32, fp64, or mixed: state and sums in fp64, interactions in fp32; mixed if not given"),
      device_row(&device),
      {"--schedule", &schedule, "of the sums over near pairs: auto, a name, or fields"},
      {"--overwrite", &overwrite, "replace the output file when it exists"},
      {"--json", &json, "print an array with the record"},
  };
}

void require_one_start(const MdOptions& o) {
  o.require_one_start(o.lattice ? 1 : 0, "INPUT, --lattice N or --restart FILE");
  refuse_if((o.seed || o.temperature) && !o.lattice && !o.thermostat,
            "--seed and --temperature go with --lattice or --thermostat");
  o.require_output();
}

std::array<double, 3> parse_box(const std::string& text) {
  std::array<double, 3> box{};
  std::size_t begin = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t end = a < 2 ? text.find('x', begin) : text.size();
    std::size_t read = 0;
    try {
      if (end != std::string::npos) box[a] = std::stod(text.substr(begin, end - begin), &read);
    } catch (const std::exception&) {
      read = 0;
    }
    refuse_if(end == std::string::npos || read == 0 || read != end - begin,
              "--box {}: expected three periods, such as 10x10x20", text);
    begin = end + 1;
  }
  return box;
}

md::Thermostat thermostat_of(const MdOptions& o) {
  md::Thermostat t;
  if (o.thermostat) t.kind = md::parse_thermostat(*o.thermostat);
  if (t.kind == md::ThermostatKind::none) {
    refuse_if(o.relaxation.has_value(), "--relaxation goes with --thermostat");
    return t;
  }
  refuse_if(!o.temperature && !o.lattice, "--temperature is needed: what --thermostat {} holds",
            to_text(t.kind));
  t.temperature = o.temperature.value_or(standard_temperature);
  t.relaxation = o.relaxation.value_or(0.5);
  t.seed = o.seed.value_or(1);
  return t;
}

md::Sampling sampling_of(const MdOptions& o) {
  const bool any = o.shells || o.diffusion;
  refuse_if(o.sample && !any, "--sample goes with --rdf or --diffusion");
  refuse_if(o.sample && *o.sample < 1, "--sample {}: at least 1 is needed", o.sample.value_or(1));
  refuse_if(o.shells && *o.shells < 1, "--rdf {}: 1 to 100000 shells are possible",
            o.shells.value_or(1));
  const Index every = any ? o.sample.value_or(10) : 0;
  const Index window = o.window.value_or(0);
  refuse_if(o.window && !o.diffusion, "--window goes with --diffusion");
  refuse_if(o.window && (window < 1 || window % every != 0),
            "--window {}: it must be a multiple of --sample {}", window, every);
  return {every, o.shells.value_or(0), o.diffusion, window};
}

md::Parameters parameters_of(const MdOptions& o) {
  md::Parameters p;
  p.thermostat = thermostat_of(o);
  p.sampling = sampling_of(o);
  p.tail = o.tail;
  refuse_if(o.tail && o.interaction && *o.interaction != standard,
            "--tail is of {}: the interaction {} is not known beyond the cutoff", standard,
            o.interaction.value_or(""));
  p.dt = o.dt.value_or(0.005);
  p.cutoff = o.cutoff.value_or(2.5);
  p.skin = o.skin.value_or(0.12 * p.cutoff);
  if (o.precision) p.precision = spatial::parse_precision(*o.precision);
  if (o.box) p.box = parse_box(*o.box);
  refuse_if(o.box && o.density, "--box and --density: give one of them");
  return p;
}

/// A rounded period would move bodies across faces in silence.
void say_other_box(const std::string& input, const std::array<double, 3>& box) {
  if (comm::world().rank() > 0) return;
  fmt::print(stderr, "ridge: the box of {} was {}x{}x{}: without --box and --density it is taken\n",
             input, box[0], box[1], box[2]);
}

MdBeginning begin_anew(const MdOptions& o) {
  MdBeginning b;
  std::optional<std::array<double, 3>> before; ///< the box of a snapshot
  b.run.interaction = o.interaction.value_or(standard);
  b.run.settings = o.settings;
  b.run.parameters = parameters_of(o);
  const double density = o.density.value_or(0.8442);
  refuse_if(!(density > 0) || !std::isfinite(density), "--density {:g}: it must be positive",
            density);
  if (o.lattice) {
    refuse_if(o.box.has_value(), "--box is for INPUT; --lattice fills a cube of a --density");
    const std::uint64_t seed = o.seed.value_or(1);
    b.run.start = fmt::format("lattice seed {}", seed);
    require_room(*o.lattice, true);
    b.at.bodies =
        md::lattice(*o.lattice, density, o.temperature.value_or(standard_temperature), seed);
  } else {
    b.run.start = o.input;
    b.at.bodies = read_bodies(o.input, b.files);
    before = read_box(o.input);
    refuse_if(!o.box && !o.density && !before,
              "--density or --box is needed: the periodic box of the bodies");
  }
  if (o.density || o.lattice) {
    b.run.parameters.box.fill(md::period_of(b.at.bodies.count(), density));
  } else if (!o.box) {
    b.run.parameters.box = *before;
  }
  if (before && *before != b.run.parameters.box) say_other_box(o.input, *before);
  require_sound(b.run.parameters);
  return b;
}

pairs::NearInteraction interaction_of(const MdRun& run) {
  if (!lab::names_a_file(run.interaction)) {
    refuse_if(run.interaction != standard,
              "unknown interaction '{}'; there is {}, or FILE.hpp:Name of your own",
              run.interaction, standard);
    refuse_if(!run.settings.empty(), "--set is for interactions in files; {} is built in",
              run.interaction);
    return pairs::near_interaction(standard, lab::LennardJonesEntry::make());
  }
  const std::vector<lab::Setting> settings = lab::parse_settings(run.settings);
  const lab::UserKernel found = lab::load_user_kernel(run.interaction, settings, lab::Use::motion);
  const auto* const near = std::any_cast<pairs::NearInteraction>(&found.product);
  refuse_if(
      near == nullptr,
      "{} is no force between positions: md takes interactions of 3 targets, 3 sources and at "
      "least 3 sums, the force",
      run.interaction);
  return *near;
}

constexpr const char* remedy = "give a smaller --dt, or a start with bodies farther apart";

/// Which body has an energy or a virial that is no number, for a message.
std::string of_a_body(const md::State& state) {
  for (std::size_t i = 0; i < state.potential.size(); ++i) {
    for (const auto& [value, what] : {std::pair{state.potential[i], "potential energy"},
                                      std::pair{state.virial[i], "virial"}}) {
      if (!std::isfinite(value))
        return fmt::format(": the {} of body {} is {}", what, i,
                           std::isnan(value) ? "NaN" : "infinite");
    }
  }
  return "";
}

std::string times(Index count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

/// From the first step to the last.
class MdCommand : private BodiesRun<MdRun, md::State> {
public:
  MdCommand(const MdOptions& options, MdBeginning beginning)
      : BodiesRun(options, std::move(beginning)), o_(options) {}

  void execute(const Device& device) {
    const pairs::NearInteraction interaction = interaction_of(run_);
    claim_output();
    {
      const WithinLaunches nothing_is_lost;
      system_ = md::make_system(device, run_.parameters, now_, interaction,
                                schedule_on(device, true), ranks_);
    }
    set_device(device, pairs::to_text(system_->schedule().schedule));
    look();
    if (!goes_on()) passed();
    if (goes_on()) {
      require_same_interaction();
    } else {
      run_.id = checksum(0, run_.parameters, now_);
      run_.energy = diagnostics_.energy();
    }
    print_head(device, interaction.has_energy);
    keep();
    integrate();
    finish();
  }

private:
  /// Brings the present state here.
  void look() override {
    now_.step = step();
    system_->read(now_);
    now_.time = static_cast<double>(now_.step) * run_.parameters.dt;
    diagnostics_ = diagnose(now_, run_.parameters);
  }

  /// Forces of a user's own interaction are not kept: its source may have changed since.
  void require_same_interaction() const {
    const md::Diagnostics& d = diagnostics_;
    double terms = d.kinetic;
    for (std::size_t i = 0; i < now_.potential.size(); ++i)
      terms += std::abs(now_.potential[i]) + std::abs(now_.virial[i]);
    const double limit = 1e-3 * terms; // another device rounds otherwise
    const double pressure = (d.pressure() - run_.found->pressure) * 3 * d.volume;
    if (std::abs(d.potential - run_.found->potential) <= limit && std::abs(pressure) <= limit)
      return;
    throw UsageError(fmt::format(
        "{}: at step {} the potential energy was {:g} and the pressure {:g}, but {} gives {:g} and "
        "{:g}: it was changed since",
        o_.restart, now_.step, run_.found->potential, run_.found->pressure, run_.interaction,
        d.potential, d.pressure()));
  }

  [[nodiscard]] Index beside() const override { return run_.parameters.sampling.every; }
  void passed() override {
    if (run_.parameters.sampling.at(step())) system_->sample(now_.samples);
  }

  [[nodiscard]] double drift() const {
    return (diagnostics_.energy() - now_.heat - run_.energy) /
           static_cast<double>(diagnostics_.bodies);
  }

  [[nodiscard]] std::string thermostat_text() const {
    const md::Thermostat& t = run_.parameters.thermostat;
    if (t.kind == md::ThermostatKind::none) return "";
    return fmt::format("{} at temperature {:g} and relaxation {:g}, ", to_text(t.kind),
                       t.temperature, t.relaxation);
  }

  void print_head(const Device& device, bool has_energy) const {
    if (o_.json) return;
    const md::Parameters& p = run_.parameters;
    fmt::print("{}: {} {}, {}, cutoff {:g} and skin {:g}, periods {:g} x {:g} x {:g}, dt {:g}, "
               "{}{} on {} ({}){}; {}{}\n",
               run_.start, now_.bodies.count(), now_.bodies.count() == 1 ? "body" : "bodies",
               run_.interaction, p.cutoff, p.skin, p.box[0], p.box[1], p.box[2], p.dt,
               thermostat_text(), to_text(p.precision), run_.device, device.facts().name,
               ranks_.ranks() > 1 ? fmt::format(", {} ranks", ranks_.ranks()) : "", run_.schedule,
               has_energy ? "" : "; the interaction has no energy: that of the potential is 0");
    fmt::print("{:>10}  {:>10}  {:>12}  {:>12}  {:>12}  {:>12}  {:>9}  {:>10}\n", "step", "time",
               "temperature", "pressure", "potential/N", "energy/N", "drift/N", "|momentum|");
    std::fflush(stdout);
  }

  /// Reports and writes the state that was looked at.
  void keep() override {
    const md::Diagnostics& d = diagnostics_;
    fail_if(!std::isfinite(d.energy()) || !std::isfinite(d.virial),
            "at step {} the energy is no longer finite{}; {}{}", now_.step, of_a_body(now_), remedy,
            kept());
    progress_.clear();
    const auto n = static_cast<double>(d.bodies);
    const double momentum = std::hypot(d.momentum[0], d.momentum[1], d.momentum[2]);
    lines_.push_back({{"step", now_.step},
                      {"time", now_.time},
                      {"temperature", d.temperature()},
                      {"pressure", d.pressure()},
                      {"kinetic_energy", d.kinetic},
                      {"potential_energy", d.potential},
                      {"energy", d.energy()},
                      {"drift_per_body", drift()},
                      {"momentum", d.momentum}});
    if (!o_.json) {
      fmt::print("{:>10}  {:>10.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>9.1e}  "
                 "{:>10.2e}\n",
                 now_.step, now_.time, d.temperature(), d.pressure(), d.potential / n,
                 d.energy() / n, drift(), momentum);
      std::fflush(stdout);
    }
    write_state([&](BodiesFile& file) { write_md(file, run_, now_, d); });
  }

  Index advance(Index most) override {
    try {
      system_->advance(most);
    } catch (const UsageError& error) { // a body that is nowhere
      throw Failure(fmt::format("between steps {} and {}: {}; {}{}", step(), step() + most,
                                error.what(), remedy, kept()));
    }
    system_->wait();
    return most;
  }

  void finish() const {
    const Index steps = taken();
    const double rate =
        seconds() > 0 ? static_cast<double>(steps * now_.bodies.count()) / seconds() : 0;
    Record record = system_->record();
    const Index builds = system_->builds(); // without those that are timed below
    if (!o_.json) {
      fmt::print("{} step{} in {}, {}; lists were built {}{}\n", steps, steps == 1 ? "" : "s",
                 ridge::to_text(Seconds{seconds()}), quantity(rate, "body-steps/s"), times(builds),
                 written().empty() ? "" : "; wrote " + written());
      fmt::print("{}", samples_text(run_.parameters, now_));
      return;
    }
    record.kernel = "md";
    system_->add_phases(record);
    set_rate(record, steps, seconds(), static_cast<double>(record.work.items), "interactions/s");
    Json all = Json::parse(to_json(record));
    const md::Parameters& p = run_.parameters;
    all["md"] = {{"start", run_.start},
                 {"run", fmt::format("{:016x}", run_.id)},
                 {"interaction", run_.interaction},
                 {"settings", run_.settings},
                 {"dt", p.dt},
                 {"cutoff", p.cutoff},
                 {"skin", p.skin},
                 {"box", p.box},
                 {"steps", steps},
                 {"seconds", seconds()},
                 {"body_steps_per_second", rate},
                 {"builds", builds},
                 {"output", written().empty() ? Json() : Json(written())},
                 {"snapshots", lines_}};
    add_thermostat(all["md"]);
    add_samples(all["md"], p, now_);
    fmt::print("{}\n", Json::array({all}).dump(2));
  }

  void add_thermostat(Json& record) const {
    const md::Parameters& p = run_.parameters;
    record["tail"] = p.tail;
    if (p.thermostat.kind == md::ThermostatKind::none) return;
    record["thermostat"] = {{"kind", to_text(p.thermostat.kind)},
                            {"temperature", p.thermostat.temperature},
                            {"relaxation", p.thermostat.relaxation},
                            {"seed", p.thermostat.seed},
                            {"heat", now_.heat}};
  }

  const MdOptions& o_;
  md::Diagnostics diagnostics_;
  std::unique_ptr<md::System> system_;
  Json lines_ = Json::array();
};

void run_md(MdOptions& o) {
  require_one_start(o);
  if (!o.restart.empty()) require_none_given(o.rows(), o.restart + ":/snapshots/STEP");
  MdBeginning beginning = o.restart.empty() ? begin_anew(o) : read_md_restart(o.restart);
  const Device device = device_of_run(comm::world(), o.device,
                                      {o.restart, beginning.run.device, beginning.run.device_name});
  MdCommand(o, std::move(beginning)).execute(device);
}

} // namespace

} // namespace ridge::app

namespace ridge::wings {

void md(app::CommandLine& line);

void md(app::CommandLine& line) {
  const app::Command command = line.add_command(
      "md", "molecular dynamics: forces within a cutoff, periodic box, with snapshots");
  auto o = std::make_shared<app::MdOptions>();
  command.add(o->rows());
  command.set_footer(std::string(app::bodies_help()) +
                     "\nCtrl-C writes a last snapshot to go on from. See docs/md.md.\n");
  command.set_action([o] { app::run_md(*o); }, app::Ranks::several);
}

} // namespace ridge::wings
