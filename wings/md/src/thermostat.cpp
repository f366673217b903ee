#include "thermostat.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::md {

namespace {

constexpr std::array<std::string_view, 3> names{"none", "langevin", "rescale"};

/// A number of the gamma distribution of shape `shape`, 1 at least, and scale 1 (Marsaglia and
/// Tsang 2000). Takes numbers from `number` on.
double gamma_draw(std::uint64_t draws, Index number, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;; number += 2) {
    const double x = normal_draws(draws, number)[0];
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = uniform_draw(draws, 2 * (number + 1));
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

} // namespace

std::string_view to_text(ThermostatKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

ThermostatKind parse_thermostat(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<ThermostatKind>(i);
  }
  throw UsageError(
      fmt::format("unknown thermostat '{}'; there are langevin, rescale and none", text));
}

Index rescale_interval(const Thermostat& t, double dt) {
  return static_cast<Index>(std::clamp(t.relaxation / dt / 5, 1.0, 100.0));
}

double rescale_factor(const Thermostat& t, double kinetic, double freedom, double time,
                      Index step) {
  // Equation (A7) of the paper.
  const std::uint64_t draws = draws_of(t.seed, step);
  const double kept = std::exp(-time / t.relaxation);
  const double one = normal_draws(draws, 0)[0];
  const double others = 2 * gamma_draw(draws, 1, (freedom - 1) / 2); // squares of as many
  const double ratio = t.temperature / 2 / kinetic;                  // the mean of one degree's
  const double squared = kept + ratio * (1 - kept) * (one * one + others) +
                         2 * one * std::sqrt(kept * ratio * (1 - kept));
  return std::sqrt(std::max(squared, 0.0));
}

} // namespace ridge::md
