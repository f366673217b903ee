// A step of viscosity: winds and the potential temperature's distance from rest diffuse, with the
// density between cells. Nothing but momentum along z passes a lid, which is free of friction.
#pragma once

#include <ridge/atmosphere/sweeps.hpp>

namespace ridge::atmosphere {

// Beside the states before and after.
inline constexpr int rest_density = 8;
inline constexpr int rest_of_heat = 9;

struct Viscosity {
  static constexpr const char* name = "viscosity";
  static constexpr auto accesses = join(
      read_state<before>(along_x(-1, 1)), read_state<before>(along_y(-1, 1)), write_state<after>(),
      std::array<Access, 2>{read(chain::ProfileSlot<rest_density>{}, along_y(-1, 1)),
                            read(chain::ProfileSlot<rest_of_heat>{}, along_y(-1, 1))});
  static constexpr double flops = 5 * 7 + 4 * 11;
  double part_x, part_z; ///< viscosity times the step over the square of a cell's size

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    const auto here = cell<0, 0>(at);
    V change[3] = {V(0.0), V(0.0), V(0.0)};
    add(change, part_x, here, cell<-1, 0>(at));
    add(change, part_x, here, cell<1, 0>(at));
    if (at.y() > 0) add(change, part_z, here, cell<0, -1>(at));
    if (at.y() + 1 < at.extent_y()) add(change, part_z, here, cell<0, 1>(at));
    // The wind along z is 0 on a lid: beyond it has the other sign.
    if (at.y() == 0 || at.y() + 1 == at.extent_y())
      change[1] = change[1] - (2 * part_z) * here.density * here.value[1];
    at.set(Slot<after>{}, at(Slot<before>{}));
    at.set(Slot<after + 1>{}, at(Slot<before + 1>{}) + change[0]);
    at.set(Slot<after + 2>{}, at(Slot<before + 2>{}) + change[1]);
    at.set(Slot<after + 3>{}, at(Slot<before + 3>{}) + change[2]);
  }

private:
  /// Density, and the winds along x and z and the potential temperature less that at rest.
  template <class V>
  struct Values {
    V density, value[3];
  };
  template <int X, int Y, class At>
  RIDGE_FN auto cell(const At& at) const {
    using V = typename At::Value;
    const V rest = at(chain::ProfileSlot<rest_density>{}, 0, Y);
    const V heat = at(chain::ProfileSlot<rest_of_heat>{}, 0, Y);
    const V density = at(Slot<before>{}, X, Y) + rest;
    return Values<V>{
        density,
        {quotient(at(Slot<before + 1>{}, X, Y), density),
         quotient(at(Slot<before + 2>{}, X, Y), density),
         quotient(at(Slot<before + 3>{}, X, Y) + heat, density) - quotient(heat, rest)}};
  }
  template <class V>
  RIDGE_FN void add(V (&change)[3], double factor, const Values<V>& here,
                    const Values<V>& beside) const {
    const V weight = (0.5 * factor) * (here.density + beside.density);
    RIDGE_UNROLL
    for (int v = 0; v < 3; ++v)
      change[v] = change[v] + weight * (beside.value[v] - here.value[v]);
  }
};

struct ViscousStep {
  static constexpr const char* name = "atmosphere viscosity";
  static constexpr auto arrays = [] {
    std::array<chain::Array, 10> all{};
    constexpr const char* names[4] = {"density", "x momentum", "z momentum", "heat"};
    for (std::size_t v = 0; v < 4; ++v) {
      all[before + v] = chain::input(names[v]);
      all[after + v] = chain::output(names[v]);
    }
    all[rest_density] = chain::profile("density at rest");
    all[rest_of_heat] = chain::profile("heat at rest");
    return all;
  }();
  static constexpr std::array dimensions{chain::independent(0, chain::Edge::periodic),
                                         chain::independent(0, chain::Edge::clamp)};
  std::tuple<Viscosity> operations;
};

} // namespace ridge::atmosphere
