#include "output_plan.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"
#include "file_names.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace ridge::io {

namespace fs = std::filesystem;

namespace {

/// Hidden, beside the file.
fs::path hidden(const fs::path& place, const char* ending) {
  return place.parent_path() / ("." + place.filename().string() + ending);
}

fs::path lock_of(const fs::path& place) {
  return hidden(place, ".lock");
}

/// Where a file is written before it takes its place.
fs::path temporary_of(const fs::path& place) {
  return hidden(place, ".partial");
}

/// Two names of one file, by links of either kind, or of a file yet to come.
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return a == b || fs::equivalent(a, b, failed);
}

/// The file that links lead to, which need not exist.
fs::path behind_links(fs::path file) {
  std::error_code failed;
  for (int links = 0; links < 40 && fs::is_symlink(file, failed); ++links) {
    const fs::path to = fs::read_symlink(file, failed);
    if (failed) break;
    file = to.is_absolute() ? to : file.parent_path() / to;
  }
  return file;
}

bool is_there(const fs::path& file) {
  std::error_code failed;
  return fs::exists(file, failed);
}

/// What is in a folder. Throws Failure when that cannot be known.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> all;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    all.push_back(at->path());
  if (failed) {
    throw Failure(fmt::format("the folder {} of the output cannot be looked into: {}",
                              folder.string(), failed.message()));
  }
  return all;
}

} // namespace

