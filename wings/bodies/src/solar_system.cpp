#include "solar_system.hpp"

#include <cmath>
#include <numbers>

namespace ridge::nbody {

namespace {

using Vector = std::array<double, 3>;

constexpr double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

/// Eccentric anomaly of a mean anomaly, by Newton's method on Kepler's equation.
double eccentric_anomaly(double mean, double eccentricity) {
  double e = mean + eccentricity * std::sin(mean);
  for (int i = 0; i < 20; ++i)
    e -= (e - eccentricity * std::sin(e) - mean) / (1 - eccentricity * std::cos(e));
  return e;
}

/// From the plane of the orbit, x towards the perihelion, to the ecliptic.
Vector to_ecliptic(const Planet& p, double x, double y) {
  const double node = radians(p.node);
  const double argument = radians(p.perihelion - p.node);
  const double tilt = radians(p.inclination);
  const double u = std::cos(argument) * x - std::sin(argument) * y;
  const double v = std::sin(argument) * x + std::cos(argument) * y;
  return {std::cos(node) * u - std::sin(node) * std::cos(tilt) * v,
          std::sin(node) * u + std::cos(node) * std::cos(tilt) * v, std::sin(tilt) * v};
}

} // namespace

const std::array<Planet, 8>& planets() {
  static constexpr std::array<Planet, 8> table{{
      {"Mercury", 0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593,
       6023600, 87.969},
      {"Venus", 0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255,
       408523.71, 224.701},
      {"Earth", 1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0, 328900.5614,
       365.256},
      {"Mars", 1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891, 3098708,
       686.980},
      {"Jupiter", 5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909,
       1047.3486, 4332.589},
      {"Saturn", 9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448,
       3497.898, 10759.22},
      {"Uranus", 19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503,
       22902.98, 30685.4},
      {"Neptune", 30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574,
       19412.24, 60189.0},
  }};
  return table;
}

Bodies solar_system() {
  Bodies bodies;
  bodies.resize(static_cast<Index>(planets().size()) + 1);
  bodies.mass[0] = 1;
  double inside = 1; // mass, and its centre's place and velocity
  Vector place{};
  Vector velocity{};
  for (std::size_t n = 0; n < planets().size(); ++n) {
    const Planet& p = planets()[n];
    const double mass = 1 / p.inverse_mass;
    const double e = p.eccentricity;
    const double anomaly = eccentric_anomaly(radians(p.longitude - p.perihelion), e);
    const double minor = std::sqrt(1 - e * e);
    const double motion = std::sqrt(solar_gravity * (inside + mass) / std::pow(p.axis, 3));
    const double rate = p.axis * motion / (1 - e * std::cos(anomaly));
    const Vector at =
        to_ecliptic(p, p.axis * (std::cos(anomaly) - e), p.axis * minor * std::sin(anomaly));
    const Vector speed =
        to_ecliptic(p, -rate * std::sin(anomaly), rate * minor * std::cos(anomaly));
    bodies.mass[n + 1] = mass;
    for (std::size_t c = 0; c < 3; ++c) {
      bodies.position[c][n + 1] = place[c] + at[c];
      bodies.velocity[c][n + 1] = velocity[c] + speed[c];
      place[c] += at[c] * mass / (inside + mass);
      velocity[c] += speed[c] * mass / (inside + mass);
    }
    inside += mass;
  }
  centre(bodies);
  return bodies;
}

} // namespace ridge::nbody
