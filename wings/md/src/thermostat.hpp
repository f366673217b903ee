// Thermostats: what they are told, and the random numbers of both.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/core/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace ridge::md {

enum class ThermostatKind { none, langevin, rescale };

[[nodiscard]] std::string_view to_text(ThermostatKind kind);
/// Throws UsageError that lists the thermostats.
[[nodiscard]] ThermostatKind parse_thermostat(std::string_view text);
inline void from_text(std::string_view text, ThermostatKind& to) {
  to = parse_thermostat(text);
}

/// Thermostats hold a temperature. Both thermostats give the canonical ensemble:
/// - langevin: v becomes c v + sqrt((1 - c^2) T / m) R for each component of each body before each
///   step of velocity Verlet, R normal and c = exp(-dt / relaxation) (Bussi and Parrinello, Phys.
///   Rev. E 75, 056707, 2007);
/// - rescale: all velocities are multiplied by one random factor every so many steps (Bussi,
///   Donadio and Parrinello, J. Chem. Phys. 126, 014101, 2007).
struct Thermostat {
  ThermostatKind kind = ThermostatKind::none;
  double temperature = 0; ///< Boltzmann's constant is 1
  double relaxation = 0;  ///< time
  std::uint64_t seed = 1; ///< of its random numbers
};

/// Steps between two rescalings: as many as a fifth of the relaxation takes, 100 at most.
[[nodiscard]] Index rescale_interval(const Thermostat& thermostat, double dt);

/// The factor of all velocities after `steps` more, where the kinetic energy is `kinetic`, of
/// `freedom` degrees, 2 at least. A function of the seed and of `step`.
[[nodiscard]] double rescale_factor(const Thermostat& thermostat, double kinetic, double freedom,
                                    double time, Index step);

/// Numbers of one step: a function of it and of the seed.
RIDGE_FN constexpr std::uint64_t draws_of(std::uint64_t seed, Index step) {
  return mix_bits(mix_bits(seed) ^ mix_bits(static_cast<std::uint64_t>(step)));
}

/// Uniform in (0, 1).
RIDGE_FN constexpr double uniform_draw(std::uint64_t draws, Index number) {
  const std::uint64_t bits = mix_bits(draws ^ mix_bits(static_cast<std::uint64_t>(number)));
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// Two independent normal numbers, of mean 0 and variance 1 (Box and Muller).
RIDGE_FN std::array<double, 2> normal_draws(std::uint64_t draws, Index number) {
  constexpr double circle = 6.283185307179586;
  const double length = ::sqrt(-2 * ::log(uniform_draw(draws, 2 * number)));
  const double angle = circle * uniform_draw(draws, 2 * number + 1);
  return {length * ::cos(angle), length * ::sin(angle)};
}

} // namespace ridge::md
