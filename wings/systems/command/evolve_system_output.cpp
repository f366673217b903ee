#include <ridge/core/error.hpp>

#include "app/hdf5_handle.hpp"
#include "app/version.hpp"
#include "app/xdmf.hpp"
#include "evolve_system.hpp"
#include "io/file_names.hpp"
#include "io/hdf5_writing.hpp"

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

void write_planes(const io::Writing& out, const SnapshotField& field, int element_bytes) {
  const Index3 n = field.points;
  std::vector<hsize_t> shape;
  if (field.dimensions > 2) shape.push_back(static_cast<hsize_t>(n.z));
  if (field.dimensions > 1) shape.push_back(static_cast<hsize_t>(n.y));
  shape.push_back(static_cast<hsize_t>(n.x));
  const hid_t type = native_type(element_bytes);
  std::vector<std::byte> plane(static_cast<std::size_t>(n.x * n.y * element_bytes));
  std::vector<hsize_t> start(shape.size(), 0);
  std::vector<hsize_t> count = shape;
  if (shape.size() == 3) count[0] = 1;
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                      H5Sclose);
  out.dataset(field.name, shape, element_bytes, [&](const Handle& data, const Handle& space) {
    for (Index z = 0; z < n.z; ++z) {
      field.plane(z, plane.data());
      if (shape.size() == 3) start[0] = static_cast<hsize_t>(z);
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      out.require(H5Dwrite(data.id(), type, memory.id(), space.id(), H5P_DEFAULT, plane.data()) >=
                  0);
    }
  });
}

void describe(const io::Writing& out, const SystemRun& run) {
  out.attribute("program", std::string(system_program));
  out.attribute("pattern", std::string(system_pattern));
  out.attribute("format", system_format);
  out.attribute("ridge_version", std::string(ridge_version));
  for (const auto& [name, value] : run) {
    if (std::find(numbers.begin(), numbers.end(), name) != numbers.end()) {
      out.attribute(name, number_in(run, name.c_str()));
    } else {
      out.attribute(name, value);
    }
  }
}

std::string xdmf_of(const std::vector<EvolveSnapshot>& snapshots,
                    const std::function<double(Index)>& time_of,
                    const std::array<double, 3>& spacing, const std::vector<SnapshotField>& fields,
                    int element_bytes) {
  std::vector<XdmfSeries> all; // one for the arrays of so many points
  for (const SnapshotField& f : fields) {
    const Index n[] = {f.points.x, f.points.y, f.points.z};
    const Extents extents(n, f.dimensions);
    auto series = std::find_if(all.begin(), all.end(),
                               [&](const XdmfSeries& one) { return one.extents == extents; });
    if (series == all.end()) {
      XdmfSeries made{f.name, extents, spacing, element_bytes, {}, {}};
      for (const EvolveSnapshot& one : snapshots)
        made.times.push_back(time_of(one.step));
      series = all.insert(all.end(), std::move(made));
    }
    std::vector<std::string> references;
    for (const EvolveSnapshot& one : snapshots)
      references.push_back((f.home.empty() ? one.file.string() : f.home) + ":/" + f.name);
    if (series->references.empty()) {
      series->references = std::move(references);
    } else {
      series->more.push_back({f.name, std::move(references)});
    }
  }
  return xdmf_text(all);
}

} // namespace

std::string identity_of(const SystemRun& run) {
  constexpr std::array where_and_how_long{"device",    "device_name", "schedule", "folder",
                                          "rank_grid", "target",      "every",    "dt_now"};
  std::string text;
  for (const auto& [name, value] : run) {
    const bool counts = std::find(where_and_how_long.begin(), where_and_how_long.end(), name) ==
                        where_and_how_long.end();
    if (counts && !value.empty()) text += name + "=" + value + "\n";
  }
  return digest_of(text);
}

void write_arrays(io::SnapshotFiles& files, const SystemRun& run, Index step,
                  const std::function<double(Index step)>& time_of,
                  const std::array<double, 3>& spacing, const std::vector<SnapshotField>& fields,
                  int element_bytes) {
  const fs::path name = io::snapshot_beside(files.file(), step).filename();
  const auto is_here = [&](const SnapshotField& f) { return f.home.empty() || f.home == name; };
  std::uintmax_t bytes = 0;
  for (const SnapshotField& f : fields)
    if (is_here(f))
      bytes += static_cast<std::uintmax_t>(f.points.x * f.points.y * f.points.z * element_bytes);
  const auto fill = [&](const io::Writing& out) {
    for (const SnapshotField& f : fields)
      is_here(f) ? write_planes(out, f, element_bytes) : out.link(f.home, f.name);
    const auto medium = run.find(medium_attribute);
    out.attribute("time", time_of(step));
    out.attribute("step", step);
    out.attribute(medium_attribute, medium == run.end() ? std::string() : medium->second);
  };
  files.add({identity_of(run), step, bytes, fill,
             [&](const io::Writing& out) { describe(out, run); },
             [&] { return xdmf_of(files.snapshots(), time_of, spacing, fields, element_bytes); }});
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
