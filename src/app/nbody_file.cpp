#include "nbody_file.hpp"

#include "../io/hdf5_writing.hpp"
#include "hdf5_run.hpp"
#include "nbody_format.hpp"
#include "nbody_input.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

using nbody::Bodies;
using nbody::Precision;
using nbody::Snapshot;

int element_bytes(const NbodyRun& run) {
  return run.parameters.precision == Precision::fp32 ? 4 : 8;
}

/// Of a component of a position. Far from the origin fp32 would be too little.
int position_bytes(const NbodyRun& run, const Bodies& bodies) {
  return has_own_origin(bodies) ? 8 : element_bytes(run);
}

/// What a snapshot takes for a body: velocity, potential, and its position once or twice.
int bytes_of_body(const NbodyRun& run, const Bodies& bodies) {
  const int accelerations = run.parameters.forces == nbody::Forces::tree ? 6 : 0; // and of nodes
  return (has_own_origin(bodies) ? 7 : 4) * element_bytes(run) +
         accelerations * element_bytes(run) + 3 * position_bytes(run, bodies);
}

/// Calls `visit(name, member)` for what a run's file has as it is.
template <class Any, class Visit>
void visit_nbody(Any& run, const Visit& visit) {
  visit("start", run.start);
  visit("dt", run.parameters.dt);
  visit("softening", run.parameters.softening);
  visit("G", run.parameters.gravity);
  visit("device", run.device);
  visit("device_name", run.device_name);
  visit("schedule", run.schedule);
  visit("initial_kinetic_energy", run.initial.kinetic);
  visit("initial_potential_energy", run.initial.potential);
}

/// The file of a run, opened to read.
class RunFile : private RunReader {
public:
  explicit RunFile(const fs::path& file)
      : RunReader(require_whole(file), nbody_format::program, nbody_format::version, "bodies") {}

  [[nodiscard]] NbodyRun run() const {
    NbodyRun run;
    run.id = hexadecimal(required<std::string>(file_, "run"));
    run.parameters.precision = nbody::parse_precision(required<std::string>(file_, "precision"));
    run.parameters.integrator = nbody::parse_integrator(required<std::string>(file_, "integrator"));
    visit_nbody(run, [&](const char* name, auto& value) { require(name, value); });
    if (H5Aexists(file_.id(), "forces") > 0) {
      run.parameters.forces = nbody::parse_forces(required<std::string>(file_, "forces"));
      run.parameters.theta = required<double>(file_, "theta");
      run.parameters.order = static_cast<int>(required<Index>(file_, "order"));
      (void)read_attribute(file_, "error_asked", run.parameters.error);
    }
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
    require_checksum(group, snapshot.step,
                     checksum(run.id, run.parameters, snapshot.step, snapshot.bodies,
                              snapshot.acceleration, snapshot.tree));
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

std::string nbody_format::group_of(Index step) {
  return fmt::format("/snapshots/{:010}", step);
}

NbodyRestart read_restart(const fs::path& file) {
  const RunFile opened(file);
  NbodyRestart restart{opened.run(), {}, {}};
  restart.last = opened.last(restart.run, restart.file);
  return restart;
}

void NbodyWriter::write(const NbodyRun& run, const Snapshot& snapshot) {
  const Bodies& bodies = snapshot.bodies;
  const int bytes = element_bytes(run);
  const auto begin = [&](const io::Writing& out) {
    out.attribute("program", std::string(nbody_format::program));
    const bool by_tree = run.parameters.forces == nbody::Forces::tree;
    const Index plain = has_own_origin(bodies) ? 2 : 1;
    out.attribute("format", by_tree ? nbody_format::version : plain);
    out.attribute("ridge_version", std::string(ridge_version));
    out.attribute("run", fmt::format("{:016x}", run.id));
    out.attribute("precision", std::string(to_text(run.parameters.precision)));
    out.attribute("integrator", std::string(to_text(run.parameters.integrator)));
    visit_nbody(run, [&](const char* name, const auto& value) { out.attribute(name, value); });
    if (by_tree) {
      out.attribute("forces", std::string(to_text(run.parameters.forces)));
      out.attribute("theta", run.parameters.theta);
      out.attribute("order", Index{run.parameters.order});
      if (run.parameters.error > 0) out.attribute("error_asked", run.parameters.error);
    }
    for (std::size_t c = 0; c < 3 && has_own_origin(bodies); ++c)
      out.attribute(nbody_format::origin[c], bodies.origin[c]);
  };
  const auto add = [&](const io::Writing& out) {
    out.vectors("position", bodies.position, position_bytes(run, bodies), bodies.origin);
    if (has_own_origin(bodies)) out.vectors(nbody_format::exact_positions, bodies.position, bytes);
    out.vectors("velocity", bodies.velocity, bytes);
    if (!snapshot.acceleration[0].empty()) {
      out.vectors(nbody_format::acceleration, snapshot.acceleration, bytes);
      out.attribute(nbody_format::limit, Index{snapshot.tree.limit});
      out.attribute(nbody_format::age, snapshot.tree.age);
    }
    if (snapshot.tree.age > 0) {
      out.attribute(nbody_format::cost, snapshot.tree.cost);
      out.vectors(nbody_format::nodes, snapshot.tree.at, bytes);
    }
    out.dataset("potential", {snapshot.potential.size()}, bytes, snapshot.potential);
    const nbody::Diagnostics& d = snapshot.diagnostics;
    out.attribute("kinetic_energy", d.kinetic);
    out.attribute("potential_energy", d.potential);
    out.attribute("energy", d.energy());
    out.attribute("energy_error", energy_error(run.initial, d));
    out.attribute("momentum", std::vector(d.momentum.begin(), d.momentum.end()));
    out.attribute("angular_momentum",
                  std::vector(d.angular_momentum.begin(), d.angular_momentum.end()));
    out.attribute("checksum",
                  fmt::format("{:016x}", checksum(run.id, run.parameters, snapshot.step, bodies,
                                                  snapshot.acceleration, snapshot.tree)));
  };
  BodiesFile::write({run.id, snapshot.step, snapshot.time, bodies.mass, bytes_of_body(run, bodies),
                     position_bytes(run, bodies), bytes},
                    begin, add);
}

} // namespace ridge::app
