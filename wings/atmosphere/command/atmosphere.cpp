#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/lab/bench.hpp>

#include "../src/model.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/picture.hpp"
#include "app/run.hpp"
#include "app/version.hpp"
#include "app/xdmf.hpp"
#include "core/refuse.hpp"
#include "io/file_names.hpp"
#include "io/hdf5_writing.hpp"
#include "io/snapshot_files.hpp"
#include "report/html.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>

namespace ridge::app {

namespace {

using atmosphere::Atmosphere;
using Json = nlohmann::ordered_json;

/// Of a step: three along each dimension, or three of both.
Index stages(const Atmosphere& air) {
  return air.setup().implicit ? 3 : 6;
}
/// Cells that launches of a step compute, over those there are.
Index passes(const Atmosphere& air) {
  return stages(air) + (air.setup().viscous() ? 1 : 0);
}

/// Of a step, both sweeps, in whichever launches.
Work work_of_step(const Atmosphere& air) {
  constexpr Index values = atmosphere::variables * static_cast<Index>(sizeof(double));
  const Index count = air.setup().nx * air.setup().nz;
  Work work;
  // Stages read the state before the sweep and, but for the first, the one before them.
  const Index of_viscosity = passes(air) - stages(air);
  work.read = Bytes{(stages(air) / 3 * (1 + 2 + 2) + of_viscosity) * values * count};
  work.written = Bytes{passes(air) * values * count};
  for (const Record& sweep : air.records())
    work.flops += sweep.work.flops;
  work.items = passes(air) * count;
  work.convention = fmt::format(
      "a step; each of its {} stages{} reads the states it needs once and "
      "writes one; powers and quotients count as one operation",
      air.setup().implicit ? "three" : "six", of_viscosity > 0 ? ", and viscosity," : "");
  return work;
}

/// A step on all ranks, after so many seconds of steps. Collective.
Record record_of(Atmosphere& air, double seconds, comm::Communicator& ranks) {
  Record record = air.records()[0];
  record.kernel = "atmosphere";
  record.work = work_of_step(air);
  // Ranks of a cpu share its cache, GPUs have one each.
  const Device& device = air.queue().device();
  const Index sharing = device.is_gpu() ? ranks.ranks() : 1;
  const Index bytes_held = 2 * record.work.written.value / passes(air) / sharing;
  record.in_cache = bytes_held <= device.facts().last_level_cache.value;
  set_rate(record, air.steps_done(), seconds,
           static_cast<double>(record.work.read.value + record.work.written.value), "B/s");
  if (!record.achieved || record.in_cache) return record;
  ranks.barrier(); // all measure at the same time
  lab::RoofSource roof(device);
  const Ceiling* const copy = roof.find("copy");
  record.achieved->roof = ranks.sum(copy == nullptr ? 0 : copy->value);
  record.achieved->roof_name = record.achieved->roof > 0 ? "copy" : "";
  return record;
}

constexpr std::array<const char*, 5> field_names{"density", "x_momentum", "z_momentum", "heat",
                                                 "potential_temperature"};
std::string name_of(const io::RunSnapshot& snapshot) {
  return fmt::format("{:04}", snapshot.step);
}

/// What tells a run from others.
std::string identity_of(const atmosphere::Setup& s) {
  return fmt::format("case {} of {}x{} cells in {}x{} m, viscosity {}, step {}{}",
                     static_cast<int>(s.which), s.nx, s.nz, s.box.length, s.box.height,
                     s.box.viscosity, s.step.value_or(0), s.implicit ? ", implicit" : "");
}

/// Snapshots are numbered, not named by their steps: group /NNNN of FILE.h5 is FILE.000000NNNN.h5.
/// It has the datasets density, x_momentum, z_momentum, heat (density times potential temperature)
/// and potential_temperature, all perturbations but the momenta, nz rows of nx, in SI units, and
/// the attribute time in s.
class AtmosphereOutput {
public:
  /// The plan, which must outlive it, is to be claimed before the first is written.
  AtmosphereOutput(io::OutputPlan& plan, std::filesystem::path file, const atmosphere::Setup& setup)
      : files_(plan, std::move(file), {"/", 4}), setup_(setup) {}

