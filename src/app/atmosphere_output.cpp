#include "atmosphere_output.hpp"

#include <ridge/core/error.hpp>

#include "../io/hdf5_writing.hpp"
#include "../report/html.hpp"
#include "version.hpp"

#include <fmt/format.h>

#include <array>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 5> names{"density", "x_momentum", "z_momentum", "heat",
                                           "potential_temperature"};
std::string name_of(const io::RunSnapshot& snapshot) {
  return fmt::format("{:04}", snapshot.step);
}

/// What tells a run from others.
std::string identity_of(const atmosphere::Setup& s) {
  return fmt::format("case {} of {}x{} cells, step {}{}", static_cast<int>(s.which), s.nx, s.nz,
                     s.step.value_or(0), s.implicit ? ", implicit" : "");
}

} // namespace

AtmosphereOutput::AtmosphereOutput(io::OutputPlan& plan, fs::path file,
                                   const atmosphere::Setup& setup)
    : files_(plan, std::move(file), {"/", 4}), setup_(setup) {}

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
    files_.add({identity_of(setup_), static_cast<Index>(before),
                static_cast<std::uintmax_t>(setup_.nx * setup_.nz) * sizeof(double) * names.size(),
                [&](const io::Writing& out) {
                  out.attribute("time", time);
                  const std::vector<hsize_t> shape{static_cast<hsize_t>(setup_.nz),
                                                   static_cast<hsize_t>(setup_.nx)};
                  for (std::size_t f = 0; f < fields.size(); ++f)
                    out.dataset(names[f], shape, 8, *fields[f]);
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
  const double dx = atmosphere::length / static_cast<double>(setup_.nx);
  const double dz = atmosphere::height / static_cast<double>(setup_.nz);
  std::string grids;
  for (const io::RunSnapshot& one : files_.snapshots()) {
    std::string fields;
    for (const char* const name : names) {
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
