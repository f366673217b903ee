// Steps whose acoustic terms along z are implicit: what limits a step is then sound along x and the
// wind, not sound along z. A step has three stages, each a chain of its own over both dimensions.
//
// With q the state before the step, s that of the stage before, T the explicit tendency, and L the
// acoustic terms along z around the state at rest, the change d of a stage of length t solves
//   d - b t L d = q - s + t T(s) = r.
// L couples changes of density R, vertical momentum W and heat H (density times potential
// temperature) by the mass m through the interfaces:
//   R = r_R - a (m[k+1] - m[k])                        a = b t / dz
//   H = r_H - a (theta[k+1] m[k+1] - theta[k] m[k])    theta at rest, at interfaces
//   m = average of r_W - a (C H above - C H below) - b t g (average of R)
// with C the derivative of the pressure by heat, at rest: tridiagonal in m, which is 0 at the lids.
// Both dimensions are in r: where they nearly balance, as in slow flow, little is left to L, whose
// damping is then of sound alone.
#pragma once

#include <ridge/atmosphere/sweeps.hpp>
#include <ridge/chain/columns.hpp>

namespace ridge::atmosphere {

// Arrays of a stage: the states before the step, behind the stage, and before the stage are slots
// before, after and stage_state.
inline constexpr int stage_state = 8;
inline constexpr int fluxes_z = 12;
inline constexpr int fluxes_x = 16;
inline constexpr int right_sides = 20; ///< of density, momentum and heat
inline constexpr int eliminated = 23;  ///< ratio and right side
inline constexpr int mass = 25;        ///< through interfaces
inline constexpr int stiffness = 26;   ///< C in cells, a profile
inline constexpr int face_theta = 27;  ///< at interfaces, a profile
inline constexpr int rest_heat = 32;   ///< in cells, a profile

/// Numbers of a stage's system.
struct Acoustics {
  double a = 0;       ///< b t / dz, s/m
  double gravity = 0; ///< b t g, m/s
};

/// Right sides of a stage, and the x momentum behind it.
struct RightSides {
  static constexpr const char* name = "right sides";
  static constexpr auto accesses =
      join(read_state<before>({}), read_state<stage_state>({}), read_state<fluxes_z>(along_y(0, 1)),
           read_state<fluxes_x>(along_x(0, 1)),
           std::array<Access, 5>{write(Slot<right_sides>{}), write(Slot<right_sides + 1>{}),
                                 write(Slot<right_sides + 2>{}), write(Slot<after + 1>{}),
                                 read(chain::ProfileSlot<cell_density>{})});
  static constexpr double flops = 28;
  double step;                     ///< of the stage, s
  double over_size_x, over_size_z; ///< the stage's step over the size of a cell
  Forcing forcing;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    V push = (-gravity) * at(Slot<stage_state>{});
    if (forcing.amplitude != 0) push = push + forcing.at(at, 0);
    at.set(Slot<right_sides>{}, changed<0>(at));
    at.set(Slot<right_sides + 1>{}, changed<2>(at) + step * push);
    at.set(Slot<right_sides + 2>{}, changed<3>(at));
    at.set(Slot<after + 1>{}, at(Slot<before + 1>{}) - flow<1>(at));
  }

private:
  template <int N, class At>
  RIDGE_FN auto flow(const At& at) const {
    constexpr Slot<fluxes_x + N> x{};
    constexpr Slot<fluxes_z + N> z{};
    return over_size_x * (at(x, 1) - at(x)) + over_size_z * (at(z, 0, 1) - at(z));
  }
  template <int N, class At>
  RIDGE_FN auto changed(const At& at) const {
    return (at(Slot<before + N>{}) - at(Slot<stage_state + N>{})) - flow<N>(at);
  }
};

/// Makes and eliminates the system for the mass through interfaces.
struct EliminateMass {
  static constexpr int R = right_sides;
  static constexpr const char* name = "eliminate";
  static constexpr std::array accesses{read(Slot<R>{}, along_y(-1, 0)),
                                       read(Slot<R + 1>{}, along_y(-1, 0)),
                                       read(Slot<R + 2>{}, along_y(-1, 0)),
                                       read(chain::ProfileSlot<stiffness>{}, along_y(-1, 0)),
                                       read(chain::ProfileSlot<face_theta>{}, along_y(-1, 1)),
                                       write(Slot<eliminated>{}),
                                       write(Slot<eliminated + 1>{})};
  static constexpr chain::Domain domain{{}, {0, 1, 0}};
  static constexpr chain::Scan scan = chain::Scan::up;
  static constexpr std::array carried{0.0, 0.0};
  static constexpr double flops = 30;
  Acoustics acoustics;

