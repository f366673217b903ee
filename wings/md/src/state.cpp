#include "state.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ridge::md {

namespace {

void require_sound(const Thermostat& t) {
  if (t.kind == ThermostatKind::none) return;
  refuse_if(!(t.temperature > 0) || !std::isfinite(t.temperature),
            "--temperature {:g}: the thermostat's must be positive", t.temperature);
  refuse_if(!(t.relaxation > 0) || !std::isfinite(t.relaxation),
            "--relaxation {:g}: it must be positive", t.relaxation);
}

} // namespace

double degrees_of_freedom(Index bodies, const Parameters& p) {
  const Index fixed = p.thermostat.kind == ThermostatKind::langevin ? 0 : 3;
  return static_cast<double>(3 * bodies - fixed);
}

Tail tail_of(Index bodies, const Parameters& p) {
  const auto n = static_cast<double>(bodies);
  const double density = n / (p.box[0] * p.box[1] * p.box[2]);
  const double third = std::pow(p.cutoff, -3);
  const double ninth = third * third * third;
  return {8 * std::numbers::pi / 3 * n * density * (ninth / 3 - third),
          16 * std::numbers::pi * n * density * (2 * ninth / 3 - third)};
}

void require_sound(const Parameters& p) {
  refuse_if(!(p.dt > 0) || !std::isfinite(p.dt), "--dt {:g}: a step must be positive", p.dt);
  if (spatial::rounded(p.dt / 2, p.precision) == 0) { // no body would move
    throw UsageError(fmt::format("--dt {:g}: half of it is 0 in {}; choose another unit of time",
                                 p.dt, p.precision == spatial::Precision::fp32 ? "fp32" : "fp64"));
  }
  refuse_if(!(p.cutoff > 0) || !std::isfinite(p.cutoff), "--cutoff {:g}: it must be positive",
            p.cutoff);
  refuse_if(!(p.skin >= 0) || !std::isfinite(p.skin), "--skin {:g}: it must be 0 or positive",
            p.skin);
  require_sound(p.thermostat);
  refuse_if(p.sampling.shells < 0 || p.sampling.shells > 100000,
            "--rdf {}: 1 to 100000 shells are possible", p.sampling.shells);
  for (const double length : p.box) {
    refuse_if(!(length > 0) || !std::isfinite(length),
              "a period of the box is {:g}; it must be positive", length);
  }
}

void require_sound(const spatial::Bodies& bodies, const Parameters& p) {
  refuse_if(p.thermostat.kind == ThermostatKind::rescale && bodies.count() < 2,
            "--thermostat rescale: one body at rest as a whole has no temperature; give langevin");
  spatial::require_finite(bodies, p.precision);
  const double mass = bodies.mass[0];
  refuse_if(!(mass > 0), "m of body 0 is {:g}; it must be positive", mass);
  const auto other =
      std::find_if(bodies.mass.begin(), bodies.mass.end(), [&](double m) { return m != mass; });
  if (other != bodies.mass.end()) {
    throw UsageError(
        fmt::format("m of body {} is {:g} and m of body 0 is {:g}; all bodies must have "
                    "the same mass",
                    other - bodies.mass.begin(), *other, mass));
  }
}

Diagnostics diagnose(const State& state, const Parameters& p) {
  Diagnostics sum;
  const spatial::Bodies& b = state.bodies;
  sum.bodies = b.count();
  sum.volume = p.box[0] * p.box[1] * p.box[2];
  sum.freedom = degrees_of_freedom(sum.bodies, p);
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double v = b.velocity[c][i];
      sum.kinetic += 0.5 * b.mass[i] * v * v;
      sum.momentum[c] += b.mass[i] * v;
    }
    sum.potential += state.potential[i];
    sum.virial += state.virial[i];
  }
  if (p.tail) {
    const Tail tail = tail_of(sum.bodies, p);
    sum.potential += tail.energy;
    sum.virial += tail.virial;
  }
  return sum;
}

