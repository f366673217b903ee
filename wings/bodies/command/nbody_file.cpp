#include "nbody_file.hpp"

#include "app/bodies_input.hpp"

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

using nbody::Bodies;
using nbody::Snapshot;

constexpr const char* nbody_program = "ridge nbody";
/// The latest format that this version reads, and what it writes: the fourth one where forces are
/// of a tree (the third knows no nodes), the second where positions are relative to an origin of
/// the run's own, else the first.
constexpr Index nbody_format = 4;

/// What the next forces of a tree depend on.
constexpr const char* accelerations = "acceleration";
constexpr const char* cost_limit = "cost_limit";
constexpr const char* age_of_nodes = "nodes_age";
constexpr const char* cost_of_nodes = "nodes_cost";
constexpr const char* nodes_found_at = "nodes_found_at";

/// The exact positions of a run with an origin of its own, beside the absolute ones.
constexpr const char* exact_positions = "position_from_origin";
/// Its origin: attributes of the file.
constexpr std::array<const char*, 3> origin_names{"origin_x", "origin_y", "origin_z"};

/// Calls `visit(name, member)` for what every run's file has.
template <class Any, class Visit>
void visit_nbody(Any& run, const Visit& visit) {
  visit("run", run.id);
  visit("precision", run.parameters.precision);
  visit("integrator", run.parameters.integrator);
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
/// Those of a run with a tree.
template <class Parameters, class Visit>
void visit_tree(Parameters& p, const Visit& visit) {
  visit("forces", p.forces);
  visit("theta", p.theta);
  visit("order", p.order);
}

void read_tree(const RunReader& in, const RunReader::Last& last, Snapshot& snapshot) {
  snapshot.acceleration = read_bodies(last.place, accelerations).position;
  nbody::TreeState& tree = snapshot.tree;
  tree.limit = static_cast<std::uint32_t>(in.required<Index>(last.group, cost_limit));
  (void)read_attribute(last.group, age_of_nodes, tree.age);
  if (tree.age > 0) {
    tree.cost = in.required<double>(last.group, cost_of_nodes);
    tree.at = read_bodies(last.place, nodes_found_at).position;
  }
  snapshot.potential = read_body_values(last.place, "potential");
}

/// As they were computed with.
Bodies read_exact(const RunReader& in, const std::string& place) {
  if (H5Aexists(in.file().id(), origin_names[0]) <= 0) return read_bodies(place);
  Bodies bodies = read_bodies(place, exact_positions);
  for (std::size_t c = 0; c < 3; ++c)
    in.require(origin_names[c], bodies.origin[c]);
  return bodies;
}

std::uint64_t checksum_of(const NbodyRun& run, const Snapshot& s) {
  return checksum(run.id, run.parameters, s.step, s.bodies, s.acceleration, s.tree);
}

} // namespace

NbodyBeginning read_nbody_restart(const fs::path& file) {
  const RunReader in(RunReader::require_whole(file), nbody_program, nbody_format, "bodies");
  NbodyBeginning from;
  nbody::Parameters& p = from.run.parameters;
  visit_nbody(from.run, ReadMembers{in});
  if (H5Aexists(in.file().id(), "forces") > 0) {
    visit_tree(p, ReadMembers{in});
    (void)read_attribute(in.file(), "error_asked", p.error);
  }
  const RunReader::Last last = in.last();
  from.at.step = last.step;
  from.at.time = last.time;
  from.at.bodies = read_exact(in, last.place);
  if (p.forces == nbody::Forces::tree) read_tree(in, last, from.at);
  in.require_checksum(last, checksum_of(from.run, from.at));
  from.files = {file, last.file};
  return from;
}

void write_nbody(BodiesFile& file, const NbodyRun& run, const Snapshot& snapshot) {
  const nbody::Parameters& p = run.parameters;
  const Bodies& bodies = snapshot.bodies;
  const bool by_tree = p.forces == nbody::Forces::tree;
  const bool own_origin = nbody::has_own_origin(bodies);
  const int bytes = p.precision == nbody::Precision::fp32 ? 4 : 8;
  const int position_bytes = own_origin ? 8 : bytes; // far from the origin fp32 would be too little
  // Velocity, potential, the position once or twice; accelerations, and where nodes were found.
  const int body_bytes = ((own_origin ? 7 : 4) + (by_tree ? 6 : 0)) * bytes + 3 * position_bytes;
  const auto begin = [&](const io::Writing& out) {
    visit_nbody(run, WriteMembers{out});
    if (by_tree) visit_tree(p, WriteMembers{out});
    if (by_tree && p.error > 0) out.attribute("error_asked", p.error);
    for (std::size_t c = 0; c < 3 && own_origin; ++c)
      out.attribute(origin_names[c], bodies.origin[c]);
  };
  const auto add = [&](const io::Writing& out) {
    out.vectors("position", bodies.position, position_bytes, bodies.origin);
    if (own_origin) out.vectors(exact_positions, bodies.position, bytes);
    out.vectors("velocity", bodies.velocity, bytes);
    if (!snapshot.acceleration[0].empty()) {
      out.vectors(accelerations, snapshot.acceleration, bytes);
      out.attribute(cost_limit, Index{snapshot.tree.limit});
      out.attribute(age_of_nodes, snapshot.tree.age);
    }
    if (snapshot.tree.age > 0) {
      out.attribute(cost_of_nodes, snapshot.tree.cost);
      out.vectors(nodes_found_at, snapshot.tree.at, bytes);
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
  };
  file.write({nbody_program,
              by_tree      ? nbody_format
              : own_origin ? 2
                           : 1,
              run.id, snapshot.step, snapshot.time, bodies.mass, body_bytes, position_bytes, bytes,
              checksum_of(run, snapshot)},
             begin, add);
}

} // namespace ridge::app