bool is_stream(const fs::path& target) {
  std::error_code ignored;
  fs::path at = target;
  // A link such as /dev/stdout ends in this folder, whatever the process's output is.
  for (int links = 0; links < 40; ++links) {
    const std::string folder = at.parent_path().lexically_normal().string();
    if (folder == "/dev/fd" || folder == "/proc/self/fd") return true;
    if (!fs::is_symlink(at, ignored)) break;
    const fs::path to = fs::read_symlink(at, ignored);
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  const auto status = fs::status(target, ignored);
  return fs::is_character_file(status) || fs::is_fifo(status);
}

fs::path place_of(const fs::path& target) {
  const fs::path file = behind_links(target);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failed;
  refuse_if(!fs::is_directory(folder, failed), "there is no folder {} for {}", folder.string(),
            target.string());
  return fs::canonical(folder) / file.filename();
}

bool OutputPlan::Snapshots::has_name_of(const fs::path& other) const {
  return other.parent_path() == folder && stem_of_snapshot(other.filename().string()) == stem;
}

fs::path OutputPlan::Snapshots::lock() const {
  return hidden(folder / stem, ".snapshots.lock");
}

void OutputPlan::reads(const fs::path& file, const std::string& what) {
  if (!file.empty()) inputs_.push_back({file, what});
}

void OutputPlan::writes(const fs::path& file, const std::string& what) {
  add(file, what, Standing::new_one);
}

void OutputPlan::writes_again(const fs::path& file, const std::string& what) {
  add(file, what, Standing::replaceable);
}

void OutputPlan::writes_at_once(const fs::path& file, const std::string& what) {
  if (!is_stream(file)) add(file, what, Standing::new_one);
}

void OutputPlan::continues(const fs::path& file, const std::string& what) {
  add(file, what, Standing::own);
}

void OutputPlan::add(const fs::path& file, const std::string& what, Standing standing) {
  refuse_if(is_stream(file), "{} is not a file that can be replaced", file.string());
  const fs::path place = place_of(file);
  std::error_code ignored;
  const auto status = fs::status(place, ignored);
  refuse_if(fs::is_directory(status) || place.filename().empty(),
            "{} is a folder; give a file name", file.string());
  refuse_if(fs::exists(status) && !fs::is_regular_file(status),
            "{} is not a file that can be replaced", file.string());
  outputs_.push_back({file, place, what, standing});
}

void OutputPlan::writes_snapshots(const fs::path& file,
                                  std::function<bool(const fs::path&)> is_own) {
  const fs::path folder = place_of(snapshot_beside(file, 0)).parent_path();
  snapshots_.push_back({file, folder, without_hdf5(file).filename().string(), std::move(is_own)});
}

void OutputPlan::claim() {
  for (const Output& output : outputs_)
    require_no_input(output);
  for (const Snapshots& all : snapshots_)
    require_no_input(all);
  require_different();
  claim_names();
  if (!overwrite_) require_new();
  if (holds_all()) clear_remains();
}

void OutputPlan::require_no_input(const Output& output) const {
  for (const Input& input : inputs_) {
    refuse_if(output.standing != Standing::own && is_same_file(output.place, input.file),
              "{} {} is {}{}; give another file", output.what, output.file.string(), input.what,
              input.file == output.file ? "" : " " + input.file.string());
    for (const fs::path& passing : {temporary_of(output.place), lock_of(output.place)}) {
      if (!is_same_file(passing, input.file)) continue;
      throw UsageError(fmt::format("{} {} has the name of a file that is beside {} while it is "
                                   "written; rename it",
                                   input.what, input.file.string(), output.file.string()));
    }
  }
}

void OutputPlan::require_no_input(const Snapshots& all) const {
  const auto refuse = [&](const std::string& what, const fs::path& file) {
    throw UsageError(fmt::format("{} {} has the name of a snapshot of {}; give another output",
                                 what, file.string(), all.file.string()));
  };
  for (const Input& input : inputs_) {
    if (!is_there(input.file)) continue;
    // By any name that it has: a link, too, or what the link leads to.
    const fs::path named =
        fs::canonical(input.file.has_parent_path() ? input.file.parent_path() : fs::path(".")) /
        input.file.filename();
    for (const fs::path& place : {named, fs::canonical(input.file)}) {
      if (all.has_name_of(place) && !all.is_own(place)) refuse(input.what, input.file);
    }
  }
  for (const Output& output : outputs_) {
    if (all.has_name_of(output.place)) refuse(output.what, output.file);
  }
}

void OutputPlan::require_different() const {
  for (auto a = outputs_.begin(); a != outputs_.end(); ++a) {
    for (auto b = a + 1; b != outputs_.end(); ++b) {
      if (!is_same_file(a->place, b->place)) continue;
      throw UsageError(fmt::format("{} and {} name the same file, {}; give another file", a->what,
                                   b->what, b->file.string()));
    }
  }
}

void OutputPlan::claim_names() {
  for (const Output& output : outputs_) {
    claims_.all.emplace_back(lock_of(output.place), Claim::Kind::alone, output.file.string());
    // A run that writes snapshots of this form must not meet it, either.
    if (const auto stem = stem_of_snapshot(output.place.filename().string())) {
      const Snapshots others{output.file, output.place.parent_path(), *stem, {}};
      claims_.all.emplace_back(others.lock(), Claim::Kind::shared, output.file.string());
    }
  }
  for (const Snapshots& all : snapshots_) {
    claims_.all.emplace_back(all.lock(), Claim::Kind::alone,
                             fmt::format("a snapshot of {}", all.file.string()));
  }
}

void OutputPlan::require_new() const {
  for (const Output& output : outputs_) {
    if (output.standing != Standing::new_one || !is_there(output.place)) continue;
    throw UsageError(
        fmt::format("{} exists; give another file, or --overwrite", output.file.string()));
  }
  for (const Snapshots& all : snapshots_) {
    for (const fs::path& file : files_in(all.folder)) {
      if (!all.has_name_of(file) || all.is_own(file)) continue;
      throw UsageError(fmt::format("{} exists, a snapshot of an earlier run; give another file, "
                                   "or --overwrite",
                                   (all.file.parent_path() / file.filename()).string()));
    }
  }
}

/// Removes what runs that were killed left unfinished: nobody else writes there.
void OutputPlan::clear_remains() const {
  std::error_code ignored;
  for (const Output& output : outputs_)
    fs::remove(temporary_of(output.place), ignored);
  for (const Snapshots& all : snapshots_) {
    for (const fs::path& file : files_in(all.folder)) {
      const fs::path whole = all.folder / file.stem().string().substr(1); // .NAME.partial
      if (all.has_name_of(whole) && file == temporary_of(whole)) fs::remove(file, ignored);
    }
  }
}

bool OutputPlan::holds_all() const {
  return std::all_of(claims_.all.begin(), claims_.all.end(),
                     [](const Claim& c) { return c.holds(); });
}

fs::path OutputPlan::temporary_for(const fs::path& file) const {
  const fs::path place = place_of(file);
  const auto is_it = [&](const Output& output) { return output.place == place; };
  const auto has_it = [&](const Snapshots& all) { return all.has_name_of(place); };
  fail_if(std::none_of(outputs_.begin(), outputs_.end(), is_it) &&
              std::none_of(snapshots_.begin(), snapshots_.end(), has_it),
          "{} was not planned as an output; please report this", file.string());
  // Without locks another run may write its own.
  return holds_all() ? temporary_of(place)
                     : hidden(place, fmt::format(".{}.partial", getpid()).c_str());
}

} // namespace ridge::io