  /// Throws Failure when the snapshot does not fit the disk or cannot be written; the file then
  /// holds those before it.
  void write(double time, const atmosphere::State& state, const atmosphere::Profiles& profiles);

  [[nodiscard]] std::size_t snapshots() const { return files_.snapshots().size(); }
  [[nodiscard]] std::filesystem::path xdmf() const { return files_.xdmf(); }

private:
  [[nodiscard]] std::string xdmf_text() const;

  io::SnapshotFiles files_;
  atmosphere::Setup setup_;
  std::vector<double> times_;
};

void AtmosphereOutput::write(double time, const atmosphere::State& state,
                             const atmosphere::Profiles& profiles) {
  const std::vector<double> theta = atmosphere::temperature_of(state, profiles, setup_.nx);
  std::vector<const std::vector<double>*> fields;
  for (const auto& field : state.of)
    fields.push_back(&field);
  fields.push_back(&theta);
  const std::size_t before = snapshots();
  times_.push_back(time);
  try {
    files_.add(
        {identity_of(setup_), static_cast<Index>(before),
         static_cast<std::uintmax_t>(setup_.nx * setup_.nz) * sizeof(double) * field_names.size(),
         [&](const io::Writing& out) {
           out.attribute("time", time);
           const std::vector<hsize_t> shape{static_cast<hsize_t>(setup_.nz),
                                            static_cast<hsize_t>(setup_.nx)};
           for (std::size_t f = 0; f < fields.size(); ++f)
             out.dataset(field_names[f], shape, 8, *fields[f]);
         },
         [&](const io::Writing& out) {
           out.attribute("program", std::string("ridge atmosphere"));
           out.attribute("ridge_version", std::string(ridge_version));
         },
         [&] { return xdmf_text(); }});
  } catch (const Failure& failure) {
    const std::size_t kept = snapshots();
    if (kept == 0) throw;
    throw Failure(fmt::format("{}; {} holds the {} snapshot{} until {:g} s", failure.what(),
                              files_.file().string(), kept, kept == 1 ? "" : "s",
                              times_[kept - 1]));
  }
}

/// A series of snapshots on a flat three-dimensional grid: ParaView's readers turn the axes of
/// two-dimensional ones.
std::string AtmosphereOutput::xdmf_text() const {
  const double dx = setup_.dx();
  const double dz = setup_.dz();
  std::string grids;
  for (const io::RunSnapshot& one : files_.snapshots()) {
    std::string fields;
    for (const char* const name : field_names) {
      fields += fmt::format(R"(        <Attribute Name="{}" AttributeType="Scalar" Center="Node">
          <DataItem Dimensions="1 {} {}" NumberType="Float" Precision="8" Format="HDF">{}:/{}</DataItem>
        </Attribute>
)",
                            name, setup_.nz, setup_.nx, report::escaped(one.file.string()), name);
    }
    grids += fmt::format(R"(      <Grid Name="{}" GridType="Uniform">
        <Time Value="{}"/>
        <Topology TopologyType="3DCoRectMesh" Dimensions="1 {} {}"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">0 {} {}</DataItem>
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">1 {} {}</DataItem>
        </Geometry>
{}      </Grid>
)",
                         name_of(one), times_[static_cast<std::size_t>(one.step)], setup_.nz,
                         setup_.nx, dz / 2, dx / 2, dz, dx, fields);
  }
  return xdmf_collection_text("atmosphere", grids);
}

/// From the first step to the last, with a number of snapshots after that of the begin.
class AtmosphereRun : public Run {
public:
  /// `file` is that of rank 0.
  AtmosphereRun(Atmosphere& air, std::optional<AtmosphereOutput>& file, double time, int snapshots,
                comm::Communicator& ranks)
      : Run(ranks), air_(air), file_(file), time_(time), snapshots_(snapshots) {
    constexpr Index unknown = std::numeric_limits<Index>::max(); // steps end at times
    plan(0, unknown, unknown);
  }

