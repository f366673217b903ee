// The sweeps of the mini-atmosphere as chains: three stages of fluxes through interfaces and of
// tendencies, along x or along z. Rows are independent along x, columns along z.
#pragma once

#include <ridge/atmosphere/constants.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/quick_math.hpp>

namespace ridge::atmosphere {

using chain::Access;
using chain::along_x;
using chain::along_y;
using chain::Reach;
using chain::read;
using chain::Slot;
using chain::write;

// Arrays of a sweep: variable v of a state is slot state + v.
inline constexpr int before = 0;  ///< the state that the sweep begins with
inline constexpr int after = 4;   ///< and ends with
inline constexpr int first = 8;   ///< after the first stage
inline constexpr int second = 12; ///< after the second stage
inline constexpr int fluxes = 16; ///< of stage s at fluxes + 4 s
inline constexpr int cell_density = 28;
inline constexpr int cell_heat = 29; ///< of sweeps along x; those along z have
inline constexpr int face_density = 29;
inline constexpr int face_heat = 30;
inline constexpr int face_pressure = 31;

/// Fourth-order value at the interface between the second and third of four cells.
template <class V>
RIDGE_FN V at_interface(const V& a, const V& b, const V& c, const V& d) {
  return (7.0 * (b + c) - (a + d)) * (1.0 / 12);
}
/// Third difference, which the viscosity damps.
template <class V>
RIDGE_FN V third_difference(const V& a, const V& b, const V& c, const V& d) {
  return (d - a) + 3.0 * (b - c);
}

/// Within 20 units in the last place.
template <class V>
RIDGE_FN V pressure_of(const V& heat) {
  return c0 * power_of_positive(heat, exponent);
}

/// cos(pi/2 t) where t * t is at most 1, within 1e-15: the general one would bring along how to
/// reduce large arguments, and the memory that GPUs take for it.
template <class V>
RIDGE_FN V quarter_wave(const V& square) {
  constexpr double x = 2.46740110027233965471; // (pi/2)^2
  V sum(1.0);
  RIDGE_UNROLL
  for (int n = 20; n > 0; n -= 2)
    sum = 1.0 - square * (x / (n * (n - 1))) * sum;
  return sum;
}

template <int State>
constexpr std::array<Access, 4> read_state(Reach reach) {
  return {read(Slot<State>{}, reach), read(Slot<State + 1>{}, reach),
          read(Slot<State + 2>{}, reach), read(Slot<State + 3>{}, reach)};
}
template <int State>
constexpr std::array<Access, 4> write_state() {
  return {write(Slot<State>{}), write(Slot<State + 1>{}), write(Slot<State + 2>{}),
          write(Slot<State + 3>{})};
}
template <std::size_t... N>
constexpr auto join(const std::array<Access, N>&... parts) {
  std::array<Access, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const Access& a : part)
      all[next++] = a;
  };
  (append(parts), ...);
  return all;
}

/// Fluxes through the interface left of each cell, and right of the last.
/// `Heat` is the profile of heat at rest.
template <int State, int Flux, int Heat = cell_heat>
struct FluxX {
  static constexpr const char* name = "flux x";
  static constexpr auto accesses =
      join(read_state<State>(along_x(-2, 1)), write_state<Flux>(),
           std::array<Access, 2>{read(chain::ProfileSlot<cell_density>{}),
                                 read(chain::ProfileSlot<Heat>{})});
  static constexpr chain::Domain domain{{}, {1, 0, 0}};
  static constexpr double flops = 62;
  double viscosity;        ///< times the third difference
  double inject_z;         ///< rows whose distance from this height, in rows, is at most
  double inject_rows = -1; ///< this are blown into from the left; none where negative
  Index first_row = 0;     ///< of the range, in the whole atmosphere

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    const V rest = at(chain::ProfileSlot<cell_density>{});
    const V rest_heat = at(chain::ProfileSlot<Heat>{});
    V q[4][4];
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i) {
      q[0][i] = at(Slot<State>{}, i - 2);
      q[1][i] = at(Slot<State + 1>{}, i - 2);
      q[2][i] = at(Slot<State + 2>{}, i - 2);
      q[3][i] = at(Slot<State + 3>{}, i - 2);
      if (at.before_x(i - 2) && injects(static_cast<double>(at.y() + first_row))) {
        const V density = q[0][i] + rest;
        q[1][i] = 50.0 * density;
        q[3][i] = 298.0 * density - rest_heat;
      }
    }
    V value[4];
    V third[4];
    RIDGE_UNROLL
    for (int v = 0; v < 4; ++v) {
      value[v] = at_interface(q[v][0], q[v][1], q[v][2], q[v][3]);
      third[v] = viscosity * third_difference(q[v][0], q[v][1], q[v][2], q[v][3]);
    }
    const V density = value[0] + rest;
    const V u = quotient(value[1], density);
    const V heat = value[3] + rest_heat;
    const V p = pressure_of(heat);
    at.set(Slot<Flux>{}, value[1] - third[0]);
    at.set(Slot<Flux + 1>{}, value[1] * u + p - third[1]);
    at.set(Slot<Flux + 2>{}, value[2] * u - third[2]);
    at.set(Slot<Flux + 3>{}, heat * u - third[3]);
  }

