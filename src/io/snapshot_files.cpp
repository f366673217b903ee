#include "snapshot_files.hpp"

#include <ridge/core/error.hpp>

#include "file_names.hpp"
#include "hdf5_writing.hpp"
#include "output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace ridge::io {

namespace fs = std::filesystem;

namespace {

/// The attribute by which a snapshot's file says whose it is.
constexpr const char* run_attribute = "run";
/// HDF5's own tables of a snapshot, and the files that lead to it.
constexpr std::uintmax_t around = 64 << 10;

/// Makes a file of the plan, whole or not at all.
void write_hdf5(OutputFile& made, const SnapshotFiles::Fill& fill) {
  Writing out(made.path(), made.target());
  fill(out);
  out.close();
  made.commit();
}

Handle opened(const fs::path& file) {
  quiet_hdf5();
  return {H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
}

/// Whether a file is a snapshot of the run; `silent`: where it does not say whose it is.
bool is_of(const fs::path& file, const std::string& run, bool silent) {
  const Handle snapshot = opened(file);
  if (!snapshot) return false;
  std::string found;
  return read_attribute(snapshot, run_attribute, found) ? found == run : silent;
}

std::optional<RunSnapshot> snapshot_of_link(const Handle& group, const char* name) {
  RunSnapshot one{};
  const std::string_view digits(name);
  const char* const end = digits.data() + digits.size();
  const auto [rest, status] = std::from_chars(digits.data(), end, one.step);
  H5L_info_t link{};
  if (status != std::errc{} || rest != end ||
      H5Lget_info(group.id(), name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_EXTERNAL)
    return {};
  std::vector<char> value(link.u.val_size);
  const char* leads_to = nullptr;
  if (H5Lget_val(group.id(), name, value.data(), value.size(), H5P_DEFAULT) < 0 ||
      H5Lunpack_elink_val(value.data(), value.size(), nullptr, &leads_to, nullptr) < 0)
    return {};
  one.file = leads_to;
  return one;
}

/// Those of the run whose file this is. Files of other programs have none.
std::vector<RunSnapshot> snapshots_of_run(const fs::path& file, const std::string& group) {
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return {};
  const Handle run = opened(file);
  std::string program;
  if (!run || !read_attribute(run, "program", program) || !program.starts_with("ridge ")) return {};
  return snapshots_in(run, group);
}

} // namespace

std::vector<RunSnapshot> snapshots_in(const Handle& file, const std::string& group) {
  std::vector<RunSnapshot> found;
  const Handle all(H5Gopen2(file.id(), group.c_str(), H5P_DEFAULT), H5Gclose);
  H5G_info_t info{};
  if (!all || H5Gget_info(all.id(), &info) < 0) return found;
  for (hsize_t n = 0; n < info.nlinks; ++n) {
    char name[64] = {};
    if (H5Lget_name_by_idx(all.id(), ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof(name) - 1,
                           H5P_DEFAULT) < 0)
      continue;
    if (auto one = snapshot_of_link(all, name)) found.push_back(*std::move(one));
  }
  std::sort(found.begin(), found.end(),
            [](const RunSnapshot& a, const RunSnapshot& b) { return a.step < b.step; });
  return found;
}

SnapshotFiles::SnapshotFiles(OutputPlan& plan, fs::path file, SnapshotLinks links)
    : plan_(plan), file_(std::move(file)), links_(std::move(links)) {
  begin_anew(plan);
}

void SnapshotFiles::begin_anew(OutputPlan& plan) {
  quiet_hdf5();
  plan.writes(file_, "the output");
  plan.writes(xdmf(), "the XDMF file");
  plan.writes_snapshots(file_, [](const fs::path&) { return false; });
}

SnapshotFiles::SnapshotFiles(OutputPlan& plan, fs::path file, std::string run,
                             std::vector<RunSnapshot> there)
    : plan_(plan), file_(std::move(file)), snapshots_(std::move(there)) {
  if (snapshots_.empty()) {
    begin_anew(plan);
    return;
  }
  quiet_hdf5();
  plan.continues(file_, "the output");
  plan.continues(xdmf(), "the XDMF file");
  // A snapshot that the file does not lead to yet is the run's, too: it may have been killed then.
  const bool silent = is_of(file_.parent_path() / snapshots_.back().file, "", true);
  plan.writes_snapshots(
      file_, [known = snapshots_, run = std::move(run), silent](const fs::path& other) {
        const auto is_it = [&](const RunSnapshot& one) { return one.file == other.filename(); };
        return std::any_of(known.begin(), known.end(), is_it) || is_of(other, run, silent);
      });
}

fs::path SnapshotFiles::xdmf() const {
  return xdmf_beside(file_);
}

std::string SnapshotFiles::kept(const char* verb) const {
  if (snapshots_.empty()) return "";
  return fmt::format("; {} {} the snapshots up to step {}", file_.string(), verb,
                     snapshots_.back().step);
}

void SnapshotFiles::add(const Parts& parts) {
  OutputFile made(plan_, snapshot_beside(file_, parts.step));
  made.require_room(parts.bytes + around);
  write_hdf5(made, [&](const Writing& snapshot) {
    snapshot.attribute(run_attribute, parts.run);
    parts.snapshot(snapshot);
  });
  // The file of the run that is replaced is read while it is there.
  if (snapshots_.empty()) {
    for (const RunSnapshot& one : snapshots_of_run(file_, links_.group)) {
      if (stem_of_snapshot(one.file.string()) == without_hdf5(file_).filename())
        replaced_.push_back(one.file);
    }
  }
  snapshots_.push_back({parts.step, made.target().filename()});
  try {
    write_index(parts.index);
  } catch (...) {
    snapshots_.pop_back();
    std::error_code ignored;
    fs::remove(made.target(), ignored);
    throw;
  }
  write_text_file(plan_, xdmf(), parts.xdmf());
  remove_replaced();
}

void SnapshotFiles::write_index(const Fill& index) const {
  OutputFile made(plan_, file_);
  write_hdf5(made, [&](const Writing& out) {
    const Handle& file = out.file();
    index(out);
    const Handle plain(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(plain.id(), false); // the same run gives the same file
    Handle group(links_.group == "/" ? H5Gopen2(file.id(), "/", H5P_DEFAULT)
                                     : H5Gcreate2(file.id(), links_.group.c_str(), H5P_DEFAULT,
                                                  plain.id(), H5P_DEFAULT),
                 H5Gclose);
    out.require(static_cast<bool>(group));
    for (const RunSnapshot& one : snapshots_) {
      const std::string name = fmt::format("{:0{}}", one.step, links_.digits);
      out.require(H5Lcreate_external(one.file.c_str(), "/", group.id(), name.c_str(), H5P_DEFAULT,
                                     H5P_DEFAULT) >= 0);
    }
    out.require(group.close());
  });
}

/// Nothing leads to them any more.
void SnapshotFiles::remove_replaced() {
  for (const fs::path& name : replaced_) {
    std::error_code ignored;
    if (name != snapshots_.front().file) fs::remove(file_.parent_path() / name, ignored);
  }
  replaced_.clear();
}

} // namespace ridge::io
