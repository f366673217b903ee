#include "evolve_output.hpp"

#include <ridge/core/error.hpp>

#include "hdf5_attribute.hpp"
#include "hdf5_handle.hpp"
#include "output_file.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* program = "ridge evolve";
constexpr Index format = 1;
constexpr const char* snapshots = "/snapshots";

std::string number_of(Index step) {
  return fmt::format("{:010}", step);
}

void require(bool done, const fs::path& file) {
  if (!done) throw Failure(fmt::format("writing {}: {}", file.string(), hdf5_reason()));
}

/// Calls `visit(name, member)` for all that a run's file tells.
template <class Run, class Visit>
void for_each_attribute(Run& run, const Visit& visit) {
  visit("kernel", run.kernel);
  visit("settings", run.settings);
  visit("input", run.input);
  visit("coefficients", run.coefficients);
  visit("boundary", run.boundary);
  visit("absorb", run.absorb);
  visit("device", run.device);
  visit("device_name", run.device_name);
  visit("schedule", run.schedule);
  visit("field", run.field);
  visit("checksum", run.checksum);
  visit("spacing_x", run.spacing.x);
  visit("spacing_y", run.spacing.y);
  visit("spacing_z", run.spacing.z);
  visit("value", run.value);
  visit("dt", run.dt);
  visit("absorb_width", run.absorb_width);
  visit("every", run.every);
  visit("target", run.target);
}

} // namespace

std::string level_name(const std::string& field, int level) {
  return level == 0   ? field
         : level == 1 ? field + "_before"
                      : fmt::format("{}_before{}", field, level);
}

EvolveOutput::EvolveOutput(fs::path file, std::vector<Index> steps, bool overwrite)
    : file_(std::move(file)), steps_(std::move(steps)) {
  quiet_hdf5();
  if (xdmf() == file_) {
    throw UsageError(fmt::format("the output {} is the name of the XDMF file beside it; name it "
                                 "FILE.h5",
                                 file_.string()));
  }
  for (const fs::path& made : {file_, xdmf()}) {
    std::error_code absent;
    if (steps_.empty() && !overwrite && fs::exists(made, absent)) {
      throw UsageError(fmt::format("{} exists; give another file, or --overwrite", made.string()));
    }
    require_writable(made);
  }
}

fs::path EvolveOutput::xdmf() const {
  return fs::path(file_).replace_extension(".xdmf");
}

fs::path EvolveOutput::snapshot_file(Index step) const {
  return fs::path(file_).replace_extension("." + number_of(step) + ".h5");
}

NotFinite EvolveOutput::write(const EvolveRun& run, Index step, const InputDataset& like,
                              const std::function<const void*(int level, const Piece&)>& bring) {
  NotFinite found;
  OutputFile snapshot(snapshot_file(step));
  constexpr std::uintmax_t around = 64 << 10; // HDF5's own tables, and the files that lead here
  snapshot.require_room(static_cast<std::uintmax_t>(like.extents().count() * like.element_bytes()) *
                            static_cast<std::uintmax_t>(run.levels) +
                        around);
  OutputDataset data(snapshot.path(), "/" + run.field, snapshot.target().string(), like.shape(),
                     like.type());
  for (int level = 0; level < run.levels; ++level) {
    if (level > 0) data.next("/" + level_name(run.field, level));
    write_pieces(
        data, like, [&](const Piece& piece) { return bring(level, piece); },
        level == 0 ? &found : nullptr, false);
  }
  data.close();
  snapshot.commit();
  steps_.push_back(step);
  try {
    write_index(run);
    write_xdmf(run, like);
  } catch (...) {
    steps_.pop_back();
    throw;
  }
  return found;
}

void EvolveOutput::write_index(const EvolveRun& run) const {
  OutputFile made(file_);
  Handle file(H5Fcreate(made.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  require(static_cast<bool>(file), file_);
  require(write_attribute(file, "program", std::string(program)) &&
              write_attribute(file, "format", format) &&
              write_attribute(file, "ridge_version", std::string(ridge_version)) &&
              write_attribute(file, "levels", Index{run.levels}),
          file_);
  for_each_attribute(run, [&](const char* name, const auto& value) {
    require(write_attribute(file, name, value), file_);
  });
  Handle group(H5Gcreate2(file.id(), snapshots, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  require(static_cast<bool>(group), file_);
  for (const Index step : steps_) {
    require(H5Lcreate_external(snapshot_file(step).filename().c_str(), "/", group.id(),
                               number_of(step).c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0,
            file_);
  }
  require(group.close() && H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0 && file.close(), file_);
  made.commit();
}

void EvolveOutput::write_xdmf(const EvolveRun& run, const InputDataset& like) const {
  XdmfSeries series{run.field,
                    like.extents(),
                    {run.spacing.x, run.spacing.y, run.spacing.z},
                    like.element_bytes(),
                    {},
                    {}};
  for (const Index step : steps_) {
    series.times.push_back(static_cast<double>(step) * run.dt);
    series.references.push_back(snapshot_file(step).filename().string() + ":/" + run.field);
  }
  write_text_file(xdmf(), xdmf_text(series));
}

EvolveRestart read_evolve_restart(const fs::path& file) {
  quiet_hdf5();
  const Handle opened = open_hdf5(file);
  std::string found;
  if (!read_attribute(opened, "program", found) || found != program) {
    throw UsageError(fmt::format("{} is not the file of a run: --restart takes what ridge evolve "
                                 "wrote with -o; other fields are given as INPUT",
                                 file.string()));
  }
  const auto need = [&](bool there, const char* name) {
    if (!there)
      throw UsageError(
          fmt::format("{} is damaged: it lacks the attribute {}", file.string(), name));
  };
  Index version = 0;
  need(read_attribute(opened, "format", version), "format");
  if (version > format) {
    throw UsageError(fmt::format("{} is of a later ridge (format {}; this one reads {})",
                                 file.string(), version, format));
  }
  EvolveRestart restart;
  Index levels = 0;
  need(read_attribute(opened, "levels", levels), "levels");
  restart.run.levels = static_cast<int>(levels);
  for_each_attribute(restart.run, [&](const char* name, auto& value) {
    need(read_attribute(opened, name, value), name);
  });
  const Handle all(H5Gopen2(opened.id(), snapshots, H5P_DEFAULT), H5Gclose);
  H5G_info_t info{};
  if (all && H5Gget_info(all.id(), &info) >= 0) {
    for (hsize_t n = 0; n < info.nlinks; ++n) {
      char name[64] = {};
      Index step = 0;
      if (H5Lget_name_by_idx(all.id(), ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof(name) - 1,
                             H5P_DEFAULT) < 0)
        continue;
      const std::string_view digits(name);
      (void)std::from_chars(digits.data(), digits.data() + digits.size(), step);
      restart.steps.push_back(step);
    }
  }
  if (restart.steps.empty()) {
    throw UsageError(fmt::format("{} has no snapshot to go on from", file.string()));
  }
  std::sort(restart.steps.begin(), restart.steps.end());
  const fs::path last =
      fs::path(file).replace_extension("." + number_of(restart.steps.back()) + ".h5");
  for (int level = 0; level < restart.run.levels; ++level)
    restart.levels.push_back({last, "/" + level_name(restart.run.field, level)});
  return restart;
}

} // namespace ridge::app
