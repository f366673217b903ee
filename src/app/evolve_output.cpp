#include "evolve_output.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "../core/refuse.hpp"
#include "../io/hdf5_writing.hpp"
#include "hdf5_run.hpp"
#include "version.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* evolve_program = "ridge evolve";
constexpr Index format = 1;

/// Calls `visit(name, member)` for all that a run's fields depend on.
template <class Any, class Visit>
void for_each_parameter(Any& run, const Visit& visit) {
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
template <class Any, class Visit>
void for_each_implicit(Any& run, const Visit& visit) {
  visit("implicit", run.implicit);
  visit("tolerance", run.tolerance);
}

/// And for all else that a run's file tells.
template <class Any, class Visit>
void for_each_attribute(Any& run, const Visit& visit) {
  for_each_parameter(run, visit);
  visit("device", run.device);
  visit("device_name", run.device_name);
  visit("schedule", run.schedule);
  visit("every", run.every);
  visit("target", run.target);
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
  return digest_of(text);
}

std::string digest_of(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char c : text)
    hash = mix_bits(hash ^ static_cast<unsigned char>(c));
  return fmt::format("{:016x}", hash);
}

namespace {

void describe(const io::Writing& out, const EvolveRun& run) {
  out.attribute("program", std::string(evolve_program));
  out.attribute("format", format);
  out.attribute("ridge_version", std::string(ridge_version));
  out.attribute("levels", Index{run.levels});
  out.attribute("folder", run.folder);
  out.attribute("kernel_digest", run.kernel_digest);
  const auto add = [&](const char* name, const auto& value) { out.attribute(name, value); };
  for_each_attribute(run, add);
  if (!run.implicit.empty()) for_each_implicit(run, add);
  if (run.reproducible) out.attribute("reproducible", Index{1});
  if (!run.storage.empty()) out.attribute("storage", run.storage);
  if (!run.stored.empty()) out.attribute("stored", run.stored);
}

std::string xdmf_of(const std::vector<EvolveSnapshot>& snapshots, const EvolveRun& run,
                    const InputDataset& like) {
  XdmfSeries series{run.field.substr(run.field.rfind('/') + 1),
                    like.extents(),
                    {run.spacing.x, run.spacing.y, run.spacing.z},
                    like.element_bytes(),
                    {},
                    {}};
  for (const EvolveSnapshot& snapshot : snapshots) {
    series.times.push_back(static_cast<double>(snapshot.step) * run.dt);
    series.references.push_back(snapshot.file.string() + ":/" + run.field);
  }
  return xdmf_text(series);
}

} // namespace

NotFinite write_levels(io::SnapshotFiles& files, const EvolveRun& run, Index step,
                       const InputDataset& like,
                       const std::function<const void*(int level, const Piece&)>& bring) {
  NotFinite found;
  const auto fill = [&](const io::Writing& out) {
    OutputDataset data(out.file(), "/" + run.field, out.called().string(), like.shape(),
                       like.type());
    for (int level = 0; level < run.levels; ++level) {
      if (level > 0) data.next("/" + level_name(run.field, level));
      write_pieces(
          data, like, [&](const Piece& piece) { return bring(level, piece); },
          level == 0 ? &found : nullptr, false);
    }
    data.close();
  };
  files.add({identity_of(run), step,
             static_cast<std::uintmax_t>(like.extents().count() * like.element_bytes()) *
                 static_cast<std::uintmax_t>(run.levels),
             fill, [&](const io::Writing& out) { describe(out, run); },
             [&] { return xdmf_of(files.snapshots(), run, like); }});
  return found;
}

void require_latest(const std::vector<EvolveSnapshot>& there, const fs::path& file) {
  if (io::snapshots_in(open_hdf5(file)) == there) return;
  throw UsageError(fmt::format("another run went on with {} just now; start again to go on from "
                               "there",
                               file.string()));
}

EvolveRestart read_evolve_restart(const fs::path& file) {
  const RunReader reader(file, evolve_program, format, "fields");
  const Handle& opened = reader.file();
  EvolveRestart restart;
  restart.run.levels = static_cast<int>(reader.required<Index>(opened, "levels"));
  for_each_attribute(restart.run,
                     [&](const char* name, auto& value) { reader.require(name, value); });
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
  restart.snapshots = io::snapshots_in(opened);
  refuse_if(restart.snapshots.empty(), "{} has no snapshot to go on from", file.string());
  const fs::path last = file.parent_path() / restart.snapshots.back().file;
  for (int level = 0; level < restart.run.levels; ++level)
    restart.levels.push_back({last, "/" + level_name(restart.run.field, level)});
  return restart;
}

} // namespace ridge::app
