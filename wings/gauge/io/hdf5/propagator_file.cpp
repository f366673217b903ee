// Propagators in HDF5 files.
#include "propagator_file.hpp"

#include <ridge/core/error.hpp>

#include "core/refuse.hpp"
#include "io/hdf5_error.hpp"
#include "io/hdf5_handle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::io {

namespace {

namespace fs = std::filesystem;

constexpr const char* dataset_name = "/propagator";
constexpr int rank = 7;
constexpr hsize_t components = 12;

[[noreturn]] void fail(const char* doing, const fs::path& file) {
  throw Failure(fmt::format("{} {}: {}", doing, file.string(), hdf5_reason()));
}

/// The dataset of a file, and how to get at a column.
struct Open {
  fs::path path;
  Handle file, dataset;
  hsize_t sizes[rank] = {};

  void set_sizes(const Extents& extents) {
    sizes[0] = propagator_columns;
    for (int d = 0; d < 4; ++d)
      sizes[1 + d] = static_cast<hsize_t>(extents[3 - d]);
    sizes[5] = components;
    sizes[6] = 2;
  }
  [[nodiscard]] Handle column(int number) const {
    Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const hsize_t start[rank] = {static_cast<hsize_t>(number)};
    hsize_t count[rank];
    std::copy(sizes, sizes + rank, count);
    count[0] = 1;
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
    return space;
  }
  [[nodiscard]] Handle memory() const {
    return {H5Screate_simple(rank - 1, sizes + 1, nullptr), H5Sclose};
  }
  template <class T>
  void attribute(const char* name, hid_t type, const std::vector<T>& values) const {
    const hsize_t count = values.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    Handle made(H5Acreate2(dataset.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                H5Aclose);
    if (!made || H5Awrite(made.id(), type, values.data()) < 0 || !made.close())
      fail("writing", path);
  }
  void attribute(const char* name, const std::string& text) const {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), text.size() + 1);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    Handle made(H5Acreate2(dataset.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                H5Aclose);
    if (!made || H5Awrite(made.id(), type.id(), text.c_str()) < 0 || !made.close())
      fail("writing", path);
  }
};

void write_correlators(const Open& to, const std::vector<gauge::Correlator>& all) {
  if (all.empty()) return;
  Handle group(H5Gcreate2(to.file.id(), "/correlators", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               H5Gclose);
  for (const gauge::Correlator& c : all) {
    const hsize_t count = c.values.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    Handle made(H5Dcreate2(group.id(), c.name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT),
                H5Dclose);
    if (!made ||
        H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c.values.data()) <
            0 ||
        !made.close())
      fail("writing", to.path);
  }
  if (!group.close()) fail("writing", to.path);
}

} // namespace

struct PropagatorWriter::State : Open {};
struct PropagatorReader::State : Open {};

PropagatorWriter::PropagatorWriter(const fs::path& path, const Extents& extents, int systems,
                                   int spins)
    : state_(std::make_unique<State>()) {
  quiet_hdf5();
  state_->path = path;
  state_->set_sizes(extents);
  const auto components_here = static_cast<hsize_t>(3 * spins);
  state_->sizes[0] = components_here * static_cast<hsize_t>(systems);
  state_->sizes[5] = components_here;
  state_->file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const Handle space(H5Screate_simple(rank, state_->sizes, nullptr), H5Sclose);
  state_->dataset = Handle(H5Dcreate2(state_->file.id(), dataset_name, H5T_IEEE_F64LE, space.id(),
                                      H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  if (!state_->dataset) fail("writing", path);
}
PropagatorWriter::~PropagatorWriter() = default;

void PropagatorWriter::write(int column, const Column& sites) {
  std::vector<std::remove_cvref_t<decltype(sites.front()(0))>> first; // spin components
  const void* from = sites.data();
  if (state_->sizes[5] == 3) {
    for (const auto& spinor : sites)
      first.push_back(spinor(0));
    from = first.data();
  }
  if (H5Dwrite(state_->dataset.id(), H5T_NATIVE_DOUBLE, state_->memory().id(),
               state_->column(column).id(), H5P_DEFAULT, from) < 0)
    fail("writing", state_->path);
}

void PropagatorWriter::finish(const PropagatorFacts& facts) {
  for (const PropagatorNumber& n : facts.numbers)
    state_->attribute(n.name, H5T_NATIVE_DOUBLE, std::vector{n.value});
  if (!facts.shifts.empty()) state_->attribute("shifts", H5T_NATIVE_DOUBLE, facts.shifts);
  state_->attribute("tolerance", H5T_NATIVE_DOUBLE, std::vector{facts.tolerance});
  state_->attribute("source", H5T_NATIVE_INT64, facts.source);
  state_->attribute("residuals", H5T_NATIVE_DOUBLE, facts.residuals);
  state_->attribute("iterations", H5T_NATIVE_INT64, facts.iterations);
  state_->attribute("configuration", facts.configuration);
  state_->attribute("boundary", facts.boundary);
  write_correlators(*state_, facts.correlators);
  if (!state_->dataset.close() || !state_->file.close()) fail("writing", state_->path);
}

PropagatorReader::PropagatorReader(const fs::path& path, const Extents& extents)
    : state_(std::make_unique<State>()) {
  quiet_hdf5();
  if (!fs::exists(path)) throw UsageError("there is no file " + path.string());
  refuse_if(H5Fis_hdf5(path.c_str()) == 0,
            "{} is not an HDF5 file; a propagator that ridge solve wrote is right", path.string());
  state_->path = path;
  state_->set_sizes(extents);
  state_->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!state_->file) fail("reading", path);
  state_->dataset = Handle(H5Dopen2(state_->file.id(), dataset_name, H5P_DEFAULT), H5Dclose);
  if (!state_->dataset) throw UsageError(path.string() + " has no dataset /propagator");
  const Handle space(H5Dget_space(state_->dataset.id()), H5Sclose);
  hsize_t found[rank] = {};
  const bool is_one = H5Sget_simple_extent_ndims(space.id()) == rank &&
                      H5Sget_simple_extent_dims(space.id(), found, nullptr) == rank;
  if (is_one && std::equal(found, found + rank, state_->sizes)) return;
  const std::string is =
      !is_one ? ""
      : std::equal(found + 1, found + 5, state_->sizes + 1)
          ? fmt::format(", but of another operator: it has {} columns", found[0])
          : fmt::format(", but of {}x{}x{}x{}", found[4], found[3], found[2], found[1]);
  throw UsageError(
      fmt::format("{}: its /propagator is not one of {}{}", path.string(), to_text(extents), is));
}
PropagatorReader::~PropagatorReader() = default;

Column PropagatorReader::read(int column) {
  std::size_t sites = 1;
  for (int d = 1; d < 5; ++d)
    sites *= state_->sizes[d];
  Column values(sites);
  if (H5Dread(state_->dataset.id(), H5T_NATIVE_DOUBLE, state_->memory().id(),
              state_->column(column).id(), H5P_DEFAULT, values.data()) < 0)
    fail("reading", state_->path);
  for (const auto& site : values) {
    for (int c = 0; c < static_cast<int>(components); ++c) {
      if (!std::isfinite(component(site, c).re) || !std::isfinite(component(site, c).im))
        throw UsageError(fmt::format("{}: column {} of its /propagator has numbers that are not "
                                     "finite: it is no start",
                                     state_->path.string(), column));
    }
  }
  return values;
}

} // namespace ridge::io
