#include "parameters.hpp"

#include <ridge/core/error.hpp>
#include <ridge/pairs/tree.hpp>

#include "core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::nbody {

namespace {

/// Interactions take the cube of distances' inverses: within these, it is a normal float.
constexpr double least_distance = 2e-13;
constexpr double largest_distance = 4e12;

/// Throws UsageError unless interactions can be computed in float.
void require_within_float(const Bodies& bodies, double gravity) {
  double diagonal_squared = 0;
  for (const auto& values : bodies.position) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    diagonal_squared += (*most - *least) * (*most - *least);
  }
  refuse_if(!(diagonal_squared < largest_distance * largest_distance),
            "bodies are up to {:.2g} apart, whose cube is beyond what fp32 holds; give --precision "
            "fp64, or other units",
            std::sqrt(diagonal_squared));
  for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
    const double pull = bodies.mass[i] * gravity;
    refuse_if(
        pull > 0 && !std::isnormal(static_cast<float>(pull)),
        "G m of body {} is {:g}, which fp32 cannot hold; give --precision fp64, or other units", i,
        pull);
  }
}

} // namespace

std::string_view to_text(Forces forces) {
  return forces == Forces::pairs ? "pairs" : "tree";
}

Forces parse_forces(std::string_view text) {
  if (text == "pairs") return Forces::pairs;
  if (text == "tree") return Forces::tree;
  throw UsageError(fmt::format("unknown forces '{}'; there are pairs and tree", text));
}

void require_sound(const Parameters& p) {
  if (p.forces == Forces::tree) {
    const auto chosen = p.error == 0 ? pairs::TreeChoice{p.theta, p.order}
                                     : pairs::tree_choice(p.error, p.order, to_text(p.precision));
    pairs::require_sound({chosen.theta, chosen.order, p.softening, {}});
  }
  refuse_if(!(p.dt > 0) || !std::isfinite(p.dt), "--dt {:g}: a step must be positive", p.dt);
  refuse_if(!(p.gravity > 0) || !std::isfinite(p.gravity),
            "--G {:g}: the constant of gravity must be positive", p.gravity);
  refuse_if(!(p.softening >= 0) || !std::isfinite(p.softening),
            "--softening {:g}: it must be 0 or positive", p.softening);
  if (p.precision == Precision::fp64) return;
  refuse_if(
      p.softening > 0 && (p.softening < least_distance || p.softening > largest_distance),
      "--softening {:g}: its cube is beyond what fp32 holds; give --precision fp64, or other units",
      p.softening);
  refuse_if(p.precision == Precision::fp32 &&
                (static_cast<float>(p.dt) < std::numeric_limits<float>::min() ||
                 !std::isfinite(static_cast<float>(p.dt))),
            "--dt {:g} is beyond what fp32 holds; give --precision fp64, or other units", p.dt);
}

void require_sound(const Bodies& bodies, const Parameters& parameters) {
  const Precision precision = parameters.precision;
  require_finite(bodies, precision);
  const auto negative =
      std::find_if(bodies.mass.begin(), bodies.mass.end(), [](double m) { return m < 0; });
  if (negative != bodies.mass.end()) {
    throw UsageError(fmt::format("m of body {} is {:g}; a mass must not be negative",
                                 negative - bodies.mass.begin(), *negative));
  }
  if (precision == Precision::fp64) return;
  require_within_float(bodies, parameters.gravity);
}

} // namespace ridge::nbody
