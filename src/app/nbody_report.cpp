#include "nbody_report.hpp"

#include "run.hpp"

#include <fmt/core.h>
#include <nbody/solar_system.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace ridge::app {

namespace {

using Json = nlohmann::ordered_json;

Record timed(const NbodyReport::End& end) {
  Record record = end.force;
  record.kernel = "nbody";
  set_rate(record, end.evaluations, end.seconds, static_cast<double>(record.work.items),
           "interactions/s");
  return record;
}

/// Nothing of all pairs.
std::string forces_text(const nbody::Parameters& p) {
  if (p.forces == nbody::Forces::pairs) return "";
  if (p.theta == 0) return "tree with theta 0, which is all pairs, ";
  const std::string asked = p.error > 0 ? fmt::format(" for an error of {:g}", p.error) : "";
  return fmt::format("tree with theta {:.4g} and order {}{}, ", p.theta, p.order, asked);
}

/// What a record says of a tree's last forces.
void print_tree(const Record& force) {
  const auto detail = [&](const char* name) {
    const auto found = std::find_if(force.details.begin(), force.details.end(),
                                    [&](const Detail& d) { return d.name == name; });
    return found == force.details.end() ? 0 : found->number;
  };
  fmt::print("each body met {:.0f} bodies and {:.0f} nodes; accelerations off all pairs: {:.1e} "
             "rms, {:.1e} at the 99th percentile, {:.1e} at worst, of {:.0f} bodies\n",
             detail("p2p"), detail("p2c"), detail("error_rms"), detail("error_p99"),
             detail("error_worst"), detail("error_sample"));
  if (const double asked = detail("error_asked"); asked > 0 && detail("error_rms") > asked) {
    fmt::print(
        "this is more than the {:g} that was asked for and held at the start: bodies have moved; "
        "start anew from the last snapshot to choose again\n",
        asked);
  }
}

void print_periods(const nbody::PeriodMeter& meter) {
  fmt::print("{:>9}  {:>6}  {:>12}  {:>12}  {:>10}\n", "planet", "turns", "period/day", "published",
             "difference");
  for (std::size_t n = 0; n < nbody::planets().size(); ++n) {
    const nbody::Planet& planet = nbody::planets()[n];
    const auto body = static_cast<Index>(n) + 1;
    if (meter.turns(body) < 1) {
      fmt::print("{:>9}  {:>6}  {:>12}  {:>12.3f}  {:>10}\n", planet.name, 0, "-", planet.period,
                 "-");
      continue;
    }
    const double period = meter.period(body);
    fmt::print("{:>9}  {:>6}  {:>12.3f}  {:>12.3f}  {:>8.3f} %\n", planet.name, meter.turns(body),
               period, planet.period, 100 * (period / planet.period - 1));
  }
}

Json periods_json(const nbody::PeriodMeter& meter) {
  Json list = Json::array();
  for (std::size_t n = 0; n < nbody::planets().size(); ++n) {
    const nbody::Planet& planet = nbody::planets()[n];
    const auto body = static_cast<Index>(n) + 1;
    list.push_back({{"planet", planet.name},
                    {"turns", meter.turns(body)},
                    {"period_days", meter.turns(body) > 0 ? Json(meter.period(body)) : Json()},
                    {"published_days", planet.period}});
  }
  return list;
}

} // namespace

void NbodyReport::begin(const NbodyRun& run, Index bodies, const Record& force,
                        const std::string& note) {
  bodies_ = bodies;
  if (json_) return;
  const nbody::Parameters& p = run.parameters;
  fmt::print("{}: {} {}, {}, dt {:g}, softening {:g}, G {:g}, {}{} on {} ({}{}); {}\n", run.start,
             bodies, bodies == 1 ? "body" : "bodies", to_text(p.integrator), p.dt, p.softening,
             p.gravity, forces_text(p), to_text(p.precision), run.device, run.device_name, note,
             force.schedule);
  fmt::print("{:>10}  {:>12}  {:>12}  {:>12}  {:>12}  {:>9}  {:>10}  {:>12}\n", "step", "time",
             "kinetic", "potential", "energy", "error", "|momentum|", "|ang. mom.|");
  std::fflush(stdout);
}

void NbodyReport::snapshot(const NbodyRun& run, const nbody::Snapshot& s) {
  const nbody::Diagnostics& d = s.diagnostics;
  const double error = energy_error(run.initial, d);
  largest_error_ = std::max(largest_error_, error);
  lines_.push_back({s.step, s.time, error, d});
  if (json_) return;
  fmt::print("{:>10}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>9.1e}  {:>10.2e}  {:>12.6g}\n",
             s.step, s.time, d.kinetic, d.potential, d.energy(), error, nbody::length(d.momentum),
             nbody::length(d.angular_momentum));
  std::fflush(stdout);
}

void NbodyReport::end(const NbodyRun& run, const End& end) {
  if (json_) {
    print_json(run, end);
    return;
  }
  if (end.periods != nullptr) print_periods(*end.periods);
  if (run.parameters.forces == nbody::Forces::tree) print_tree(end.force);
  const Record record = timed(end);
  const auto each = [&](Bytes b) {
    return static_cast<double>(b.value) / static_cast<double>(bodies_);
  };
  fmt::print("energy error {:.1e} at the end, {:.1e} at most; {} {} in {}{}; {:.0f} + {:.0f} bytes "
             "a body on device and host{}\n",
             lines_.empty() ? 0.0 : lines_.back().error, largest_error_, end.steps,
             end.steps == 1 ? "step" : "steps", ridge::to_text(Seconds{end.seconds}),
             record.achieved ? ", " + quantity(record.achieved->rate, record.achieved->unit) : "",
             each(end.on_device), each(end.on_host),
             end.output.empty() ? "" : "; wrote " + end.output);
}

void NbodyReport::print_json(const NbodyRun& run, const End& end) const {
  Json record = Json::parse(to_json(timed(end)));
  const nbody::Parameters& p = run.parameters;
  Json lines = Json::array();
  for (const Line& line : lines_) {
    const nbody::Diagnostics& d = line.diagnostics;
    lines.push_back({{"step", line.step},
                     {"time", line.time},
                     {"kinetic_energy", d.kinetic},
                     {"potential_energy", d.potential},
                     {"energy", d.energy()},
                     {"energy_error", line.error},
                     {"momentum", d.momentum},
                     {"angular_momentum", d.angular_momentum}});
  }
  Json all = {{"start", run.start},
              {"run", fmt::format("{:016x}", run.id)},
              {"integrator", to_text(p.integrator)},
              {"dt", p.dt},
              {"softening", p.softening},
              {"G", p.gravity},
              {"forces", to_text(p.forces)},
              {"error_asked", p.error > 0 ? Json(p.error) : Json()},
              {"steps", end.steps},
              {"evaluations", end.evaluations},
              {"seconds", end.seconds},
              {"energy_error", lines_.empty() ? 0.0 : lines_.back().error},
              {"largest_energy_error", largest_error_},
              {"device_bytes", end.on_device.value},
              {"host_bytes", end.on_host.value},
              {"output", end.output.empty() ? Json() : Json(end.output)},
              {"snapshots", lines}};
  if (end.periods != nullptr) all["periods"] = periods_json(*end.periods);
  record["nbody"] = std::move(all);
  fmt::print("{}\n", Json::array({record}).dump(2));
}

} // namespace ridge::app