private:
  [[nodiscard]] RIDGE_FN bool injects(double y) const {
    const double distance = y - inject_z;
    return distance <= inject_rows && -distance <= inject_rows;
  }
};

/// Fluxes through the interface below each cell, and above the last.
template <int State, int Flux>
struct FluxZ {
  static constexpr const char* name = "flux z";
  static constexpr auto accesses =
      join(read_state<State>(along_y(-2, 1)), write_state<Flux>(),
           std::array<Access, 3>{read(chain::ProfileSlot<face_density>{}),
                                 read(chain::ProfileSlot<face_heat>{}),
                                 read(chain::ProfileSlot<face_pressure>{})});
  static constexpr chain::Domain domain{{}, {0, 1, 0}};
  static constexpr double flops = 63;
  double viscosity;
  double below[2], above[2]; ///< factors of x momentum beyond the lids

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    const Index top = at.extent_y();
    const V rest = at(chain::ProfileSlot<face_density>{});
    const V rest_heat = at(chain::ProfileSlot<face_heat>{});
    const V rest_pressure = at(chain::ProfileSlot<face_pressure>{});
    V q[4][4];
    RIDGE_UNROLL
    for (int i = 0; i < 4; ++i) {
      q[0][i] = at(Slot<State>{}, 0, i - 2);
      q[1][i] = at(Slot<State + 1>{}, 0, i - 2);
      q[2][i] = at(Slot<State + 2>{}, 0, i - 2);
      q[3][i] = at(Slot<State + 3>{}, 0, i - 2);
    }
    // Beyond a lid the nearest cell counts: the edge is clamped.
    if (at.y() < 2) {
      RIDGE_UNROLL
      for (int i = 0; i < 2; ++i) {
        if (at.y() + i >= 2) continue;
        q[1][i] = below[1 - at.y() - i] * q[1][i];
        q[2][i] = V(0.0);
      }
    }
    if (at.y() > top - 2) {
      RIDGE_UNROLL
      for (int i = 2; i < 4; ++i) {
        if (at.y() + i - 2 < top) continue;
        q[1][i] = above[at.y() + i - 2 - top] * q[1][i];
        q[2][i] = V(0.0);
      }
    }
    V value[4];
    V third[4];
    RIDGE_UNROLL
    for (int v = 0; v < 4; ++v) {
      value[v] = at_interface(q[v][0], q[v][1], q[v][2], q[v][3]);
      third[v] = viscosity * third_difference(q[v][0], q[v][1], q[v][2], q[v][3]);
    }
    if (at.y() == 0 || at.y() == top) value[2] = third[0] = V(0.0); // nothing passes a lid
    const V density = value[0] + rest;
    const V w = quotient(value[2], density);
    const V heat = value[3] + rest_heat;
    const V p = pressure_of(heat) - rest_pressure;
    at.set(Slot<Flux>{}, value[2] - third[0]);
    at.set(Slot<Flux + 1>{}, value[1] * w - third[1]);
    at.set(Slot<Flux + 2>{}, value[2] * w + p - third[2]);
    at.set(Slot<Flux + 3>{}, heat * w - third[3]);
  }
};

/// The force that drives gravity waves: a bell of upward acceleration, in cells.
struct Forcing {
  double amplitude = 0;                ///< m/s^2; 0: none
  double x, z;                         ///< of its centre
  double over_radius_x, over_radius_z; ///< one over its radii

  /// At an item of a range that begins at row `first_row` of the whole atmosphere.
  template <class At>
  RIDGE_FN auto at(const At& item, Index first_row) const {
    using V = typename At::Value;
    const double row = static_cast<double>(item.y() + first_row);
    const double s_z = (row + 0.5 - z) * over_radius_z;
    if (s_z * s_z > 1) return V(0.0);
    const V s_x = (item.x_values() + (0.5 - x)) * over_radius_x;
    const V square = s_x * s_x + s_z * s_z;
    const V bell = quarter_wave(square);
    return select(square <= 1.0, amplitude * bell * bell, V(0.0)) *
           item(chain::ProfileSlot<cell_density>{});
  }
};

