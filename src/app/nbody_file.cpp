#include "nbody_file.hpp"

#include "../io/hdf5_writing.hpp"
#include "nbody_format.hpp"
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

} // namespace

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
    out.attribute("start", run.start);
    out.attribute("precision", std::string(to_text(run.parameters.precision)));
    out.attribute("integrator", std::string(to_text(run.parameters.integrator)));
    out.attribute("dt", run.parameters.dt);
    out.attribute("softening", run.parameters.softening);
    out.attribute("G", run.parameters.gravity);
    if (by_tree) {
      out.attribute("forces", std::string(to_text(run.parameters.forces)));
      out.attribute("theta", run.parameters.theta);
      out.attribute("order", Index{run.parameters.order});
      if (run.parameters.error > 0) out.attribute("error_asked", run.parameters.error);
    }
    out.attribute("device", run.device);
    out.attribute("device_name", run.device_name);
    out.attribute("schedule", run.schedule);
    out.attribute("initial_kinetic_energy", run.initial.kinetic);
    out.attribute("initial_potential_energy", run.initial.potential);
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
