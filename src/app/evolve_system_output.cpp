#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "../io/file_names.hpp"
#include "../io/hdf5_attribute.hpp"
#include "evolve_system.hpp"
#include "hdf5_handle.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* system_program = "ridge evolve";
constexpr const char* system_pattern = "system";
constexpr Index system_format = 2; ///< 1: numbers of a run are texts, snapshots have no medium
/// Attributes that are none of the run's own. Earlier versions list snapshots.
constexpr std::array reserved{"program", "pattern", "format", "ridge_version", "snapshots"};
/// Those that are numbers in the file.
constexpr std::array numbers{"dt", "spacing_x", "spacing_y", "spacing_z"};
/// Those that runs of all versions have, empty or not.
constexpr std::array needed{"kernel",    "folder",       "settings",  "input",   "boundary",
                            "absorb",    "absorb_width", "source",    "wavelet", "receivers",
                            "spacing_x", "spacing_y",    "spacing_z", "dt",      "target",
                            "every",     "checksum"};

void require_written(bool done, const fs::path& file) {
  if (!done) throw Failure(fmt::format("writing {}: {}", file.string(), hdf5_reason()));
}

void write_planes(const Handle& file, const fs::path& called, const SnapshotField& field,
                  int element_bytes) {
  const Index3 n = field.points;
  std::vector<hsize_t> shape;
  if (field.dimensions > 2) shape.push_back(static_cast<hsize_t>(n.z));
  if (field.dimensions > 1) shape.push_back(static_cast<hsize_t>(n.y));
  shape.push_back(static_cast<hsize_t>(n.x));
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(layout.id(), false); // the same run gives the same file
  const hid_t type = element_bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  Handle data(H5Dcreate2(file.id(), field.name.c_str(), type, space.id(), H5P_DEFAULT, layout.id(),
                         H5P_DEFAULT),
              H5Dclose);
  require_written(static_cast<bool>(data), called);
  std::vector<std::byte> plane(static_cast<std::size_t>(n.x * n.y * element_bytes));
  std::vector<hsize_t> start(shape.size(), 0);
  std::vector<hsize_t> count = shape;
  if (shape.size() == 3) count[0] = 1;
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                      H5Sclose);
  for (Index z = 0; z < n.z; ++z) {
    field.plane(z, plane.data());
    if (shape.size() == 3) start[0] = static_cast<hsize_t>(z);
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    require_written(
        H5Dwrite(data.id(), type, memory.id(), space.id(), H5P_DEFAULT, plane.data()) >= 0, called);
  }
  require_written(data.close(), called);
}

} // namespace

namespace {

/// What tells a run from others: a digest of all that its arrays depend on, but the start's values.
std::string identity_of(const SystemRun& run) {
  constexpr std::array where_and_how_long{"device",    "device_name", "schedule", "folder",
                                          "rank_grid", "target",      "every"};
  std::uint64_t hash = 0;
  for (const auto& [name, value] : run) {
    const bool counts = std::find(where_and_how_long.begin(), where_and_how_long.end(), name) ==
                        where_and_how_long.end();
    if (!counts || value.empty()) continue;
    for (const char c : name + "=" + value + "\n")
      hash = mix_bits(hash ^ static_cast<unsigned char>(c));
  }
  return fmt::format("{:016x}", hash);
}

io::SnapshotFiles files_of(io::OutputPlan& plan, fs::path file, const SystemRun& run,
                           std::vector<EvolveSnapshot> there) {
  if (there.empty()) return {plan, std::move(file)};
  return {plan, std::move(file), identity_of(run), std::move(there)};
}

void describe(const Handle& file, const fs::path& called, const SystemRun& run) {
  require_written(write_attribute(file, "program", std::string(system_program)) &&
                      write_attribute(file, "pattern", std::string(system_pattern)) &&
                      write_attribute(file, "format", system_format) &&
                      write_attribute(file, "ridge_version", std::string(ridge_version)),
                  called);
  for (const auto& [name, value] : run) {
    const bool is_number = std::find(numbers.begin(), numbers.end(), name) != numbers.end();
    require_written(is_number ? write_attribute(file, name, number_in(run, name.c_str()))
                              : write_attribute(file, name, value),
                    called);
  }
}

} // namespace

SystemOutput::SystemOutput(io::OutputPlan& plan, fs::path file, const SystemRun& run,
                           std::vector<EvolveSnapshot> snapshots)
    : files_(files_of(plan, std::move(file), run, std::move(snapshots))) {}