  /// False when the user asked to stop: then the last snapshot is that of the time reached.
  [[nodiscard]] bool execute() {
    keep();
    integrate();
    return !stopped_;
  }
  using Run::seconds;

private:
  [[nodiscard]] bool is_over() const override { return air_.time() >= time_; }
  [[nodiscard]] bool is_due() const override { return air_.time() >= next(); }
  /// The time of the next snapshot.
  [[nodiscard]] double next() const {
    return kept_ >= snapshots_ ? time_ : time_ * kept_ / snapshots_;
  }
  Index advance(Index most) override {
    const Index before = air_.steps_done();
    air_.advance(next(), most);
    air_.wait();
    return air_.steps_done() - before;
  }
  void passed() override { stopped_ = is_over() && interrupt_seen_by(ranks_); }
  void keep() override {
    const atmosphere::State state = air_.state();
    if (file_) file_->write(air_.time(), state, air_.profiles());
    ranks_.barrier(); // what rank 0 writes is none of the steps' time
    ++kept_;
  }
  void stop(bool kept_already) override {
    stopped_ = true;
    if (!kept_already) keep();
  }
  [[nodiscard]] std::string kept_in() const override { return ""; }
  [[nodiscard]] std::string doing() const override {
    return fmt::format("{:.0f} s of {:.0f}", air_.time(), time_);
  }
  [[nodiscard]] double part() const override { return air_.time() / time_; }

  Atmosphere& air_;
  std::optional<AtmosphereOutput>& file_;
  double time_;
  int snapshots_, kept_ = 0;
  bool stopped_ = false;
};

struct AtmosphereCommand {
  std::string which = "thermal", size = "400x200";
  double time = 1000;
  std::string output, picture, device = "auto";
  int snapshots = 10;
  std::optional<double> length, height, viscosity;
  atmosphere::Setup setup;
  bool overwrite = false, json = false;

  void run() {
    refuse_if(!(time > 0) || !std::isfinite(time),
              "--time {}: a positive number of seconds is right", time);
    setup.which = atmosphere::parse_case(which);
    const atmosphere::Box usual = atmosphere::usual_box(setup.which);
    setup.box = {length.value_or(usual.length), height.value_or(usual.height),
                 viscosity.value_or(usual.viscosity)};
    const Extents extents = parse_extents(size, "--size");
    refuse_if(extents.rank() != 2, "--size {}: the atmosphere takes two extents, such as 400x200",
              to_text(extents));
    setup.nx = extents[0];
    setup.nz = extents[1];
    const std::filesystem::path file(output);
    if (picture.empty()) picture = io::beside(file, ".png").string();
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    std::optional<AtmosphereOutput> snapshots_file; // rank 0 alone writes
    if (ranks.rank() == 0) {
      snapshots_file.emplace(plan, file, setup);
      plan.writes_at_once(picture, "the picture");
      plan.claim();
    }

    Atmosphere air(comm::device_of_rank(ranks, device), setup, ranks);
    if (!json) print_begin(air, ranks.ranks());
    const atmosphere::Totals before = air.totals();
    AtmosphereRun steps(air, snapshots_file, time, snapshots, ranks);
    const bool finished = steps.execute();
    const double seconds = steps.seconds();
    const atmosphere::State last = air.state();
    Record record;
    if (json) record = record_of(air, seconds, ranks);
    if (ranks.rank() == 0) {
      const atmosphere::Totals after = atmosphere::totals_of(last, air.profiles(), setup);
      write_picture(plan, picture, atmosphere::temperature_of(last, air.profiles(), setup.nx),
                    setup.nx, setup.nz, setup.box.height / setup.box.length);
      print_end(air, record, seconds, (after.mass - before.mass) / before.mass,
                (after.energy - before.energy) / before.energy, *snapshots_file);
    }
    if (!finished) {
      ranks.barrier(); // the first to end ends all: not before rank 0 has written
      throw Interrupted{
          fmt::format("interrupted at {:g} s of {:g}; the snapshot is written", air.time(), time)};
    }
  }

private:
  void print_begin(Atmosphere& air, int ranks) const {
    const Device& where = air.queue().device();
    const std::string each = ranks > 1 ? fmt::format(", {} ranks", ranks) : "";
    fmt::print("{} {} on {} ({}){}: steps of {:.4g} s, {} of them\n", which,
               to_text(Extents{setup.nx, setup.nz}), to_text(where.id()), where.facts().name, each,
               air.step_length(),
               static_cast<long long>(std::ceil(time / air.step_length() - 1e-9)));
    std::fflush(stdout);
  }

