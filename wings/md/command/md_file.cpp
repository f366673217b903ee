#include "md_file.hpp"

#include "app/bodies_input.hpp"
#include "md_samples.hpp"

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* md_program = "ridge md";
constexpr Index md_format = 3; ///< the first knows no position_in_box, the second no thermostat
constexpr const char* positions_in_box = "position_in_box";
constexpr const char* listed_positions = "position_of_lists";
constexpr std::array<const char*, 3> periods{"box_x", "box_y", "box_z"};

/// Calls `visit(name, member)` for what a run's file has.
template <class Any, class Visit>
void visit_md(Any& run, const Visit& visit) {
  auto& p = run.parameters;
  visit("run", run.id);
  visit("settings", run.settings);
  visit("precision", p.precision);
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

/// Likewise the attributes that runs of format 3 have beside these.
template <class Any, class Visit>
void visit_added(Any& parameters, const Visit& visit) {
  auto& t = parameters.thermostat;
  visit("thermostat", t.kind);
  visit("thermostat_temperature", t.temperature);
  visit("thermostat_relaxation", t.relaxation);
  visit("thermostat_seed", t.seed);
  visit("tail", parameters.tail);
  visit("sample_every", parameters.sampling.every);
  visit("rdf", parameters.sampling.shells);
  visit("diffusion", parameters.sampling.diffusion);
  visit("window", parameters.sampling.window);
}

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

MdBeginning read_md_restart(const fs::path& file) {
  const RunReader in(RunReader::require_whole(file), md_program, md_format, "bodies");
  MdBeginning from;
  visit_md(from.run, ReadMembers{in});
  if (in.required<Index>(in.file(), "format") > 2)
    visit_added(from.run.parameters, ReadMembers{in});
  const RunReader::Last last = in.last();
  md::State& state = from.at;
  state.step = last.step;
  state.time = last.time;
  state.bodies = read_bodies(last.place);
  state.listed = read_bodies(last.place, listed_positions).position;
  if (H5Lexists(last.group.id(), positions_in_box, H5P_DEFAULT) > 0)
    state.in_box = read_bodies(last.place, positions_in_box).position;
  read_samples(last.place, last.group, from.run.parameters, state);
  in.require_checksum(last, checksum(from.run.id, from.run.parameters, state));
  from.run.found = MdFound{in.required<double>(last.group, "potential_energy"),
                           in.required<double>(last.group, "pressure")};
  from.files = {file, last.file};
  return from;
}

void write_md(BodiesFile& file, const MdRun& run, const md::State& state,
              const md::Diagnostics& d) {
  const int bytes = run.parameters.precision == spatial::Precision::fp32 ? 4 : 8;
  constexpr int position_bytes = 8; // many periods away fp32 would be too little
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
    write_samples(out, run.parameters, state);
  };
  file.write(
      {md_program, md_format, run.id, state.step, state.time, state.bodies.mass,
       3 * position_bytes + 10 * bytes, position_bytes, bytes,
       checksum(run.id, run.parameters, state)},
      [&](const io::Writing& out) {
        visit_md(run, WriteMembers{out});
        visit_added(run.parameters, WriteMembers{out});
      },
      add);
}

} // namespace ridge::app
