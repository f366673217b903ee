#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>

#include "../io/file_names.hpp"
#include "atmosphere_output.hpp"
#include "atmosphere_report.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "picture.hpp"
#include "run.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <optional>

namespace ridge::app {

namespace {

using atmosphere::Atmosphere;

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
  std::string which = "thermal";
  std::string size = "400x200";
  double time = 1000;
  std::string output;
  std::string picture;
  std::string device = "auto";
  std::string schedule = "auto";
  std::string schedule_z;
  int snapshots = 10;
  std::optional<double> step; ///< the largest stable one if not given
  bool implicit = false;
  bool overwrite = false;
  bool json = false;

  void run() const {
    if (!(time > 0) || !std::isfinite(time)) {
      throw UsageError(fmt::format("--time {}: a positive number of seconds is right", time));
    }
    atmosphere::Setup setup;
    setup.which = atmosphere::parse_case(which);
    const Extents extents = parse_extents(size, "--size");
    if (extents.rank() != 2) {
      throw UsageError(fmt::format("--size {}: the atmosphere takes two extents, such as 400x200",
                                   to_text(extents)));
    }
    setup.nx = extents[0];
    setup.nz = extents[1];
    setup.step = step;
    setup.implicit = implicit;
    setup.schedule = schedule;
    setup.schedule_z = schedule_z;
    const std::filesystem::path file(output);
    const std::filesystem::path png =
        picture.empty() ? io::beside(file, ".png") : std::filesystem::path(picture);
    comm::Communicator& ranks = comm::world();
    io::OutputPlan plan(overwrite);
    std::optional<AtmosphereOutput> snapshots_file; // rank 0 alone writes
    if (ranks.rank() == 0) {
      snapshots_file.emplace(plan, file, setup);
      plan.writes_at_once(png, "the picture");
      plan.claim();
    }

    Atmosphere air(comm::device_of_rank(ranks, device), setup, ranks);
    const AtmosphereReport report(which, time, json);
    if (ranks.rank() == 0) report.begin(air, ranks.ranks());
    AtmosphereReport::End end;
    end.before = air.totals();
    AtmosphereRun steps(air, snapshots_file, time, snapshots, ranks);
    const bool finished = steps.execute();
    end.seconds = steps.seconds();
    const atmosphere::State last = air.state();
    if (json) end.record = AtmosphereReport::record_of(air, end.seconds, ranks);
    if (ranks.rank() == 0) {
      end.after = atmosphere::totals_of(last, air.profiles(), air.setup().nx, air.setup().nz);
      write_picture(plan, png, atmosphere::temperature_of(last, air.profiles(), setup.nx), setup.nx,
                    setup.nz, atmosphere::height / atmosphere::length);
      end.snapshots = snapshots_file->snapshots();
      end.file = file;
      end.xdmf = snapshots_file->xdmf();
      end.picture = png;
      report.end(air, end);
    }
    if (!finished) {
      ranks.barrier(); // the first to end ends all: not before rank 0 has written
      throw Interrupted{
          fmt::format("interrupted at {:g} s of {:g}; the snapshot is written", air.time(), time)};
    }
  }
};

} // namespace

void add_atmosphere(CommandLine& line) {
  const Command command = line.add_command(
      "atmosphere", "a two-dimensional atmosphere: snapshots, conservation, a picture");
  auto o = std::make_shared<AtmosphereCommand>();
  command.add("--case", &o->which, "thermal, collision, gravity-waves, density-current, injection");
  command.add("--size", &o->size, "NXxNZ cells of the 20 km by 10 km");
  command.add("--time", &o->time, "seconds to integrate");
  command.add("--implicit", &o->implicit,
              "solve for sound along z in each column: steps are longer where cells are flat");
  command.add("-o,--output", &o->output, "HDF5 file for the snapshots; FILE.xdmf beside it")
      .require();
  command
      .add("--picture", &o->picture,
           "PNG of the potential temperature at the end (FILE.png beside the output)")
      .require_png();
  command.add("--snapshots", &o->snapshots, "how many, besides that of the begin")
      .require_between(1, 9999);
  command.add("--step", &o->step, "time step in s (the largest stable one)");
  command.add_device(&o->device);
  command.add("--schedule", &o->schedule,
              "auto, a name, or fields such as 'fuse=1+2,3+4,5+6 tile=allx1'");
  command.add("--schedule-z", &o->schedule_z, "of the sweep along z, where it is another");
  command.add("--overwrite", &o->overwrite, "replace output files that exist");
  command.add("--json", &o->json, "print an array with the record");
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
