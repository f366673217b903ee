#include <ridge/core/error.hpp>

#include "hdf5_run.hpp"
#include "nbody_file.hpp"
#include "nbody_format.hpp"
#include "nbody_input.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

std::string nbody_format::group_of(Index step) {
  return fmt::format("/snapshots/{:010}", step);
}

namespace {

/// The file of a run, opened to read.
class RunFile : private RunReader {
public:
  explicit RunFile(const fs::path& file) : RunReader(file) {
    std::string program;
    if (!read_attribute(file_, "program", program) || program != nbody_format::program) {
      throw UsageError(fmt::format("{} is not the file of a run: --restart takes what ridge nbody "
                                   "wrote with -o; other bodies are given as INPUT",
                                   name_.string()));
    }
    if (const Index format = required<Index>(file_, "format"); format > nbody_format::version) {
      throw UsageError(fmt::format("{} is of a later ridge (format {}; this one reads {})",
                                   name_.string(), format, nbody_format::version));
    }
  }

  [[nodiscard]] NbodyRun run() const {
    NbodyRun run;
    run.id = hexadecimal(required<std::string>(file_, "run"));
    run.start = required<std::string>(file_, "start");
    run.parameters.precision = nbody::parse_precision(required<std::string>(file_, "precision"));
    run.parameters.integrator = nbody::parse_integrator(required<std::string>(file_, "integrator"));
    run.parameters.dt = required<double>(file_, "dt");
    run.parameters.softening = required<double>(file_, "softening");
    run.parameters.gravity = required<double>(file_, "G");
    if (H5Aexists(file_.id(), "forces") > 0) {
      run.parameters.forces = nbody::parse_forces(required<std::string>(file_, "forces"));
      run.parameters.theta = required<double>(file_, "theta");
      run.parameters.order = static_cast<int>(required<Index>(file_, "order"));
      (void)read_attribute(file_, "error_asked", run.parameters.error);
    }
    run.device = required<std::string>(file_, "device");
    run.device_name = required<std::string>(file_, "device_name");
    run.schedule = required<std::string>(file_, "schedule");
    run.initial.kinetic = required<double>(file_, "initial_kinetic_energy");
    run.initial.potential = required<double>(file_, "initial_potential_energy");
    return run;
  }

  [[nodiscard]] nbody::Snapshot last(const NbodyRun& run, fs::path& file) const {
    const Handle group = last_complete();
    file = file_of(group);
    nbody::Snapshot snapshot;
    snapshot.step = required<Index>(group, "step");
    snapshot.time = required<double>(group, "time");
    const std::string place = name_.string() + ":" + nbody_format::group_of(snapshot.step);
    snapshot.bodies = bodies_in(place);
    if (run.parameters.forces == nbody::Forces::tree) {
      snapshot.acceleration = read_bodies(place, nbody_format::acceleration).position;
      nbody::TreeState& tree = snapshot.tree;
      tree.limit = static_cast<std::uint32_t>(required<Index>(group, nbody_format::limit));
      (void)read_attribute(group, nbody_format::age, tree.age);
      if (tree.age > 0) {
        tree.cost = required<double>(group, nbody_format::cost);
        tree.at = read_bodies(place, nbody_format::nodes).position;
      }
      snapshot.potential = read_body_values(place, "potential");
    }
    const std::uint64_t expected = hexadecimal(required<std::string>(group, "checksum"));
    if (checksum(run.id, run.parameters, snapshot.step, snapshot.bodies, snapshot.acceleration,
                 snapshot.tree) != expected) {
      throw UsageError(fmt::format("{}: its last snapshot, of step {}, is of another run or was "
                                   "changed since: its checksum differs",
                                   name_.string(), snapshot.step));
    }
    return snapshot;
  }

private:
  /// As they were computed with.
  [[nodiscard]] nbody::Bodies bodies_in(const std::string& group) const {
    if (H5Aexists(file_.id(), nbody_format::origin[0]) <= 0) return read_bodies(group);
    nbody::Bodies bodies = read_bodies(group, nbody_format::exact_positions);
    for (std::size_t c = 0; c < 3; ++c)
      bodies.origin[c] = required<double>(file_, nbody_format::origin[c]);
    return bodies;
  }
};

} // namespace

NbodyRestart read_restart(const fs::path& file) {
  const RunFile opened(file);
  NbodyRestart restart{opened.run(), {}, {}};
  restart.last = opened.last(restart.run, restart.file);
  return restart;
}

} // namespace ridge::app