  template <class At>
  RIDGE_FN void operator()(const At& at, typename At::Value (&carry)[2]) const {
    using V = typename At::Value;
    if (at.first() || at.last()) { // nothing passes a lid
      carry[0] = carry[1] = V(0.0);
    } else {
      constexpr chain::ProfileSlot<stiffness> c{};
      constexpr chain::ProfileSlot<face_theta> theta{};
      const double a = acoustics.a;
      const double sink = 0.5 * acoustics.gravity * a;
      const V lower = sink - a * a * at(c, 0, -1) * at(theta, 0, -1);
      const V upper = -sink - a * a * at(c) * at(theta, 0, 1);
      const V diagonal = 1.0 + a * a * at(theta) * (at(c, 0, -1) + at(c));
      const V force = at(c) * at(Slot<R + 2>{}) - at(c, 0, -1) * at(Slot<R + 2>{}, 0, -1);
      const V right = 0.5 * (at(Slot<R + 1>{}, 0, -1) + at(Slot<R + 1>{})) - a * force -
                      0.5 * acoustics.gravity * (at(Slot<R>{}, 0, -1) + at(Slot<R>{}));
      const V scale = 1.0 / (diagonal - lower * carry[0]);
      carry[1] = (right - lower * carry[1]) * scale;
      carry[0] = upper * scale;
    }
    at.set(Slot<eliminated>{}, carry[0]);
    at.set(Slot<eliminated + 1>{}, carry[1]);
  }
};

/// Matrix and right side are the elimination's.
using NoSlot = Slot<0>;
struct SubstituteMass
    : chain::SolveTridiagonal<NoSlot, NoSlot, NoSlot, NoSlot, Slot<mass>, Slot<eliminated>,
                              Slot<eliminated + 1>>::Substitute {
  static constexpr chain::Domain domain{{}, {0, 1, 0}};
};

/// The state behind a stage.
struct AddChange {
  static constexpr int R = right_sides;
  static constexpr const char* name = "add change";
  static constexpr std::array accesses{read(Slot<R>{}),
                                       read(Slot<R + 1>{}),
                                       read(Slot<R + 2>{}, along_y(-1, 1)),
                                       read(Slot<mass>{}, along_y(-1, 2)),
                                       read(chain::ProfileSlot<stiffness>{}, along_y(-1, 1)),
                                       read(chain::ProfileSlot<face_theta>{}, along_y(-1, 2)),
                                       read(Slot<stage_state>{}),
                                       read(Slot<stage_state + 2>{}),
                                       read(Slot<stage_state + 3>{}),
                                       write(Slot<after>{}),
                                       write(Slot<after + 2>{}),
                                       write(Slot<after + 3>{})};
  static constexpr double flops = 35;
  Acoustics acoustics;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    constexpr Slot<mass> m{};
    constexpr chain::ProfileSlot<stiffness> c{};
    const V density = at(Slot<R>{}) - acoustics.a * (at(m, 0, 1) - at(m));
    const V here = heat(at, 0);
    const V pressure = at(c) * here;
    // The pressure beyond a lid is that of the cell at it.
    V below = pressure;
    V above = pressure;
    if (at.y() > 0) below = 0.5 * (pressure + at(c, 0, -1) * heat(at, -1));
    if (at.y() + 1 < at.extent_y()) above = 0.5 * (pressure + at(c, 0, 1) * heat(at, 1));
    const V momentum =
        at(Slot<R + 1>{}) - acoustics.a * (above - below) - acoustics.gravity * density;
    at.set(Slot<after>{}, at(Slot<stage_state>{}) + density);
    at.set(Slot<after + 2>{}, at(Slot<stage_state + 2>{}) + momentum);
    at.set(Slot<after + 3>{}, at(Slot<stage_state + 3>{}) + here);
  }

private:
  /// The change of heat of the cell at that distance.
  template <class At>
  RIDGE_FN auto heat(const At& at, int dy) const {
    constexpr Slot<mass> m{};
    constexpr chain::ProfileSlot<face_theta> theta{};
    return at(Slot<R + 2>{}, 0, dy) - acoustics.a * (at(theta, 0, dy + 1) * at(m, 0, dy + 1) -
                                                     at(theta, 0, dy) * at(m, 0, dy));
  }
};

struct ImplicitStage {
  static constexpr const char* name = "atmosphere implicit";
  static constexpr auto arrays = [] {
    std::array<chain::Array, 33> all{};
    constexpr const char* names[4] = {"density", "x momentum", "z momentum", "heat"};
    for (std::size_t v = 0; v < 4; ++v) {
      all[before + v] = all[stage_state + v] = chain::input(names[v]);
      all[after + v] = chain::output(names[v]);
      all[fluxes_z + v] = chain::temporary("flux z", {0, 1, 0});
      all[fluxes_x + v] = chain::temporary("flux x", {1, 0, 0});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      all[right_sides + i] = chain::temporary("right side");
      all[eliminated + i] = chain::temporary(i < 2 ? "eliminated" : "mass", {0, 1, 0});
    }
    all[cell_density] = chain::profile("density at rest");
    all[face_density] = chain::profile("density at interfaces", {0, 1, 0});
    all[face_heat] = chain::profile("heat at interfaces", {0, 1, 0});
    all[face_pressure] = chain::profile("pressure at interfaces", {0, 1, 0});
    all[stiffness] = chain::profile("stiffness");
    all[face_theta] = chain::profile("potential temperature at interfaces", {0, 1, 0});
    all[rest_heat] = chain::profile("heat at rest");
    return all;
  }();
  static constexpr std::array dimensions{chain::independent(1, chain::Edge::periodic),
                                         chain::internal(chain::Edge::clamp)};
  /// Eliminate and substitute, whose temporaries fit the shared memory.
  static constexpr std::array<std::array<int, 2>, 1> groups{{{3, 4}}};

  std::tuple<FluxX<stage_state, fluxes_x, rest_heat>, FluxZ<stage_state, fluxes_z>, RightSides,
             EliminateMass, SubstituteMass, AddChange>
      operations;
};

} // namespace ridge::atmosphere
