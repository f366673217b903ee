#include "nbody_file.hpp"

#include "hdf5_writing.hpp"
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
  const auto begin = [&](const Writing& out) {
    const Handle& root = out.file();
    out.attribute(root, "program", std::string(nbody_format::program));
    const bool by_tree = run.parameters.forces == nbody::Forces::tree;
    const Index plain = has_own_origin(bodies) ? 2 : 1;
    out.attribute(root, "format", by_tree ? nbody_format::version : plain);
    out.attribute(root, "ridge_version", std::string(ridge_version));
    out.attribute(root, "run", fmt::format("{:016x}", run.id));
    out.attribute(root, "start", run.start);
    out.attribute(root, "precision", std::string(to_text(run.parameters.precision)));
    out.attribute(root, "integrator", std::string(to_text(run.parameters.integrator)));
    out.attribute(root, "dt", run.parameters.dt);
    out.attribute(root, "softening", run.parameters.softening);
    out.attribute(root, "G", run.parameters.gravity);
    if (by_tree) {
      out.attribute(root, "forces", std::string(to_text(run.parameters.forces)));
      out.attribute(root, "theta", run.parameters.theta);
      out.attribute(root, "order", Index{run.parameters.order});
      if (run.parameters.error > 0) out.attribute(root, "error_asked", run.parameters.error);
    }
    out.attribute(root, "device", run.device);
    out.attribute(root, "device_name", run.device_name);
    out.attribute(root, "schedule", run.schedule);
    out.attribute(root, "initial_kinetic_energy", run.initial.kinetic);
    out.attribute(root, "initial_potential_energy", run.initial.potential);
    for (std::size_t c = 0; c < 3 && has_own_origin(bodies); ++c)
      out.attribute(root, nbody_format::origin[c], bodies.origin[c]);
  };
  const auto add = [&](const Writing& out) {
    const Handle& root = out.file();
    const auto position = pointers(bodies.position);
    out.dataset("position", position, position_bytes(run, bodies), bodies.origin);
    if (has_own_origin(bodies)) out.dataset(nbody_format::exact_positions, position, bytes);
    out.dataset("velocity", pointers(bodies.velocity), bytes);
    if (!snapshot.acceleration[0].empty()) {
      out.dataset(nbody_format::acceleration, pointers(snapshot.acceleration), bytes);
      out.attribute(root, nbody_format::limit, Index{snapshot.tree.limit});
      out.attribute(root, nbody_format::age, snapshot.tree.age);
    }
    if (snapshot.tree.age > 0) {
      out.attribute(root, nbody_format::cost, snapshot.tree.cost);
      out.dataset(nbody_format::nodes, pointers(snapshot.tree.at), bytes);
    }
    out.dataset<1>("potential", {&snapshot.potential}, bytes);
    const nbody::Diagnostics& d = snapshot.diagnostics;
    out.attribute(root, "kinetic_energy", d.kinetic);
    out.attribute(root, "potential_energy", d.potential);
    out.attribute(root, "energy", d.energy());
    out.attribute(root, "energy_error", energy_error(run.initial, d));
    out.attribute(root, "momentum", std::vector(d.momentum.begin(), d.momentum.end()));
    out.attribute(root, "angular_momentum",
                  std::vector(d.angular_momentum.begin(), d.angular_momentum.end()));
    out.attribute(root, "checksum",
                  fmt::format("{:016x}", checksum(run.id, run.parameters, snapshot.step, bodies,
                                                  snapshot.acceleration, snapshot.tree)));
  };
  BodiesFile::write({run.id, snapshot.step, snapshot.time, bodies.mass, bytes_of_body(run, bodies),
                     position_bytes(run, bodies), bytes},
                    begin, add);
}

} // namespace ridge::app
