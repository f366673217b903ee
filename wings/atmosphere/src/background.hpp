// The mini-atmosphere of the miniWeather mini-application: constants, cases, background and initial
// state. A slice that is periodic in x, with lids at the bottom and the top.
#pragma once

#include <ridge/atmosphere/constants.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace ridge::atmosphere {

/// The initial states and what drives them.
enum class Case { thermal, collision, gravity_waves, density_current, injection, straka };
/// Throws UsageError that lists the cases.
[[nodiscard]] Case parse_case(std::string_view name);

/// The slice, in m, and the viscosity of wind and potential temperature, in m^2/s.
struct Box {
  double length = 20000, height = 10000, viscosity = 0;
};
/// The box of a case: 51.2 km by 6.4 km and 75 m^2/s for J. Straka et al., Int. J. Numer. Methods
/// Fluids 17, 1993, whose half it is; 20 km by 10 km for others.
[[nodiscard]] Box usual_box(Case c);
/// The height at which a background has no pressure left, m.
[[nodiscard]] double top_of(Case c);

/// Density and density times potential temperature at rest.
struct Column {
  double density = 0, heat = 0;
};
/// At a height in m.
[[nodiscard]] Column background(Case c, double z);
/// Pressure of density times potential temperature, Pa.
[[nodiscard]] double pressure(double heat);

/// The four variables of a cell: perturbations of density and of density times potential
/// temperature, and the momenta, in this order: density, x momentum, z momentum, heat.
inline constexpr int variables = 4;
using Cell = std::array<double, variables>;
/// Average over the cell around (x, z) by 3x3 Gauss-Legendre points; bubbles lie in the middle.
[[nodiscard]] Cell initial_cell(Case c, double length, double x, double z, double dx, double dz);

/// What an atmosphere of nx by nz cells stands on.
struct Profiles {
  std::vector<double> density, heat;                          ///< in cells, nz
  std::vector<double> face_density, face_heat, face_pressure; ///< at interfaces, nz + 1
  std::vector<double> stiffness;      ///< derivative of the pressure by heat, in cells
  std::vector<double> face_theta;     ///< potential temperature at interfaces
  std::array<double, 2> below, above; ///< density of the two cells beyond a lid over the nearest's
};
[[nodiscard]] Profiles profiles(Case c, double height, int nz);

/// The largest stable time step for cells of that size.
[[nodiscard]] double stable_step(double dx, double dz);

} // namespace ridge::atmosphere
