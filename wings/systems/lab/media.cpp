#include <ridge/lab/kernels/chain_media.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ridge::lab {

namespace {

using chain::FieldProblem;
using Rule = FieldProblem(const char* field, double value);

constexpr FieldProblem positive(const char* field, double value) {
  return chain::unless_positive(field, value);
}
constexpr FieldProblem at_least_0(const char* field, double value) {
  return chain::unless_at_least_0(field, value);
}
/// Depths of a run's snapshots may be below 0 by rounding.
constexpr FieldProblem depth(const char* field, double value) {
  return chain::unless_at_least_0(field, value, 1e-6);
}
constexpr FieldProblem finite(const char* field, double value) {
  return chain::unless_finite(field, value);
}

/// Fields of waves that steps change, and that are not here, may be anything. Liquids have no mu.
constexpr struct {
  const char* field;
  Rule* rule;
} rules[] = {{"c", positive}, {"rho", positive}, {"eps", positive}, {"mu", at_least_0},
             {"h", depth},    {"hu", finite},    {"hv", finite},    {"bottom", finite},
             {"ux", finite},  {"uy", finite},    {"uz", finite}};

constexpr double most_bodies = 1000;
constexpr double sound = 0.57735; ///< of a lattice Boltzmann fluid
constexpr const char* slower_than_sound = "a speed below that of sound, 0.577,";
double speed_of(const double* u) {
  return std::hypot(u[0], u[1], u[2]);
}

struct Looked {
  const char* field;
  int at;
  Rule* rule;
};

} // namespace

std::function<FieldProblem(const double*)> medium_problem(const chain::SystemKernel& kernel) {
  std::vector<std::string_view> names;
  if (kernel.start) {
    for (const chain::SystemField& field : kernel.given)
      names.emplace_back(field.name);
  } else {
    for (const chain::Array& array : kernel.of_double.arrays)
      names.emplace_back(array.name);
  }
  const auto number_of = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  };
  std::vector<Looked> all;
  for (const auto& [field, rule] : rules) {
    if (const int at = number_of(field); at >= 0) all.push_back({field, at, rule});
  }
  const int solid = number_of("solid");
  const int ux = number_of("ux"); // with uy and uz behind it
  const int wall_ux = number_of("wall_ux");
  const int lambda = number_of("lambda");
  const int mu = number_of("mu");
  return [all, solid, ux, wall_ux, lambda, mu](const double* given) -> FieldProblem {
    if (solid >= 0) {
      const FieldProblem mask = finite("solid", given[solid]);
      if (mask) return mask;
      if (wall_ux >= 0 && given[solid] > most_bodies + 0.5)
        return {"solid", given[solid], "a body's number, 1 to 1000,"};
      if (given[solid] > 0.5) {
        const double speed = wall_ux < 0 ? 0 : speed_of(given + wall_ux);
        return speed >= sound ? FieldProblem{"(wall_ux^2 + wall_uy^2 + wall_uz^2)^(1/2)", speed,
                                             slower_than_sound}
                              : FieldProblem{};
      }
    }
    for (const Looked& one : all) {
      if (const FieldProblem found = one.rule(one.field, given[one.at])) return found;
    }
    if (solid >= 0 && ux >= 0) { // populations of faster ones are negative
      const double speed = speed_of(given + ux);
      if (!(speed < sound)) return {"(ux^2 + uy^2 + uz^2)^(1/2)", speed, slower_than_sound};
    }
    if (lambda < 0 || mu < 0) return {};
    return positive("lambda + 2 mu", given[lambda] + 2 * given[mu]);
  };
}

} // namespace ridge::lab