  void print_end(const Atmosphere& air, const Record& record, double seconds, double mass_change,
                 double energy_change, const AtmosphereOutput& file) const {
    const double count = static_cast<double>(setup.nx) * static_cast<double>(setup.nz) *
                         static_cast<double>(passes(air) * air.steps_done());
    const std::vector<Record> sweeps = air.records();
    if (json) {
      Json all = Json::parse(to_json(record));
      all["atmosphere"] = {{"case", which},
                           {"schedule_x", sweeps.front().schedule},
                           {"schedule_z", sweeps[setup.implicit ? 0 : 1].schedule},
                           {"time", air.time()},
                           {"step", air.step_length()},
                           {"steps", air.steps_done()},
                           {"seconds", seconds},
                           {"seconds_per_cell_and_stage", seconds / count},
                           {"mass_change", mass_change},
                           {"energy_change", energy_change},
                           {"snapshots", file.snapshots()},
                           {"output", output}};
      fmt::print("{}\n", Json::array({all}).dump(2));
      return;
    }
    for (const Record& r : sweeps)
      fmt::print("{}: {}\n", r.kernel, r.schedule);
    fmt::print("{} steps in {}: {:.3g} ns a cell and stage\n", air.steps_done(),
               to_text(Seconds{seconds}), seconds * 1e9 / count);
    fmt::print("mass change {:.6e}, energy change {:.6e} at {:g} s\n", mass_change, energy_change,
               air.time());
    fmt::print("{} snapshots in {}, {}; potential temperature in {}\n", file.snapshots(), output,
               file.xdmf().string(), picture);
  }
};

} // namespace

} // namespace ridge::app

namespace ridge::wings {

void atmosphere(app::CommandLine& line);

void atmosphere(app::CommandLine& line) {
  using app::device_row, app::required, app::Rule;
  const app::Command command = line.add_command(
      "atmosphere", "a two-dimensional atmosphere: snapshots, conservation, a picture");
  auto o = std::make_shared<app::AtmosphereCommand>();
  command.add({
      {"--case", &o->which,
       "thermal, collision, gravity-waves, density-current, injection, straka"},
      {"--size", &o->size, "NXxNZ cells"},
      {"--length", &o->length, "m along x (20000; straka: 51200)"},
      {"--height", &o->height, "m along z (10000; straka: 6400)"},
      {"--viscosity", &o->viscosity,
       "of wind and potential temperature, m^2/s, on one rank (0; straka: 75)"},
      {"--time", &o->time, "seconds to integrate"},
      {"--implicit", &o->setup.implicit,
       "solve for sound along z in each column: steps are longer where cells are flat"},
      required("-o,--output", &o->output, "HDF5 file for the snapshots; FILE.xdmf beside it"),
      {"--picture", &o->picture,
       "PNG of the potential temperature at the end (FILE.png beside the output)", Rule::png},
      {"--snapshots", &o->snapshots, "how many, besides that of the begin", Rule::none, 1, 9999},
      {"--step", &o->setup.step, "time step in s (the largest stable one)"},
      device_row(&o->device),
      {"--schedule", &o->setup.schedule,
       "auto, a name, or fields such as 'fuse=1+2,3+4,5+6 tile=allx1'"},
      {"--schedule-z", &o->setup.schedule_z, "of the sweep along z, where it is another"},
      {"--overwrite", &o->overwrite, "replace output files that exist"},
      {"--json", &o->json, "print an array with the record"},
  });
  command.set_action([o] { o->run(); }, app::Ranks::several);
}

} // namespace ridge::wings
