#include "md_samples.hpp"

#include "app/bodies_input.hpp"
#include "app/hdf5_run.hpp"
#include "core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::app {

namespace {

constexpr const char* counts = "radial_counts";
constexpr const char* sample_times = "sample_time";
constexpr const char* origins = "sample_origins";
constexpr const char* displacements = "mean_squared_displacement";
constexpr const char* correlations = "velocity_autocorrelation";
constexpr const char* origin_positions = "position_at_origin";
constexpr const char* origin_velocities = "velocity_at_origin";

std::vector<double> read_values(const std::string& place, const io::Handle& group,
                                const char* name) {
  const io::Handle data(H5Dopen2(group.id(), name, H5P_DEFAULT), H5Dclose);
  const io::Handle space(data ? H5Dget_space(data.id()) : -1, H5Sclose);
  const hssize_t count = space ? H5Sget_simple_extent_npoints(space.id()) : -1;
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(count, 0)));
  refuse_if(count < 1 || H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 values.data()) < 0,
            "{} is damaged: its dataset {} cannot be read", place, name);
  return values;
}

void require_counts(const std::string& place, bool as_many) {
  refuse_if(!as_many, "{} is damaged: its samples have not as many values as the run's", place);
}

double volume_of(const md::Parameters& p) {
  return p.box[0] * p.box[1] * p.box[2];
}

std::vector<double> distribution(const md::Parameters& p, const md::State& state) {
  return md::radial_distribution(state.samples, state.bodies.count(), volume_of(p), p.cutoff);
}

} // namespace

void write_samples(const io::Writing& out, const md::Parameters& p, const md::State& state) {
  const md::Samples& s = state.samples;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    out.dataset(name, {values.size()}, 8, values);
  };
  if (p.thermostat.kind == md::ThermostatKind::rescale) out.attribute("heat", state.heat);
  if (p.sampling.shells > 0) {
    out.attribute("radial_samples", s.radial);
    add(counts, s.near);
    add("radial_distance", md::shell_distances(s, p.cutoff));
    add("radial_distribution", distribution(p, state));
  }
  if (!p.sampling.diffusion) return;
  out.attribute("origin_step", s.origin);
  add(sample_times, s.time);
  add(origins, s.origins);
  add(displacements, s.displacement);
  add(correlations, s.correlation);
  out.vectors(origin_positions, s.position, 8);
  out.vectors(origin_velocities, s.velocity, 8);
}

void read_samples(const std::string& place, const io::Handle& group, const md::Parameters& p,
                  md::State& state) {
  md::Samples& s = state.samples;
  const auto attribute = [&](const char* name, auto& value) {
    refuse_if(!io::read_attribute(group, name, value), "{} is damaged: it lacks the attribute {}",
              place, name);
  };
  if (p.thermostat.kind == md::ThermostatKind::rescale) attribute("heat", state.heat);
  if (p.sampling.shells > 0) {
    attribute("radial_samples", s.radial);
    s.near = read_values(place, group, counts);
    require_counts(place, static_cast<Index>(s.near.size()) == p.sampling.shells);
  }
  if (!p.sampling.diffusion) return;
  attribute("origin_step", s.origin);
  s.time = read_values(place, group, sample_times);
  s.origins = read_values(place, group, origins);
  s.displacement = read_values(place, group, displacements);
  s.correlation = read_values(place, group, correlations);
  s.position = read_bodies(place, origin_positions).position;
  s.velocity = read_bodies(place, origin_velocities).position;
  require_counts(place,
                 s.displacement.size() == s.time.size() && s.correlation.size() == s.time.size());
}

void add_samples(nlohmann::ordered_json& record, const md::Parameters& p, const md::State& state) {
  const md::Samples& s = state.samples;
  if (p.sampling.shells > 0) {
    record["radial_distribution"] = {{"samples", s.radial},
                                     {"distance", md::shell_distances(s, p.cutoff)},
                                     {"value", distribution(p, state)}};
  }
  if (p.sampling.diffusion) {
    record["diffusion"] = {{"by_displacement", md::diffusion_by_displacement(s)},
                           {"by_velocity", md::diffusion_by_velocity(s)},
                           {"time", s.time},
                           {"origins", s.origins},
                           {displacements, s.displacement},
                           {correlations, s.correlation}};
  }
}

std::string samples_text(const md::Parameters& p, const md::State& state) {
  const md::Samples& s = state.samples;
  std::string text;
  if (p.sampling.shells > 0) {
    const std::vector<double> g = distribution(p, state);
    const auto peak = std::max_element(g.begin(), g.end());
    text += fmt::format(
        "radial distribution of {} samples: highest {:.4g} at {:.4g}\n", s.radial, *peak,
        md::shell_distances(s, p.cutoff)[static_cast<std::size_t>(peak - g.begin())]);
  }
  if (p.sampling.diffusion) {
    text +=
        fmt::format("diffusion over a time of {:g}: {:.4g} by displacements, {:.4g} by "
                    "velocities\n",
                    s.time.back(), md::diffusion_by_displacement(s), md::diffusion_by_velocity(s));
  }
  return text;
}

} // namespace ridge::app
