#include "nbody_file.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>

#include "../io/file_names.hpp"
#include "hdf5_writing.hpp"
#include "nbody_format.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  const int accelerations = run.parameters.forces == nbody::Forces::tree ? 3 : 0;
  return (has_own_origin(bodies) ? 7 : 4) * element_bytes(run) +
         accelerations * element_bytes(run) + 3 * position_bytes(run, bodies);
}

/// More than HDF5's own tables take for a snapshot.
constexpr std::uintmax_t around = 64 << 10;

} // namespace

NbodyWriter::NbodyWriter(const fs::path& target, const std::vector<fs::path>& inputs,
                         bool overwrite)
    : target_(target), xdmf_(io::xdmf_beside(target)), plan_(overwrite) {
  for (const fs::path& input : inputs)
    plan_.reads(input, "the input");
  plan_.writes(target_, "the output");
  plan_.writes(xdmf_, "the XDMF file");
  plan_.claim();
  first_.emplace(plan_, target_);
}

std::string NbodyWriter::text() const {
  return fmt::format("{} and {}", target_.string(), xdmf_.string());
}

void NbodyWriter::write(const NbodyRun& run, const Snapshot& snapshot) {
  const auto bytes = static_cast<std::uintmax_t>(snapshot.bodies.count()) *
                         static_cast<std::uintmax_t>(bytes_of_body(run, snapshot.bodies)) +
                     around;
  if (first_) {
    first_->require_room(bytes + static_cast<std::uintmax_t>(snapshot.bodies.count()) * 8);
    create(run, snapshot);
    first_->commit();
    first_.reset();
  } else {
    io::take_room(target_, bytes);
    append(run, snapshot);
    io::sync_file(target_);
  }
  last_step_ = snapshot.step;
  write_xdmf(run, snapshot);
}

void NbodyWriter::create(const NbodyRun& run, const Snapshot& first) {
  quiet_hdf5();
  Writing out(
      {H5Fcreate(first_->path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose},
      target_);
  const Handle& root = out.file();
  out.attribute(root, "program", std::string(nbody_format::program));
  const bool by_tree = run.parameters.forces == nbody::Forces::tree;
  const Index plain = has_own_origin(first.bodies) ? 2 : 1;
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
  for (std::size_t c = 0; c < 3 && has_own_origin(first.bodies); ++c)
    out.attribute(root, nbody_format::origin[c], first.bodies.origin[c]);
  out.dataset<1>("mass", {&first.bodies.mass}, 8);
  (void)out.group("snapshots");
  out.close();
  // Now as any other.
  const fs::path place = std::exchange(target_, first_->path());
  try {
    append(run, first);
  } catch (...) {
    target_ = place;
    throw;
  }
  target_ = place;
}

void NbodyWriter::append(const NbodyRun& run, const Snapshot& snapshot) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Who looks at the snapshots so far must not stop the run.
  H5Pset_file_locking(access.id(), false, true);
  Writing out({H5Fopen(target_.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose}, target_);
  const std::string path = nbody_format::group_of(snapshot.step);
  {
    const Handle group = out.group(path);
    const auto position = pointers(snapshot.bodies.position);
    out.dataset(path + "/position", position, position_bytes(run, snapshot.bodies),
                snapshot.bodies.origin);
    if (has_own_origin(snapshot.bodies)) {
      out.dataset(path + "/" + nbody_format::exact_positions, position, element_bytes(run));
    }
    out.dataset(path + "/velocity", pointers(snapshot.bodies.velocity), element_bytes(run));
    if (!snapshot.acceleration[0].empty()) {
      out.dataset(path + "/" + nbody_format::acceleration, pointers(snapshot.acceleration),
                  element_bytes(run));
    }
    out.dataset<1>(path + "/potential", {&snapshot.potential}, element_bytes(run));
    out.require(H5Lcreate_hard(out.file().id(), "/mass", group.id(), "mass", H5P_DEFAULT,
                               H5P_DEFAULT) >= 0);
    const nbody::Diagnostics& d = snapshot.diagnostics;
    if (!snapshot.acceleration[0].empty()) {
      out.attribute(group, nbody_format::limit, Index{snapshot.limit});
    }
    out.attribute(group, "step", snapshot.step);
    out.attribute(group, "time", snapshot.time);
    out.attribute(group, "kinetic_energy", d.kinetic);
    out.attribute(group, "potential_energy", d.potential);
    out.attribute(group, "energy", d.energy());
    out.attribute(group, "energy_error", energy_error(run.initial, d));
    out.attribute(group, "momentum", std::vector(d.momentum.begin(), d.momentum.end()));
    out.attribute(group, "angular_momentum",
                  std::vector(d.angular_momentum.begin(), d.angular_momentum.end()));
    out.attribute(group, "checksum",
                  fmt::format("{:016x}", checksum(run.id, run.parameters, snapshot.step,
                                                  snapshot.bodies, snapshot.acceleration)));
  }
  out.close();
}

void NbodyWriter::write_xdmf(const NbodyRun& run, const Snapshot& snapshot) {
  times_.push_back(snapshot.time);
  groups_.push_back(nbody_format::group_of(snapshot.step));
  io::write_text_file(plan_, xdmf_,
                      xdmf_points_text({target_.filename().string(), snapshot.bodies.count(),
                                        position_bytes(run, snapshot.bodies), element_bytes(run),
                                        times_, groups_}));
}

} // namespace ridge::app
