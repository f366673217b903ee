// The Sun and its eight planets on 1 January 2000, 12h (J2000), from published elements.
#pragma once

#include "bodies.hpp"

#include <array>

namespace ridge::nbody {

/// Units of astronomical units, days and masses of the Sun: Gauss's constant, squared.
inline constexpr double solar_gravity = 0.01720209895 * 0.01720209895;

struct Planet {
  const char* name;
  /// Semi-major axis (au), eccentricity, then in degrees: inclination, mean longitude, longitudes
  /// of the perihelion and of the ascending node; of the ecliptic and equinox of J2000.
  double axis, eccentricity, inclination, longitude, perihelion, node;
  double inverse_mass; ///< mass of the Sun over that of the planet and its moons
  double period;       ///< sidereal, days
};

/// Mercury to Neptune. Elements: E. M. Standish, Keplerian Elements for Approximate Positions of
/// the Major Planets, Jet Propulsion Laboratory, table 1 (valid 1800 to 2050; the Earth's are those
/// of its barycentre with the Moon). Masses: the JPL ephemeris DE405 (Standish, 1998). Periods,
/// which runs are only compared with: NASA's Planetary Fact Sheet.
[[nodiscard]] const std::array<Planet, 8>& planets();

/// The Sun, then the planets; the centre of mass rests at the origin. The elements describe mean
/// orbits, in which the Sun's own motion is left out; so each planet is put on its ellipse around
/// the centre of mass of the Sun and the planets inside of it, which moves steadily.
[[nodiscard]] Bodies solar_system();

} // namespace ridge::nbody
