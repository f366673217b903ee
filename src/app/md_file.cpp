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

/// The file of a run, opened to read.
class MdReader : private RunReader {
public:
  explicit MdReader(const fs::path& file) : RunReader(file) {
    std::string of;
    if (!read_attribute(file_, "program", of) || of != md_program) {
      throw UsageError(fmt::format("{} is not the file of a run: --restart takes what ridge md "
                                   "wrote with -o; other bodies are given as INPUT",
                                   name_.string()));
    }
    if (const Index written = required<Index>(file_, "format"); written > md_format) {
      throw UsageError(fmt::format("{} is of a later ridge (format {}; this one reads {})",
                                   name_.string(), written, md_format));
    }
  }

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
    const std::uint64_t expected = hexadecimal(required<std::string>(group, "checksum"));
    if (checksum(run.id, run.parameters, state) != expected) {
      throw UsageError(fmt::format("{}: its last snapshot, of step {}, is of another run or was "
                                   "changed since: its checksum differs",
                                   name_.string(), state.step));
    }
    read.found.potential = required<double>(group, "potential_energy");
    read.found.pressure = required<double>(group, "pressure");
    return read;
  }

private:
  [[nodiscard]] MdRun read_run() const {
    MdRun run;
    run.id = hexadecimal(required<std::string>(file_, "run"));
    run.start = required<std::string>(file_, "start");
    run.interaction = required<std::string>(file_, "interaction");
    const auto settings = required<std::string>(file_, "settings");
    for (std::size_t begin = 0; begin < settings.size();) {
      const std::size_t end = std::min(settings.find(' ', begin), settings.size());
      run.settings.push_back(settings.substr(begin, end - begin));
      begin = end + 1;
    }
    md::Parameters& p = run.parameters;
    p.precision = nbody::parse_precision(required<std::string>(file_, "precision"));
    p.dt = required<double>(file_, "dt");
    p.cutoff = required<double>(file_, "cutoff");
    p.skin = required<double>(file_, "skin");
    for (std::size_t a = 0; a < 3; ++a)
      p.box[a] = required<double>(file_, periods[a]);
    run.device = required<std::string>(file_, "device");
    run.device_name = required<std::string>(file_, "device_name");
    run.schedule = required<std::string>(file_, "schedule");
    run.energy = required<double>(file_, "initial_energy");
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
  const auto write_box = [&](const io::Writing& out) {
    for (std::size_t a = 0; a < 3; ++a)
      out.attribute(periods[a], run.parameters.box[a]);
  };
  const auto begin = [&](const io::Writing& out) {
    const md::Parameters& p = run.parameters;
    out.attribute("program", std::string(md_program));
    out.attribute("format", md_format);
    out.attribute("ridge_version", std::string(ridge_version));
    out.attribute("run", fmt::format("{:016x}", run.id));
    out.attribute("start", run.start);
    out.attribute("interaction", run.interaction);
    out.attribute("settings", fmt::format("{}", fmt::join(run.settings, " ")));
    out.attribute("precision", std::string(to_text(p.precision)));
    out.attribute("dt", p.dt);
    out.attribute("cutoff", p.cutoff);
    out.attribute("skin", p.skin);
    write_box(out);
    out.attribute("device", run.device);
    out.attribute("device_name", run.device_name);
    out.attribute("schedule", run.schedule);
    out.attribute("initial_energy", run.energy);
  };
  const auto add = [&](const io::Writing& out) {
    write_box(out); // a snapshot is a start
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
