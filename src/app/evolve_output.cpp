#include "evolve_output.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "../io/file_names.hpp"
#include "../io/output_file.hpp"
#include "hdf5_attribute.hpp"
#include "hdf5_handle.hpp"
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
constexpr const char* snapshot_group = "/snapshots";

void require(bool done, const fs::path& file) {
  if (!done) throw Failure(fmt::format("writing {}: {}", file.string(), hdf5_reason()));
}

/// Calls `visit(name, member)` for all that a run's fields depend on.
template <class Run, class Visit>
void for_each_parameter(Run& run, const Visit& visit) {
  visit("kernel", run.kernel);
  visit("settings", run.settings);
  visit("input", run.input);
  visit("coefficients", run.coefficients);
  visit("boundary", run.boundary);
  visit("absorb", run.absorb);
  visit("field", run.field);
  visit("checksum", run.checksum);
  visit("spacing_x", run.spacing.x);
  visit("spacing_y", run.spacing.y);
  visit("spacing_z", run.spacing.z);
  visit("value", run.value);
  visit("dt", run.dt);
  visit("absorb_width", run.absorb_width);
}

/// What runs of earlier versions do not have.
template <class Run, class Visit>
void for_each_implicit(Run& run, const Visit& visit) {
  visit("implicit", run.implicit);
  visit("tolerance", run.tolerance);
}

/// And for all else that a run's file tells.
template <class Run, class Visit>
void for_each_attribute(Run& run, const Visit& visit) {
  for_each_parameter(run, visit);
  visit("device", run.device);
  visit("device_name", run.device_name);
  visit("schedule", run.schedule);
  visit("every", run.every);
  visit("target", run.target);
}

/// The attribute by which a snapshot's file says whose it is.
constexpr const char* run_attribute = "run";

/// Whether a file is a snapshot of the run. Runs that earlier versions began know no folder, and
/// their snapshots say nothing.
bool is_of_run(const fs::path& file, const EvolveRun& run) {
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!opened) return false;
  std::string found;
  return read_attribute(opened, run_attribute, found) ? found == identity_of(run)
                                                      : run.folder.empty();
}

} // namespace

std::string level_name(const std::string& field, int level) {
  return level == 0   ? field
         : level == 1 ? field + "_before"
                      : fmt::format("{}_before{}", field, level);
}

std::string identity_of(const EvolveRun& run) {
  std::string text = run.kernel_digest;
  for_each_parameter(run, [&](const char* name, const auto& value) {
    text += fmt::format("\n{}={}", name, value);
  });
  if (!run.storage.empty()) text += "\nstorage=" + run.storage;
  if (!run.stored.empty()) text += "\nstored=" + run.stored;
  if (!run.implicit.empty()) {
    for_each_implicit(run, [&](const char* name, const auto& value) {
      text += fmt::format("\n{}={}", name, value);
    });
  }
  if (run.reproducible) text += "\nreproducible";
  std::uint64_t hash = 0;
  for (const char c : text)
    hash = mix_bits(hash ^ static_cast<unsigned char>(c));
  return fmt::format("{:016x}", hash);
}

EvolveOutput::EvolveOutput(io::OutputPlan& plan, fs::path file, const EvolveRun& run,
                           std::vector<EvolveSnapshot> snapshots)
    : plan_(plan), file_(std::move(file)), snapshots_(std::move(snapshots)) {
  quiet_hdf5();
  if (snapshots_.empty()) {
    plan.writes(file_, "the output");
    plan.writes(xdmf(), "the XDMF file");
    plan.writes_snapshots(file_, [](const fs::path&) { return false; });
    return;
  }
  // A snapshot that the file does not lead to yet is the run's, too: it may have been killed then.
  plan.continues(file_, "the output");
  plan.continues(xdmf(), "the XDMF file");
  std::vector<std::string> names;
  for (const EvolveSnapshot& snapshot : snapshots_)
    names.push_back(snapshot.file.string());
  plan.writes_snapshots(file_, [names, run](const fs::path& there) {
    return std::find(names.begin(), names.end(), there.filename().string()) != names.end() ||
           is_of_run(there, run);
  });
}

fs::path EvolveOutput::xdmf() const {
  return io::xdmf_beside(file_);
}

NotFinite EvolveOutput::write(const EvolveRun& run, Index step, const InputDataset& like,
                              const std::function<const void*(int level, const Piece&)>& bring) {
  NotFinite found;
  const fs::path name = io::snapshot_beside(file_, step);
  io::OutputFile snapshot(plan_, name);
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
  data.describe_file(run_attribute, identity_of(run));
  data.close();
  snapshot.commit();
  snapshots_.push_back({step, name.filename()});
  try {
    write_index(run);
    write_xdmf(run, like);
  } catch (...) {
    snapshots_.pop_back();
    throw;
  }
  return found;
}