/// The state behind a stage: that before the sweep, and what came through the interfaces.
template <int State, int Flux, int To, bool AlongZ>
struct Advance {
  static constexpr const char* name = AlongZ ? "advance z" : "advance x";
  static constexpr auto accesses = [] {
    const auto common =
        join(read_state<before>({}), read_state<Flux>(AlongZ ? along_y(0, 1) : along_x(0, 1)),
             write_state<To>(), std::array<Access, 1>{read(chain::ProfileSlot<cell_density>{})});
    if constexpr (AlongZ && State != before) {
      return join(common, std::array<Access, 1>{read(Slot<State>{})});
    } else {
      return common;
    }
  }();
  static constexpr double flops = AlongZ ? 14 : 12;
  double step;      ///< of the stage, s
  double over_size; ///< the stage's step over the size of a cell
  Forcing forcing;
  Index first_row = 0; ///< of the range, in the whole atmosphere

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    constexpr int dx = AlongZ ? 0 : 1;
    constexpr int dy = AlongZ ? 1 : 0;
    const V momentum =
        at(Slot<before + 2>{}) - over_size * (at(Slot<Flux + 2>{}, dx, dy) - at(Slot<Flux + 2>{}));
    V push(0.0);
    if constexpr (AlongZ) push = (-gravity) * at(Slot<State>{});
    if (forcing.amplitude != 0) push = push + forcing.at(at, first_row);
    at.set(Slot<To>{},
           at(Slot<before>{}) - over_size * (at(Slot<Flux>{}, dx, dy) - at(Slot<Flux>{})));
    at.set(Slot<To + 1>{}, at(Slot<before + 1>{}) -
                               over_size * (at(Slot<Flux + 1>{}, dx, dy) - at(Slot<Flux + 1>{})));
    at.set(Slot<To + 2>{}, momentum + step * push);
    at.set(Slot<To + 3>{}, at(Slot<before + 3>{}) -
                               over_size * (at(Slot<Flux + 3>{}, dx, dy) - at(Slot<Flux + 3>{})));
  }
};

/// The arrays that both sweeps have, and `Profiles` more.
template <std::size_t Profiles>
constexpr auto sweep_arrays(chain::Offset interfaces,
                            const std::array<chain::Array, Profiles>& more) {
  std::array<chain::Array, 28 + Profiles> all{};
  constexpr const char* names[4] = {"density", "x momentum", "z momentum", "heat"};
  for (std::size_t v = 0; v < 4; ++v) {
    all[before + v] = chain::input(names[v]);
    all[after + v] = chain::output(names[v]);
    all[first + v] = all[second + v] = chain::temporary(names[v]);
    for (std::size_t stage = 0; stage < 3; ++stage)
      all[fluxes + 4 * stage + v] = chain::temporary("flux", interfaces);
  }
  for (std::size_t i = 0; i < Profiles; ++i)
    all[cell_density + i] = more[i];
  return all;
}

struct SweepX {
  static constexpr const char* name = "atmosphere x";
  static constexpr auto arrays = sweep_arrays<2>(
      {1, 0, 0}, {chain::profile("density at rest"), chain::profile("heat at rest")});
  static constexpr std::array dimensions{chain::independent(5, chain::Edge::periodic),
                                         chain::independent()};
  static constexpr std::array<std::array<int, 2>, 3> groups{{{0, 1}, {2, 3}, {4, 5}}};
  std::tuple<FluxX<before, fluxes>, Advance<before, fluxes, first, false>, FluxX<first, fluxes + 4>,
             Advance<first, fluxes + 4, second, false>, FluxX<second, fluxes + 8>,
             Advance<second, fluxes + 8, after, false>>
      operations;
};

struct SweepZ {
  static constexpr const char* name = "atmosphere z";
  static constexpr auto arrays =
      sweep_arrays<4>({0, 1, 0}, {chain::profile("density at rest"),
                                  chain::profile("density at interfaces", {0, 1, 0}),
                                  chain::profile("heat at interfaces", {0, 1, 0}),
                                  chain::profile("pressure at interfaces", {0, 1, 0})});
  static constexpr std::array dimensions{chain::independent(),
                                         chain::independent(9, chain::Edge::clamp)};
  static constexpr std::array<std::array<int, 2>, 3> groups{{{0, 1}, {2, 3}, {4, 5}}};
  std::tuple<FluxZ<before, fluxes>, Advance<before, fluxes, first, true>, FluxZ<first, fluxes + 4>,
             Advance<first, fluxes + 4, second, true>, FluxZ<second, fluxes + 8>,
             Advance<second, fluxes + 8, after, true>>
      operations;
};

} // namespace ridge::atmosphere
