#include "atmosphere_output.hpp"

#include <ridge/core/error.hpp>

#include "../io/file_names.hpp"
#include "../io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 5> names{"density", "x_momentum", "z_momentum", "heat",
                                           "potential_temperature"};
/// What HDF5 adds to the data of a snapshot: groups, headers, attributes.
constexpr std::uintmax_t overhead = 64 << 10;

std::string group(std::size_t number) {
  return fmt::format("/{:04}", number);
}

} // namespace

AtmosphereOutput::AtmosphereOutput(const io::OutputPlan& plan, fs::path file,
                                   const atmosphere::Setup& setup)
    : plan_(plan), path_(std::move(file)), setup_(setup) {
  quiet_hdf5();
}

fs::path AtmosphereOutput::xdmf() const {
  return io::xdmf_beside(path_);
}

void AtmosphereOutput::require(bool done) const {
  if (!done) throw Failure(fmt::format("writing {}: {}", path_.string(), hdf5_reason()));
}

void AtmosphereOutput::write(double time, const atmosphere::State& state,
                             const atmosphere::Profiles& profiles) {
  const std::vector<double> theta = atmosphere::temperature_of(state, profiles, setup_.nx);
  std::vector<const std::vector<double>*> fields;
  for (const auto& field : state.of)
    fields.push_back(&field);
  fields.push_back(&theta);
  if (times_.empty()) {
    io::OutputFile first(plan_, path_);
    make(first.path(), time, fields);
    first.commit();
  } else {
    reserve();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Who looks at the snapshots so far must not stop the run.
    H5Pset_file_locking(access.id(), false, true);
    Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
    require(static_cast<bool>(file));
    append(file, times_.size(), time, fields);
    require(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0 && file.close());
  }
  times_.push_back(time);
  io::write_text_file(plan_, xdmf(), xdmf_text());
}

void AtmosphereOutput::make(const fs::path& path, double time,
                            const std::vector<const std::vector<double>*>& fields) const {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  require(static_cast<bool>(file));
  append(file, 0, time, fields);
  require(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0 && file.close());
}

/// Takes the room for one more snapshot beforehand: a disk that fills up while HDF5 writes would
/// leave a file that cannot be read.
void AtmosphereOutput::reserve() const {
  const auto values =
      static_cast<std::uintmax_t>(setup_.nx) * static_cast<std::uintmax_t>(setup_.nz);
  const std::uintmax_t needed = values * sizeof(double) * names.size() + overhead;
  const int file = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path_, ignored);
  const int error =
      file < 0 ? errno
               : ::posix_fallocate(file, static_cast<off_t>(size), static_cast<off_t>(needed));
  if (file >= 0) {
    if (error != 0) (void)!::ftruncate(file, static_cast<off_t>(size)); // gives back what it got
    ::close(file);
  }
  if (error != 0) {
    throw Failure(fmt::format("writing {}: {}; it holds the {} snapshot{} until {:g} s",
                              path_.string(), std::strerror(error), times_.size(),
                              times_.size() == 1 ? "" : "s", times_.back()));
  }
}

void AtmosphereOutput::append(const Handle& file, std::size_t number, double time,
                              const std::vector<const std::vector<double>*>& fields) const {
  const Handle folder(
      H5Gcreate2(file.id(), group(number).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Gclose);
  require(static_cast<bool>(folder));
  const Handle one(H5Screate(H5S_SCALAR), H5Sclose);
  Handle stamp(H5Acreate2(folder.id(), "time", H5T_IEEE_F64LE, one.id(), H5P_DEFAULT, H5P_DEFAULT),
               H5Aclose);
  require(stamp && H5Awrite(stamp.id(), H5T_NATIVE_DOUBLE, &time) >= 0 && stamp.close());
  const std::array<hsize_t, 2> sizes{static_cast<hsize_t>(setup_.nz),
                                     static_cast<hsize_t>(setup_.nx)};
  const Handle space(H5Screate_simple(2, sizes.data(), nullptr), H5Sclose);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(layout.id(), false); // the same run gives the same file
  for (std::size_t f = 0; f < fields.size(); ++f) {
    Handle dataset(H5Dcreate2(folder.id(), names[f], H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                              layout.id(), H5P_DEFAULT),
                   H5Dclose);
    require(static_cast<bool>(dataset));
    require(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     fields[f]->data()) >= 0 &&
            dataset.close());
  }
}

/// A series of snapshots on a flat three-dimensional grid: ParaView's readers turn the axes of
/// two-dimensional ones.
std::string AtmosphereOutput::xdmf_text() const {
  const double dx = atmosphere::length / static_cast<double>(setup_.nx);
  const double dz = atmosphere::height / static_cast<double>(setup_.nz);
  std::string grids;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    std::string fields;
    for (const char* const name : names) {
      fields += fmt::format(R"(        <Attribute Name="{}" AttributeType="Scalar" Center="Node">
          <DataItem Dimensions="1 {} {}" NumberType="Float" Precision="8" Format="HDF">{}:{}/{}</DataItem>
        </Attribute>
)",
                            name, setup_.nz, setup_.nx, path_.filename().string(), group(s), name);
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
                         group(s), times_[s], setup_.nz, setup_.nx, dz / 2, dx / 2, dz, dx, fields);
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="atmosphere" GridType="Collection" CollectionType="Temporal">
{}    </Grid>
  </Domain>
</Xdmf>
)",
                     grids);
}

} // namespace ridge::app
