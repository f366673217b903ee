#include "integrator.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

namespace ridge::nbody {

namespace {

constexpr std::array<std::string_view, 2> names{"leapfrog", "yoshida4"};

constexpr std::array<double, 1> one{1.0};
/// 1 / (2 - 2^(1/3)) at both ends, what is left in the middle.
constexpr double outer = 1.3512071919596578;
constexpr std::array<double, 3> three{outer, 1 - 2 * outer, outer};

} // namespace

std::string_view to_text(Integrator integrator) {
  return names[static_cast<std::size_t>(integrator)];
}

Integrator parse_integrator(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Integrator>(i);
  throw UsageError(fmt::format("unknown integrator '{}'; there are leapfrog and yoshida4", text));
}

std::span<const double> leapfrogs(Integrator integrator) {
  if (integrator == Integrator::yoshida4) return three;
  return one;
}

} // namespace ridge::nbody
