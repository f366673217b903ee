#include "background.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::atmosphere {

namespace {

constexpr std::array<std::string_view, 6> names{"thermal",         "collision", "gravity-waves",
                                                "density-current", "injection", "straka"};
constexpr double brunt_vaisala = 0.02; ///< of gravity waves, 1/s
constexpr double wind = 15;            ///< of gravity waves, m/s

/// A perturbation of the potential temperature: a cosine bell.
struct Bell {
  double amplitude, x, z, radius_x, radius_z;
  [[nodiscard]] double at(double px, double pz) const {
    const double s = std::hypot((px - x) / radius_x, (pz - z) / radius_z);
    const double c = std::cos(std::acos(-1.0) / 2 * s);
    return s <= 1 ? amplitude * c * c : 0;
  }
};

std::vector<Bell> bells(Case c, double length) {
  switch (c) {
  case Case::thermal:
    return {{3, length / 2, 2000, 2000, 2000}};
  case Case::collision:
    return {{20, length / 2, 2000, 2000, 2000}, {-20, length / 2, 8000, 2000, 2000}};
  case Case::density_current:
    return {{-20, length / 2, 5000, 4000, 2000}};
  case Case::straka: // of the temperature
    return {{-15, length / 2, 3000, 4000, 2000}};
  default:
    return {};
  }
}

double potential_temperature(Case c, double z) {
  return c == Case::gravity_waves ? theta0 * std::exp(brunt_vaisala * brunt_vaisala / gravity * z)
                                  : theta0;
}

/// Air whose potential temperature is another than at rest by so much: as much air in a cell as at
/// rest, so that sound begins (miniWeather), or its pressure.
Column at_density_of_rest(const Column& rest, double theta) {
  return {rest.density, rest.density * (theta + rest.heat / rest.density)};
}
Column at_pressure_of_rest(const Column& rest, double theta) {
  return {rest.heat / (theta + rest.heat / rest.density), rest.heat};
}

/// Temperature over potential temperature at rest.
double exner_function(Case c, double z) {
  if (c != Case::gravity_waves) return 1 - gravity * z / (cp * theta0);
  const double theta = potential_temperature(c, z);
  const double n2 = brunt_vaisala * brunt_vaisala;
  return 1 - gravity * gravity / (cp * n2) * (theta - theta0) / (theta * theta0);
}

} // namespace

Case parse_case(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Case>(i);
  throw UsageError(
      fmt::format("unknown case '{}'; the cases are {}", name, fmt::join(names, ", ")));
}

double pressure(double heat) {
  return c0 * std::pow(heat, exponent);
}

Box usual_box(Case c) {
  return c == Case::straka ? Box{51200, 6400, 75} : Box{};
}
double top_of(Case c) {
  return c == Case::gravity_waves ? std::numeric_limits<double>::infinity() : cp * theta0 / gravity;
}

Column background(Case c, double z) {
  const double theta = potential_temperature(c, z);
  const double p = p0 * std::pow(exner_function(c, z), cp / gas);
  const double heat = std::pow(p / c0, 1 / exponent);
  return {heat / theta, heat};
}

Cell initial_cell(Case c, double length, double x, double z, double dx, double dz) {
  const double edge = std::sqrt(0.6) / 2;
  const std::array<double, 3> points{-edge, 0, edge};
  const std::array<double, 3> weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  const auto perturbations = bells(c, length);
  Cell cell{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double px = x + points[i] * dx;
      const double pz = z + points[k] * dz;
      const Column rest = background(c, pz);
      double bell = 0;
      for (const Bell& one : perturbations)
        bell += one.at(px, pz);
      const Column here = c == Case::straka
                              ? at_pressure_of_rest(rest, bell / exner_function(c, pz))
                              : at_density_of_rest(rest, bell);
      const double weight = weights[i] * weights[k];
      cell[0] += weight * (here.density - rest.density);
      cell[1] += weight * here.density * (c == Case::gravity_waves ? wind : 0);
      cell[3] += weight * (here.heat - rest.heat);
    }
  }
  return cell;
}

Profiles profiles(Case c, double height, int nz) {
  const double dz = height / nz;
  Profiles p;
  for (int k = 0; k < nz; ++k) {
    const Column cell = background(c, (k + 0.5) * dz);
    p.density.push_back(cell.density);
    p.heat.push_back(cell.heat);
    p.stiffness.push_back(exponent * pressure(cell.heat) / cell.heat);
  }
  for (int k = 0; k <= nz; ++k) {
    const Column face = background(c, k * dz);
    p.face_density.push_back(face.density);
    p.face_heat.push_back(face.heat);
    p.face_theta.push_back(face.heat / face.density);
    p.face_pressure.push_back(pressure(face.heat));
  }
  for (int g = 0; g < 2; ++g) {
    const auto i = static_cast<std::size_t>(g);
    p.below[i] = background(c, (-0.5 - g) * dz).density / p.density.front();
    p.above[i] = background(c, (nz + 0.5 + g) * dz).density / p.density.back();
  }
  return p;
}

double stable_step(double dx, double dz) {
  return std::min(dx, dz) / fastest * 1.5;
}

} // namespace ridge::atmosphere
