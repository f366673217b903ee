#include "atmosphere_report.hpp"

#include <ridge/lab/bench.hpp>

#include "run.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <climits>
#include <cmath>

namespace ridge::app {

namespace {

using atmosphere::Atmosphere;
using Json = nlohmann::ordered_json;

/// Of a step: three along each dimension, or three of both.
Index stages(const Atmosphere& air) {
  return air.setup().implicit ? 3 : 6;
}

double change(double before, double after) {
  return (after - before) / before;
}
double cells(const Atmosphere& air) {
  return static_cast<double>(air.setup().nx) * static_cast<double>(air.setup().nz);
}

/// Of a step, both sweeps, in whichever launches.
Work work_of_step(const Atmosphere& air) {
  constexpr Index values = atmosphere::variables * static_cast<Index>(sizeof(double));
  const Index count = air.setup().nx * air.setup().nz;
  Work work;
  // Stages read the state before the sweep and, but for the first, the one before them.
  work.read = Bytes{stages(air) / 3 * (1 + 2 + 2) * values * count};
  work.written = Bytes{stages(air) * values * count};
  for (const Record& sweep : air.records())
    work.flops += sweep.work.flops;
  work.items = stages(air) * count;
  work.convention = fmt::format("a step; each of its {} stages reads the states it needs once and "
                                "writes one; powers and quotients count as one operation",
                                air.setup().implicit ? "three" : "six");
  return work;
}

} // namespace

Record AtmosphereReport::record_of(Atmosphere& air, double seconds, comm::Communicator& ranks) {
  Record record = air.records()[0];
  record.kernel = "atmosphere";
  record.work = work_of_step(air);
  // Ranks of a cpu share its cache, GPUs have one each.
  const Device& device = air.queue().device();
  const Index sharing = device.is_gpu() ? ranks.ranks() : 1;
  const Index bytes_held = 2 * record.work.written.value / stages(air) / sharing;
  record.in_cache = bytes_held <= device.facts().last_level_cache.value;
  set_rate(record, air.steps_done(), seconds,
           static_cast<double>(record.work.read.value + record.work.written.value), "B/s");
  if (!record.achieved || record.in_cache) return record;
  ranks.barrier(); // all measure at the same time
  lab::RoofSource roof(device);
  const Ceiling* const copy = roof.find("copy");
  record.achieved->roof = ranks.sum(copy == nullptr ? 0 : copy->value);
  record.achieved->roof_name = record.achieved->roof > 0 ? "copy" : "";
  return record;
}

void AtmosphereReport::begin(Atmosphere& air, int ranks) const {
  if (json_) return;
  const Device& where = air.queue().device();
  const std::string each = ranks > 1 ? fmt::format(", {} ranks", ranks) : "";
  fmt::print("{} {} on {} ({}){}: steps of {:.4g} s, {} of them\n", which_,
             to_text(Extents{air.setup().nx, air.setup().nz}), to_text(where.id()),
             where.facts().name, each, air.step_length(),
             static_cast<long long>(std::ceil(time_ / air.step_length() - 1e-9)));
  std::fflush(stdout);
}

void AtmosphereReport::end(const Atmosphere& air, const End& end) const {
  json_ ? print_json(air, end) : print(air, end);
}

void AtmosphereReport::print(const Atmosphere& air, const End& end) const {
  const double count = cells(air) * static_cast<double>(stages(air) * air.steps_done());
  for (const Record& r : air.records())
    fmt::print("{}: {}\n", r.kernel, r.schedule);
  fmt::print("{} steps in {}: {:.3g} ns a cell and stage\n", air.steps_done(),
             to_text(Seconds{end.seconds}), end.seconds * 1e9 / count);
  fmt::print("mass change {:.6e}, energy change {:.6e} at {:g} s\n",
             change(end.before.mass, end.after.mass), change(end.before.energy, end.after.energy),
             air.time());
  fmt::print("{} snapshots in {}, {}; potential temperature in {}\n", end.snapshots,
             end.file.string(), end.xdmf.string(), end.picture.string());
}

void AtmosphereReport::print_json(const Atmosphere& air, const End& end) const {
  Json record = Json::parse(to_json(end.record));
  record["atmosphere"] = {
      {"case", which_},
      {"schedule_x", air.records()[0].schedule},
      {"schedule_z", air.records().back().schedule},
      {"time", air.time()},
      {"step", air.step_length()},
      {"steps", air.steps_done()},
      {"seconds", end.seconds},
      {"seconds_per_cell_and_stage",
       end.seconds / (cells(air) * static_cast<double>(stages(air) * air.steps_done()))},
      {"mass_change", change(end.before.mass, end.after.mass)},
      {"energy_change", change(end.before.energy, end.after.energy)},
      {"snapshots", end.snapshots},
      {"output", end.file.string()}};
  fmt::print("{}\n", Json::array({record}).dump(2));
}

} // namespace ridge::app
