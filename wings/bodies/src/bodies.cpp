#include "bodies.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::nbody {

namespace {

double total_mass(const Bodies& bodies) {
  return std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
}

double mean(const std::vector<double>& values, const std::vector<double>& mass, double total) {
  return std::inner_product(values.begin(), values.end(), mass.begin(), 0.0) / total;
}

void subtract(std::vector<double>& values, double what) {
  for (double& v : values)
    v -= what;
}

} // namespace

void require_apart(const Bodies& bodies, Precision precision) {
  const auto place = [&](Index i) {
    std::array<double, 3> at{};
    for (std::size_t c = 0; c < 3; ++c)
      at[c] = rounded(bodies.position[c][static_cast<std::size_t>(i)], precision) + 0.0; // no -0
    return at;
  };
  std::vector<Index> order(static_cast<std::size_t>(bodies.count()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto at_a = place(a);
    const auto at_b = place(b);
    return at_a < at_b || (at_a == at_b && a < b);
  });
  for (std::size_t n = 1; n < order.size(); ++n) {
    const Index a = order[n - 1];
    const Index b = order[n];
    if (const auto at = place(a); at == place(b)) {
      throw UsageError(
          fmt::format("bodies {} and {} are both at ({:g}, {:g}, {:g}){}, where without "
                      "softening the force is infinite; give --softening, or move one",
                      a, b, at[0] + bodies.origin[0], at[1] + bodies.origin[1],
                      at[2] + bodies.origin[2], precision == Precision::fp32 ? " in fp32" : ""));
    }
  }
}

void centre(Bodies& bodies) {
  const double total = total_mass(bodies);
  if (!(total > 0)) return;
  for (auto* const kind : {&bodies.position, &bodies.velocity}) {
    for (auto& values : *kind)
      subtract(values, mean(values, bodies.mass, total));
  }
}

void take_origin_inside(Bodies& bodies) {
  const double total = total_mass(bodies);
  if (!(total > 0)) return;
  std::array<double, 3> middle{};
  for (std::size_t c = 0; c < 3; ++c)
    middle[c] = mean(bodies.position[c], bodies.mass, total);
  double farthest = 0;
  for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
    farthest = std::max(farthest, std::hypot(bodies.position[0][i] - middle[0],
                                             bodies.position[1][i] - middle[1],
                                             bodies.position[2][i] - middle[2]));
  }
  // Not where sums overflow either.
  const double away = std::hypot(middle[0], middle[1], middle[2]);
  if (!std::isfinite(away) || !(away > 2 * farthest)) return;
  for (std::size_t c = 0; c < 3; ++c) {
    subtract(bodies.position[c], middle[c]);
    bodies.origin[c] += middle[c];
  }
}

bool has_own_origin(const Bodies& bodies) {
  return bodies.origin != std::array<double, 3>{};
}

} // namespace ridge::nbody