void EvolveOutput::write_index(const EvolveRun& run) const {
  io::OutputFile made(plan_, file_);
  Handle file(H5Fcreate(made.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  require(static_cast<bool>(file), file_);
  require(write_attribute(file, "program", std::string(program)) &&
              write_attribute(file, "format", format) &&
              write_attribute(file, "ridge_version", std::string(ridge_version)) &&
              write_attribute(file, "levels", Index{run.levels}) &&
              write_attribute(file, "folder", run.folder) &&
              write_attribute(file, "kernel_digest", run.kernel_digest),
          file_);
  for_each_attribute(run, [&](const char* name, const auto& value) {
    require(write_attribute(file, name, value), file_);
  });
  for_each_implicit(run, [&](const char* name, const auto& value) {
    if (!run.implicit.empty()) require(write_attribute(file, name, value), file_);
  });
  if (run.reproducible) require(write_attribute(file, "reproducible", Index{1}), file_);
  if (!run.storage.empty()) require(write_attribute(file, "storage", run.storage), file_);
  if (!run.stored.empty()) require(write_attribute(file, "stored", run.stored), file_);
  Handle group(H5Gcreate2(file.id(), snapshot_group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               H5Gclose);
  require(static_cast<bool>(group), file_);
  for (const EvolveSnapshot& snapshot : snapshots_) {
    require(H5Lcreate_external(snapshot.file.c_str(), "/", group.id(),
                               io::number_of(snapshot.step).c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0,
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
  for (const EvolveSnapshot& snapshot : snapshots_) {
    series.times.push_back(static_cast<double>(snapshot.step) * run.dt);
    series.references.push_back(snapshot.file.string() + ":/" + run.field);
  }
  io::write_text_file(plan_, xdmf(), xdmf_text(series));
}

namespace {

/// The snapshots that a run's file leads to, whatever version of ridge named them.
std::vector<EvolveSnapshot> snapshots_in(const Handle& file) {
  std::vector<EvolveSnapshot> found;
  const Handle all(H5Gopen2(file.id(), snapshot_group, H5P_DEFAULT), H5Gclose);
  H5G_info_t info{};
  if (!all || H5Gget_info(all.id(), &info) < 0) return found;
  for (hsize_t n = 0; n < info.nlinks; ++n) {
    char name[64] = {};
    if (H5Lget_name_by_idx(all.id(), ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof(name) - 1,
                           H5P_DEFAULT) < 0)
      continue;
    EvolveSnapshot one{};
    const std::string_view digits(name);
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), one.step);
    H5L_info_t link{};
    if (status != std::errc{} || H5Lget_info(all.id(), name, &link, H5P_DEFAULT) < 0 ||
        link.type != H5L_TYPE_EXTERNAL)
      continue;
    std::vector<char> value(link.u.val_size);
    const char* leads_to = nullptr;
    if (H5Lget_val(all.id(), name, value.data(), value.size(), H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value.data(), value.size(), nullptr, &leads_to, nullptr) < 0)
      continue;
    one.file = leads_to;
    found.push_back(one);
  }
  std::sort(found.begin(), found.end(),
            [](const EvolveSnapshot& a, const EvolveSnapshot& b) { return a.step < b.step; });
  return found;
}

} // namespace

void require_latest(bool has_same_snapshots, const fs::path& file) {
  if (has_same_snapshots) return;
  throw UsageError(fmt::format("another run went on with {} just now; start again to go on from "
                               "there",
                               file.string()));
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
  for_each_implicit(restart.run, [&](const char* name, auto& value) {
    (void)read_attribute(opened, name, value);
  });
  Index is_reproducible = 0;
  (void)read_attribute(opened, "reproducible", is_reproducible);
  restart.run.reproducible = is_reproducible != 0;
  (void)read_attribute(opened, "storage", restart.run.storage);
  (void)read_attribute(opened, "stored", restart.run.stored);
  // Runs of earlier versions have neither.
  (void)read_attribute(opened, "folder", restart.run.folder);
  (void)read_attribute(opened, "kernel_digest", restart.run.kernel_digest);
  restart.snapshots = snapshots_in(opened);
  if (restart.snapshots.empty()) {
    throw UsageError(fmt::format("{} has no snapshot to go on from", file.string()));
  }
  const fs::path last = file.parent_path() / restart.snapshots.back().file;
  for (int level = 0; level < restart.run.levels; ++level)
    restart.levels.push_back({last, "/" + level_name(restart.run.field, level)});
  return restart;
}

} // namespace ridge::app
