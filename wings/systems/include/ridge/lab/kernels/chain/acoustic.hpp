// Acoustic waves among the built-in systems: pressure and velocity on staggered points.
//
//   dv/dt = -grad p / rho,   dp/dt = -rho c^2 div v
//
// of order 8 in space and 2 in time (leapfrog). Velocities lie half a point behind the pressure
// along their own axis; there the density is the mean of its neighbours. Weights of the first
// derivative between points: B. Fornberg, Math. Comp. 51 (1988), table 4 (order 8).
#pragma once

#include <ridge/chain/system/waves.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>

#include <cmath>

namespace ridge::lab {

namespace acoustic_system {

inline constexpr chain::Slot<0> p;
inline constexpr chain::Slot<1> vx;
inline constexpr chain::Slot<2> vy;
inline constexpr chain::Slot<3> vz;
inline constexpr chain::Slot<4> c;
inline constexpr chain::Slot<5> rho;

inline constexpr int half_order = 4;
/// Weights of the points at (k + 1/2) spacings on either side.
template <int K>
inline constexpr double weight = K == 0   ? 1225.0 / 1024
                                 : K == 1 ? -245.0 / 3072
                                 : K == 2 ? 49.0 / 5120
                                          : -5.0 / 7168;

/// The derivative of an array along an axis, times the spacing, half a point behind the item where
/// Behind, else half a point before it.
template <int Axis, bool Behind, class At, int I>
RIDGE_FN auto difference(const At& at, chain::Slot<I> array) {
  const auto value = [&](int d) {
    return Axis == 0 ? at(array, d) : Axis == 1 ? at(array, 0, d) : at(array, 0, 0, d);
  };
  constexpr int shift = Behind ? 0 : -1;
  const auto between = [&](int k) { return value(k + 1 + shift) - value(shift - k); };
  // Values, as fma takes references: device code has no variable of a template to refer to.
  return fma(double{weight<3>}, between(3),
             fma(double{weight<2>}, between(2),
                 fma(double{weight<1>}, between(1), weight<0> * between(0))));
}
constexpr chain::Reach along(int axis, int low, int high) {
  return axis == 0   ? chain::along_x(low, high)
         : axis == 1 ? chain::along_y(low, high)
                     : chain::along_z(low, high);
}

struct Velocity {
  static constexpr const char* name = "acoustic-velocity";
  static constexpr std::array accesses{read(p, along(0, -3, 4)),
                                       read(p, along(1, -3, 4)),
                                       read(p, along(2, -3, 4)),
                                       read(rho, along(0, 0, 1)),
                                       read(rho, along(1, 0, 1)),
                                       read(rho, along(2, 0, 1)),
                                       read(vx),
                                       read(vy),
                                       read(vz),
                                       write(vx),
                                       write(vy),
                                       write(vz)};
  static constexpr double flops = 3 * 15;
  static constexpr int lane_bytes = 16;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto here = at(rho);
    at.set(vx, at(vx) - 2 * x / (here + at(rho, 1)) * difference<0, true>(at, p));
    at.set(vy, at(vy) - 2 * y / (here + at(rho, 0, 1)) * difference<1, true>(at, p));
    at.set(vz, at(vz) - 2 * z / (here + at(rho, 0, 0, 1)) * difference<2, true>(at, p));
  }
};

struct Pressure {
  static constexpr const char* name = "acoustic-pressure";
  static constexpr std::array accesses{read(vx, along(0, -4, 3)),
                                       read(vy, along(1, -4, 3)),
                                       read(vz, along(2, -4, 3)),
                                       read(c),
                                       read(rho),
                                       read(p),
                                       write(p)};
  static constexpr double flops = 3 * 12 + 4;
  static constexpr int lane_bytes = 16;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto speed = at(c);
    const auto divergence =
        fma(z, difference<2, false>(at, vz),
            fma(y, difference<1, false>(at, vy), x * difference<0, false>(at, vx)));
    at.set(p, at(p) - at(rho) * speed * speed * divergence);
  }
};

} // namespace acoustic_system

struct Acoustic {
  static constexpr const char* name = "acoustic";
  static constexpr std::array arrays{chain::update("p"),  chain::update("vx"), chain::update("vy"),
                                     chain::update("vz"), chain::input("c"),   chain::input("rho")};
  static constexpr std::array dimensions{chain::given(4), chain::given(4), chain::given(4)};
  std::tuple<acoustic_system::Velocity, acoustic_system::Pressure> operations;

  static constexpr std::array<chain::Placement, 6> placements{
      chain::placement_of({}),        chain::placement_of({1, 0, 0}),
      chain::placement_of({0, 1, 0}), chain::placement_of({0, 0, 1}),
      chain::placement_of({}),        chain::placement_of({})};
  static constexpr std::array<double, 6> defaults{0, 0, 0, 0, 1, 1};
  static constexpr bool absorbs = true;

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    set(std::get<0>(operations));
    set(std::get<1>(operations));
  }
  double speed(const double* at) const { return at[4]; }
  static constexpr std::array<double, 4> weights{1225.0 / 1024, -245.0 / 3072, 49.0 / 5120,
                                                 -5.0 / 7168};
  chain::WaveMedium medium(const double* at) const { return {at[5] * at[4] * at[4], at[5]}; }
  /// Von Neumann's bound for the sum of the weights' magnitudes.
  double stable_step(const std::array<double, 3>& h, double largest) const {
    constexpr double sum = 1225.0 / 1024 + 245.0 / 3072 + 49.0 / 5120 + 5.0 / 7168;
    return 1 /
           (largest * sum * std::sqrt(1 / (h[0] * h[0]) + 1 / (h[1] * h[1]) + 1 / (h[2] * h[2])));
  }
};

struct AcousticEntry : SystemEntry<Acoustic> {
  static constexpr const char* name = "acoustic";
  static constexpr const char* meaning =
      "acoustic waves with a speed and a density, order 8: pressure and velocity";
};

namespace built_in {
using acoustic = Systems<AcousticEntry>;
}

} // namespace ridge::lab
