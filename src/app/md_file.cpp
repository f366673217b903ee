#include "md_file.hpp"

#include "../io/hdf5_writing.hpp"
#include "hdf5_run.hpp"
#include "nbody_format.hpp"
#include "nbody_input.hpp"
#include "version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* md_program = "ridge md";
constexpr Index md_format = 2; ///< the first knows no position_in_box
constexpr const char* positions_in_box = "position_in_box";
constexpr const char* listed_positions = "position_of_lists";
constexpr std::array<const char*, 3> periods{"box_x", "box_y", "box_z"};

int bytes_of(const MdRun& run) {
  return run.parameters.precision == nbody::Precision::fp32 ? 4 : 8;
}

/// Calls `visit(name, member)` for what a run's file has as it is.
template <class Any, class Visit>
void visit_md(Any& run, const Visit& visit) {
  auto& p = run.parameters;
  visit("start", run.start);
  visit("interaction", run.interaction);
  visit("dt", p.dt);
  visit("cutoff", p.cutoff);
  visit("skin", p.skin);
  for (std::size_t a = 0; a < 3; ++a)
    visit(periods[a], p.box[a]);
  visit("device", run.device);
  visit("device_name", run.device_name);
  visit("schedule", run.schedule);
  visit("initial_energy", run.energy);
}

/// The file of a run, opened to read.
class MdReader : private RunReader {
public:
  explicit MdReader(const fs::path& file)
      : RunReader(require_whole(file), md_program, md_format, "bodies") {}

  [[nodiscard]] MdRestart restart() const {
    MdRestart read{read_run(), {}, {}, {}};
    const MdRun& run = read.run;
    md::State& state = read.last;
    const Handle group = last_complete();
    read.file = file_of(group);
    state.step = required<Index>(group, "step");
    state.time = required<double>(group, "time");
    const std::string path = name_.string() + ":" + nbody_format::group_of(state.step);
    state.bodies = read_bodies(path);
    state.listed = read_bodies(path, listed_positions).position;
    if (H5Lexists(group.id(), positions_in_box, H5P_DEFAULT) > 0)
      state.in_box = read_bodies(path, positions_in_box).position;
    require_checksum(group, state.step, checksum(run.id, run.parameters, state));
    read.found.potential = required<double>(group, "potential_energy");
    read.found.pressure = required<double>(group, "pressure");
    return read;
  }

private:
  [[nodiscard]] MdRun read_run() const {
    MdRun run;
    run.id = hexadecimal(required<std::string>(file_, "run"));
    const auto settings = required<std::string>(file_, "settings");
    for (std::size_t begin = 0; begin < settings.size();) {
      const std::size_t end = std::min(settings.find(' ', begin), settings.size());
      run.settings.push_back(settings.substr(begin, end - begin));
      begin = end + 1;
    }
    run.parameters.precision = nbody::parse_precision(required<std::string>(file_, "precision"));
    visit_md(run, [&](const char* name, auto& value) { require(name, value); });
    return run;
  }
};

} // namespace

std::optional<std::array<double, 3>> read_box(const std::string& input) {
  if (is_csv(input)) return {};
  const DatasetName name = parse_dataset_name(input, "INPUT");
  const Handle file = open_hdf5(name.file);
  const Handle group(H5Oopen(file.id(), name.path.empty() ? "/" : name.path.c_str(), H5P_DEFAULT),
                     H5Oclose);
  // Snapshots of earlier versions are groups of the run's file, which alone has the periods.
  std::string program;
  const bool is_run = read_attribute(file, "program", program) && program == md_program;
  std::array<double, 3> box{};
  for (const Handle* const from : {&group, &file}) {
    bool all = *from && (from == &group || is_run);
    for (std::size_t a = 0; a < 3 && all; ++a)
      all = read_attribute(*from, periods[a], box[a]);
    if (all) return box;
  }
  return {};
}

MdRestart read_md_restart(const fs::path& file) {
  return MdReader(file).restart();
}

void MdWriter::write(const MdRun& run, const md::State& state, const md::Diagnostics& d) {
  const int bytes = bytes_of(run);
  constexpr int position_bytes = 8; // many periods away fp32 would be too little
  const auto begin = [&](const io::Writing& out) {
    out.attribute("program", std::string(md_program));
    out.attribute("format", md_format);
    out.attribute("ridge_version", std::string(ridge_version));
    out.attribute("run", fmt::format("{:016x}", run.id));
    out.attribute("settings", fmt::format("{}", fmt::join(run.settings, " ")));
    out.attribute("precision", std::string(to_text(run.parameters.precision)));
    visit_md(run, [&](const char* name, const auto& value) { out.attribute(name, value); });
  };
  const auto add = [&](const io::Writing& out) {
    for (std::size_t a = 0; a < 3; ++a) // a snapshot is a start
      out.attribute(periods[a], run.parameters.box[a]);
    out.vectors("position", state.bodies.position, position_bytes);
    out.vectors(positions_in_box, state.in_box, bytes);
    out.vectors(listed_positions, state.listed, bytes);
    out.vectors("velocity", state.bodies.velocity, bytes);
    out.dataset("potential", {state.potential.size()}, bytes, state.potential);
    out.attribute("kinetic_energy", d.kinetic);
    out.attribute("potential_energy", d.potential);
    out.attribute("energy", d.energy());
    out.attribute("temperature", d.temperature());
    out.attribute("pressure", d.pressure());
    out.attribute("momentum", std::vector(d.momentum.begin(), d.momentum.end()));
    out.attribute("checksum", fmt::format("{:016x}", checksum(run.id, run.parameters, state)));
  };
  BodiesFile::write({run.id, state.step, state.time, state.bodies.mass,
                     3 * position_bytes + 10 * bytes, position_bytes, bytes},
                    begin, add);
}

} // namespace ridge::app