void SystemOutput::write(const SystemRun& run, Index step, double time,
                         const std::array<double, 3>& spacing,
                         const std::vector<SnapshotField>& fields, int element_bytes) {
  const fs::path name = io::snapshot_beside(files_.file(), step);
  const auto is_here = [&](const SnapshotField& f) {
    return f.home.empty() || f.home == name.filename();
  };
  std::uintmax_t bytes = 0;
  for (const SnapshotField& f : fields)
    if (is_here(f))
      bytes += static_cast<std::uintmax_t>(f.points.x * f.points.y * f.points.z * element_bytes);
  const auto fill = [&](const Handle& file) {
    for (const SnapshotField& f : fields) {
      if (is_here(f)) {
        write_planes(file, name, f, element_bytes);
      } else {
        require_written(H5Lcreate_external(f.home.c_str(), ("/" + f.name).c_str(), file.id(),
                                           f.name.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0,
                        name);
      }
    }
    const auto medium = run.find(medium_attribute);
    require_written(write_attribute(file, "time", time) && write_attribute(file, "step", step) &&
                        write_attribute(file, medium_attribute,
                                        medium == run.end() ? std::string() : medium->second),
                    name);
  };
  files_.add({identity_of(run), step, bytes, fill,
              [&](const Handle& file) { describe(file, files_.file(), run); },
              [&] { return xdmf_of(step, time, spacing, fields, element_bytes); }});
}

std::string SystemOutput::xdmf_of(Index step, double time, const std::array<double, 3>& spacing,
                                  const std::vector<SnapshotField>& fields,
                                  int element_bytes) const {
  const double each = time / static_cast<double>(std::max<Index>(step, 1));
  std::vector<XdmfSeries> all; // one for the arrays of so many points
  for (const SnapshotField& f : fields) {
    const Index n[] = {f.points.x, f.points.y, f.points.z};
    const Extents extents(n, f.dimensions);
    auto series = std::find_if(all.begin(), all.end(),
                               [&](const XdmfSeries& one) { return one.extents == extents; });
    if (series == all.end()) {
      XdmfSeries made{f.name, extents, spacing, element_bytes, {}, {}};
      for (const EvolveSnapshot& one : snapshots())
        made.times.push_back(static_cast<double>(one.step) * each);
      series = all.insert(all.end(), std::move(made));
    }
    std::vector<std::string> references;
    for (const EvolveSnapshot& one : snapshots())
      references.push_back((f.home.empty() ? one.file.string() : f.home) + ":/" + f.name);
    if (series->references.empty()) {
      series->references = std::move(references);
    } else {
      series->more.push_back({f.name, std::move(references)});
    }
  }
  return xdmf_text(all);
}

bool is_system_run(const fs::path& file) {
  std::error_code why;
  if (!fs::is_regular_file(file, why)) return false;
  quiet_hdf5();
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  std::string found;
  return opened && read_attribute(opened, "program", found) && found == system_program &&
         read_attribute(opened, "pattern", found) && found == system_pattern;
}

namespace {

herr_t add_name(hid_t /*file*/, const char* name, const H5A_info_t* /*info*/, void* to) {
  static_cast<std::vector<std::string>*>(to)->emplace_back(name);
  return 0;
}

} // namespace

SystemRestart read_system_restart(const fs::path& file) {
  const Handle opened = open_hdf5(file);
  SystemRestart restart;
  Index version = 0;
  if (!read_attribute(opened, "format", version) || version > system_format) {
    throw UsageError(fmt::format("{} is of a later ridge (format {}; this one reads {})",
                                 file.string(), version, system_format));
  }
  for (const char* name : needed) {
    if (H5Aexists(opened.id(), name) > 0) continue;
    throw UsageError(fmt::format("{} is damaged: it lacks the attribute {}", file.string(), name));
  }
  std::vector<std::string> names;
  H5Aiterate2(opened.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &add_name, &names);
  for (const std::string& name : names) {
    std::string value;
    double number = 0;
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) continue;
    if (read_attribute(opened, name, value)) restart.run[name] = value;
    if (read_attribute(opened, name, number)) restart.run[name] = exact(number);
  }
  restart.snapshots = io::snapshots_in(opened);
  if (restart.snapshots.empty())
    throw UsageError(fmt::format("{} has no snapshot to go on from", file.string()));
  return restart;
}

} // namespace ridge::app
