// Sources, receivers and numbers by step of a run of a system.
#include <ridge/core/error.hpp>

#include "evolve_system_command.hpp"
#include "io/file_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ridge::app {

int SystemCommand::array_named(const std::string& name, const std::string& where) const {
  std::string known;
  for (int a = 0; a < arrays(); ++a) {
    if (!kernel_.is_state(a)) continue;
    if (name.empty() || name == name_of(a)) return a;
    known += (known.empty() ? "" : ", ") + std::string(name_of(a));
  }
  throw UsageError(
      fmt::format("{}: {} changes no array '{}'; it changes {}", where, kernel_.name, name, known));
}

void SystemCommand::read_step_tables() {
  const fs::path folder = goes_on_ ? fs::path(run_["folder"]) : fs::path();
  for (const std::string& entry : words_in(run_["by_step"], '\n')) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      throw UsageError(
          fmt::format("--by-step {}: expected NUMBER=FILE, such as drive=drive.txt", entry));
    }
    const std::string text = entry.substr(equals + 1);
    for (const chain::StepTable& known : setup_.by_step) {
      if (known.number == entry.substr(0, equals))
        throw UsageError(fmt::format("--by-step {}: '{}' is given twice", entry, known.number));
    }
    for (const std::string& setting : words_in(run_["settings"], ' ')) {
      if (setting.starts_with(entry.substr(0, equals + 1)))
        throw UsageError(
            fmt::format("--set {} and --by-step {}: give one of them", setting, entry));
    }
    chain::StepTable table{entry.substr(0, equals),
                           read_wavelet(text, folder, setup_.dt, last(), "--by-step")};
    const std::string file = file_of_wavelet(text);
    if (!file.empty()) plan_.reads(folder / file, "the file of --by-step");
    const auto length = static_cast<Index>(table.values.size());
    if (length < last() && ranks_.rank() == 0) {
      fmt::print(stderr,
                 "ridge: {} has {} values, and the run {} steps: the last one holds after them\n",
                 text, length, last());
    }
    setup_.by_step.push_back(std::move(table));
  }
}

void SystemCommand::require_picture() const {
  if (o_.picture.empty()) {
    if (!o_.shown.empty()) throw UsageError("--show goes with --picture");
    return;
  }
  if (dimensions_ < 2)
    throw UsageError("--picture: a line has no slice; it takes two or three dimensions");
  std::vector<std::string> known = kernel_.looks;
  for (int a = 0; a < arrays(); ++a)
    if (kernel_.is_state(a)) known.emplace_back(name_of(a));
  if (o_.shown.empty() || std::find(known.begin(), known.end(), o_.shown) != known.end()) return;
  throw UsageError(
      fmt::format("--show {}: {} shows {}", o_.shown, kernel_.name, fmt::join(known, ", ")));
}

void SystemCommand::tell_of_layers(const Places& places, const std::string& option) const {
  if (goes_on_) return;
  const auto width = static_cast<double>(setup_.layers.width);
  std::vector<Index> lines;
  for (const Places::Row& row : places.rows) {
    bool inside = false;
    for (int d = 0; d < dimensions_; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const double at = row.position[i] / setup_.spacing[i];
      const double last = static_cast<double>(comm::along(extents_, d) - 1);
      const auto& faces = setup_.layers.faces[i];
      inside = inside || (faces[0] && at < width) || (faces[1] && last - at < width);
    }
    if (inside) lines.push_back(row.line);
  }
  if (lines.empty()) return;
  tell(fmt::format("{} {}: {} of {} places lie{} in layers that absorb, where waves lose strength, "
                   "the first in line {}",
                   option, places.file, lines.size(), places.rows.size(),
                   lines.size() == 1 ? "s" : "", lines.front()));
}