std::uint64_t checksum(std::uint64_t run, const Parameters& p, const State& state) {
  std::uint64_t hash = mix_bits(run);
  const auto add = [&](double value) {
    hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(value));
  };
  hash = mix_bits(hash ^ static_cast<std::uint64_t>(p.precision));
  hash = mix_bits(hash ^ static_cast<std::uint64_t>(state.step));
  for (const double value : {p.dt, p.cutoff, p.skin, p.box[0], p.box[1], p.box[2]})
    add(value);
  state.bodies.for_each([&](const auto& values, const char*) {
    for (const double value : values)
      add(value);
  });
  const Samples& s = state.samples;
  for (const auto* const vectors : {&state.in_box, &state.listed, &s.position, &s.velocity}) {
    for (const auto& values : *vectors) {
      for (const double value : values)
        add(value);
    }
  }
  for (const auto* const values : {&s.near, &s.time, &s.origins, &s.displacement, &s.correlation}) {
    for (const double value : *values)
      add(value);
  }
  if (s.radial > 0) add(static_cast<double>(s.radial));
  if (p.thermostat.kind != ThermostatKind::none) {
    for (const double value : {static_cast<double>(p.thermostat.kind), p.thermostat.temperature,
                               p.thermostat.relaxation, state.heat})
      add(value);
    hash = mix_bits(hash ^ p.thermostat.seed);
  }
  return hash;
}

double period_of(Index count, double density) {
  return std::cbrt(static_cast<double>(count) / density);
}

spatial::Bodies lattice(Index count, double density, double temperature, std::uint64_t seed) {
  refuse_if(!(density > 0) || !std::isfinite(density), "--density {:g}: it must be positive",
            density);
  refuse_if(!(temperature >= 0) || !std::isfinite(temperature),
            "--temperature {:g}: it must be 0 or positive", temperature);
  const auto cells = static_cast<Index>(std::llround(std::cbrt(static_cast<double>(count) / 4)));
  if (cells < 1 || 4 * cells * cells * cells != count) {
    const Index below =
        std::max<Index>(1, static_cast<Index>(std::cbrt(static_cast<double>(count) / 4)));
    throw UsageError(fmt::format("--lattice {}: a face-centred lattice has 4 c^3 bodies, such as "
                                 "{} or {}",
                                 count, 4 * below * below * below,
                                 4 * (below + 1) * (below + 1) * (below + 1)));
  }
  spatial::Bodies bodies;
  bodies.resize(count);
  const double spacing = period_of(count, density) / static_cast<double>(cells);
  constexpr double corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const std::uint64_t stream = mix_bits(seed);
  const auto uniform = [&](Index draw) {
    const std::uint64_t bits = mix_bits(stream ^ mix_bits(static_cast<std::uint64_t>(draw)));
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  };
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index cell = i / 4;
    const std::array<Index, 3> corner{cell % cells, cell / cells % cells, cell / cells / cells};
    for (std::size_t c = 0; c < 3; ++c) {
      bodies.position[c][at] = spacing * (static_cast<double>(corner[c]) + corners[i % 4][c]);
      const Index draw = 2 * (3 * i + static_cast<Index>(c));
      bodies.velocity[c][at] = std::sqrt(-2 * std::log(uniform(draw))) *
                               std::cos(2 * std::numbers::pi * uniform(draw + 1));
    }
    bodies.mass[at] = 1;
  }
  for (auto& values : bodies.velocity) { // at rest as a whole
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
    for (double& v : values)
      v -= mean;
  }
  double kinetic = 0;
  for (const auto& values : bodies.velocity) {
    for (const double v : values)
      kinetic += 0.5 * v * v;
  }
  const double wanted = 0.5 * temperature * (3 * static_cast<double>(count) - 3);
  const double factor = kinetic > 0 ? std::sqrt(wanted / kinetic) : 0;
  for (auto& values : bodies.velocity) {
    for (double& v : values)
      v *= factor;
  }
  return bodies;
}

} // namespace ridge::md
