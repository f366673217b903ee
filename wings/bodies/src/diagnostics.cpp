#include "diagnostics.hpp"

#include <cmath>

namespace ridge::nbody {

Diagnostics diagnose(const Bodies& bodies, const std::vector<double>& potential, double lack) {
  Diagnostics sum;
  const auto& [x, y, z] = bodies.position;
  const auto& [vx, vy, vz] = bodies.velocity;
  for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
    const double m = bodies.mass[i];
    sum.kinetic += 0.5 * m * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    sum.potential += 0.5 * m * (potential[i] + lack);
    sum.momentum[0] += m * vx[i];
    sum.momentum[1] += m * vy[i];
    sum.momentum[2] += m * vz[i];
    sum.angular_momentum[0] += m * (y[i] * vz[i] - z[i] * vy[i]);
    sum.angular_momentum[1] += m * (z[i] * vx[i] - x[i] * vz[i]);
    sum.angular_momentum[2] += m * (x[i] * vy[i] - y[i] * vx[i]);
  }
  // About the origin of the coordinates.
  const auto& o = bodies.origin;
  const auto& p = sum.momentum;
  sum.angular_momentum[0] += o[1] * p[2] - o[2] * p[1];
  sum.angular_momentum[1] += o[2] * p[0] - o[0] * p[2];
  sum.angular_momentum[2] += o[0] * p[1] - o[1] * p[0];
  return sum;
}

double energy_error(const Diagnostics& start, const Diagnostics& now) {
  const double change = std::abs(now.energy() - start.energy());
  if (change == 0) return 0;
  const double scale = std::abs(start.energy());
  return change / (scale > 0 ? scale : std::abs(start.kinetic) + std::abs(start.potential));
}

double length(const std::array<double, 3>& v) {
  return std::hypot(v[0], v[1], v[2]);
}

Index first_lost(const Bodies& bodies, const std::vector<double>& potential) {
  for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
    bool here = std::isfinite(potential[i]);
    for (std::size_t c = 0; c < 3; ++c)
      here = here && std::isfinite(bodies.position[c][i]) && std::isfinite(bodies.velocity[c][i]);
    if (!here) return static_cast<Index>(i);
  }
  return -1;
}

} // namespace ridge::nbody
