#include "model.hpp"

#include <cmath>

namespace ridge::atmosphere {

std::vector<double> temperature_of(const State& state, const Profiles& p, Index nx) {
  std::vector<double> theta(state.of[0].size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const std::size_t k = i / static_cast<std::size_t>(nx);
    theta[i] =
        (state.of[3][i] + p.heat[k]) / (state.of[0][i] + p.density[k]) - p.heat[k] / p.density[k];
  }
  return theta;
}

Totals totals_of(const State& state, const Profiles& p, const Setup& s) {
  // Rows are summed apart, so that rounding does not grow with the size.
  Totals all;
  const double cell = s.dx() * s.dz();
  for (Index k = 0; k < s.nz; ++k) {
    const auto row = static_cast<std::size_t>(k);
    Totals sum;
    for (Index i = 0; i < s.nx; ++i) {
      const auto at = static_cast<std::size_t>(k * s.nx + i);
      const double density = state.of[0][at] + p.density[row];
      const double u = state.of[1][at] / density;
      const double w = state.of[2][at] / density;
      const double heat = state.of[3][at] + p.heat[row];
      const double temperature = heat / density / std::pow(p0 / pressure(heat), gas / cp);
      sum.mass += density;
      sum.energy += density * (u * u + w * w) + density * cv * temperature;
    }
    all.mass += sum.mass * cell;
    all.energy += sum.energy * cell;
  }
  return all;
}

} // namespace ridge::atmosphere