void SystemCommand::read_probes() {
  require_picture();
  choose_steps();
  read_step_tables();
  find_forces();
  const auto where = [](const Places& places, const Places::Row& row) {
    return fmt::format("{}, line {}", places.file, row.line);
  };
  const auto require_inside = [&](const Places& places, const std::string& option) {
    for (const Places::Row& row : places.rows) {
      for (int d = 0; d < dimensions_; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const Index n = comm::along(extents_, d);
        const double last = static_cast<double>(n - 1) * setup_.spacing[i];
        const auto end = static_cast<double>(n - 1);
        if (n == 1 || chain::lies_within(row.position[i], setup_.spacing[i], end)) continue;
        throw UsageError(fmt::format("{} {}: {}={:g} lies outside the domain, which goes from 0 "
                                     "to {:g}",
                                     option, where(places, row), "xyz"[d], row.position[i], last));
      }
    }
  };
  if (!run_["source"].empty()) {
    sources_ = read_places(found(run_["source"]), dimensions_, "--source");
    plan_.reads(sources_.file, "the file of --source");
    require_inside(sources_, "--source");
    tell_of_layers(sources_, "--source");
    std::map<std::string, std::size_t> wavelets;
    for (const Places::Row& row : sources_.rows) {
      const std::string& text = row.wavelet.empty() ? run_["wavelet"] : row.wavelet;
      if (text.empty())
        throw UsageError("--source: give --wavelet ricker:FREQUENCY or a file of numbers, one a "
                         "step");
      auto known = wavelets.find(text);
      if (known == wavelets.end()) {
        known = wavelets.emplace(text, setup_.wavelets.size()).first;
        const fs::path folder = goes_on_ ? fs::path(run_["folder"]) : fs::path();
        wavelets_.push_back(text);
        setup_.wavelets.push_back(read_wavelet(text, folder, setup_.dt, last()));
        const std::string file = file_of_wavelet(text);
        if (!file.empty()) plan_.reads(folder / file, "the file of --wavelet");
        const double most = most_of_ricker * frequency_shown(text, setup_.dt);
        if (most > 1 / (2 * setup_.dt) && ranks_.rank() == 0) {
          fmt::print(stderr,
                     "ridge: the wavelet {} also has frequencies beyond {:g}, 1 / (2 dt), which "
                     "steps of {:g} turn into others; --dt {:.3g} does not\n",
                     text, 1 / (2 * setup_.dt), setup_.dt, 1 / (2 * most));
        }
        const auto length = static_cast<Index>(setup_.wavelets.back().size());
        if (length < last() && ranks_.rank() == 0) {
          fmt::print(stderr,
                     "ridge: the wavelet {} has {} values, and the run {} steps: it is 0 after "
                     "them\n",
                     text, length, last());
        }
      }
      setup_.sources.push_back({array_named(row.array, where(sources_, row)), row.position,
                                row.amplitude, known->second});
    }
  }
  if (run_["receivers"].empty()) return;
  receivers_ = read_places(found(run_["receivers"]), dimensions_, "--receivers");
  plan_.reads(receivers_.file, "the file of --receivers");
  require_inside(receivers_, "--receivers");
  tell_of_layers(receivers_, "--receivers");
  std::map<std::pair<int, std::array<double, 3>>, Index> lines;
  for (const Places::Row& row : receivers_.rows) {
    const int array = array_named(row.array, where(receivers_, row));
    const auto [before, is_new] = lines.emplace(std::pair{array, row.position}, row.line);
    if (!is_new) {
      throw UsageError(fmt::format("--receivers {}: lines {} and {} are one place; give each "
                                   "receiver its own",
                                   receivers_.file, before->second, row.line));
    }
    setup_.receivers.push_back({array, row.position});
  }
}

void SystemCommand::claim_traces() {
  file_ = o_.output.empty() ? o_.restart : o_.output;
  if (!has_traces()) return;
  traces_file_ = io::beside(file_, ".traces.h5");
  if (!goes_on_) return;
  const fs::path before = io::beside(o_.restart, ".traces.h5");
  if (!setup_.receivers.empty()) traces_before_ = read_traces(before, setup_.first_step);
  if (!bodies_.empty()) forces_before_ = read_traces(before, setup_.first_step, "forces");
}

} // namespace ridge::app
