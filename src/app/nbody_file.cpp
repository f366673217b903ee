#include "nbody_file.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>

#include "../io/file_names.hpp"
#include "hdf5_attribute.hpp"
#include "hdf5_handle.hpp"
#include "hdf5_input.hpp"
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

/// A file that is written to, in calls that all must succeed.
class Writing {
public:
  Writing(Handle file, const fs::path& called) : file_(std::move(file)), called_(called) {
    require(static_cast<bool>(file_));
  }

  [[nodiscard]] const Handle& file() const { return file_; }

  void require(bool done) const {
    if (!done) throw Failure(fmt::format("writing {}: {}", called_.string(), hdf5_reason()));
  }
  template <class Value>
  void attribute(const Handle& object, const char* name, const Value& value) const {
    require(write_attribute(object, name, value));
  }
  [[nodiscard]] Handle group(const std::string& path) const {
    const Handle plain(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(plain.id(), false); // the same run gives the same file
    Handle made(H5Gcreate2(file_.id(), path.c_str(), H5P_DEFAULT, plain.id(), H5P_DEFAULT),
                H5Gclose);
    require(static_cast<bool>(made));
    return made;
  }

  /// N values, or N x 3 of them from three components, each shifted.
  template <std::size_t Width>
  void dataset(const std::string& path,
               const std::array<const std::vector<double>*, Width>& components, int element_bytes,
               const std::array<double, Width>& shift = {}) const {
    const hsize_t shape[2] = {components[0]->size(), Width};
    const int rank = Width == 1 ? 1 : 2;
    const Handle space(H5Screate_simple(rank, shape, nullptr), H5Sclose);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER); // every value will be written
    H5Pset_obj_track_times(layout.id(), false);
    Handle made(H5Dcreate2(file_.id(), path.c_str(), native_type(element_bytes), space.id(),
                           H5P_DEFAULT, layout.id(), H5P_DEFAULT),
                H5Dclose);
    require(static_cast<bool>(made));
    // Interleaved in pieces, so that little memory is needed.
    constexpr hsize_t most = 65536;
    std::vector<double> lines(std::min(most, shape[0]) * Width);
    for (hsize_t begin = 0; begin < shape[0]; begin += most) {
      const hsize_t start[2] = {begin, 0};
      const hsize_t count[2] = {std::min(most, shape[0] - begin), Width};
      for (std::size_t i = 0; i < count[0]; ++i) {
        for (std::size_t c = 0; c < Width; ++c)
          lines[i * Width + c] = (*components[c])[begin + i] + shift[c];
      }
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
      const Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
      require(H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT,
                       lines.data()) >= 0);
    }
    require(made.close());
  }

  void close() {
    require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
    require(file_.close());
  }

private:
  Handle file_;
  const fs::path& called_;
};

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

std::array<const std::vector<double>*, 3> pointers(const std::array<std::vector<double>, 3>& v) {
  return {&v[0], &v[1], &v[2]};
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
