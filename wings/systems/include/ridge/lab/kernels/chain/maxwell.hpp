// Maxwell's equations among the built-in systems: K. Yee's scheme (IEEE Trans. Antennas Propag. 14,
// 1966).
//
//   dH/dt = -curl E,   eps dE/dt = curl H
//
// with a relative permittivity, in units in which light runs at 1 where that is 1. Electric fields
// lie half a point behind along their own axis, magnetic ones along the two others. A mirror is a
// perfect magnetic conductor, an antimirror a perfect electric one.
#pragma once

#include <ridge/lab/kernels/chain_system_entry.hpp>

#include <cmath>

namespace ridge::lab {

namespace maxwell_system {

inline constexpr chain::Slot<0> ex;
inline constexpr chain::Slot<1> ey;
inline constexpr chain::Slot<2> ez;
inline constexpr chain::Slot<3> hx;
inline constexpr chain::Slot<4> hy;
inline constexpr chain::Slot<5> hz;
inline constexpr chain::Slot<6> eps;

struct Magnetic {
  static constexpr const char* name = "maxwell-magnetic";
  static constexpr chain::Reach next{{}, {1, 1, 1}};
  static constexpr std::array accesses{read(ex, next), read(ey, next), read(ez, next),
                                       read(hx),       read(hy),       read(hz),
                                       write(hx),      write(hy),      write(hz)};
  static constexpr double flops = 3 * 6;
  static constexpr int lane_bytes = 16;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto e = at(ex);
    const auto f = at(ey);
    const auto g = at(ez);
    at.set(hx, at(hx) + z * (at(ey, 0, 0, 1) - f) - y * (at(ez, 0, 1) - g));
    at.set(hy, at(hy) + x * (at(ez, 1) - g) - z * (at(ex, 0, 0, 1) - e));
    at.set(hz, at(hz) + y * (at(ex, 0, 1) - e) - x * (at(ey, 1) - f));
  }
};

struct Electric {
  static constexpr const char* name = "maxwell-electric";
  static constexpr chain::Reach before{{-1, -1, -1}, {}};
  static constexpr std::array accesses{
      read(hx, before), read(hy, before), read(hz, before), read(eps, chain::Reach{{}, {1, 1, 1}}),
      read(ex),         read(ey),         read(ez),         write(ex),
      write(ey),        write(ez)};
  static constexpr double flops = 3 * 9;
  static constexpr int lane_bytes = 16;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto e = at(hx);
    const auto f = at(hy);
    const auto g = at(hz);
    const auto here = at(eps);
    at.set(ex, at(ex) + 2 / (here + at(eps, 1)) *
                            fma(-z, f - at(hy, 0, 0, -1), y * (g - at(hz, 0, -1))));
    at.set(ey, at(ey) + 2 / (here + at(eps, 0, 1)) *
                            fma(-x, g - at(hz, -1), z * (e - at(hx, 0, 0, -1))));
    at.set(ez, at(ez) + 2 / (here + at(eps, 0, 0, 1)) *
                            fma(-y, e - at(hx, 0, -1), x * (f - at(hy, -1))));
  }
};

} // namespace maxwell_system

struct Maxwell {
  static constexpr const char* name = "maxwell";
  static constexpr std::array arrays{chain::update("ex"), chain::update("ey"), chain::update("ez"),
                                     chain::update("hx"), chain::update("hy"), chain::update("hz"),
                                     chain::input("eps")};
  static constexpr std::array dimensions{chain::given(1), chain::given(1), chain::given(1)};
  std::tuple<maxwell_system::Magnetic, maxwell_system::Electric> operations;

  static constexpr std::array<chain::Placement, 7> placements{
      chain::placement_of({1, 0, 0}), chain::placement_of({0, 1, 0}),
      chain::placement_of({0, 0, 1}), chain::placement_of({0, 1, 1}),
      chain::placement_of({1, 0, 1}), chain::placement_of({1, 1, 0}),
      chain::placement_of({})};
  static constexpr std::array<double, 7> defaults{0, 0, 0, 0, 0, 0, 1};
  static constexpr bool absorbs = true;

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    set(std::get<0>(operations));
    set(std::get<1>(operations));
  }
  double speed(const double* at) const { return 1 / std::sqrt(at[6]); }
  double stable_step(const std::array<double, 3>& h, double largest) const {
    return 1 / (largest * std::sqrt(1 / (h[0] * h[0]) + 1 / (h[1] * h[1]) + 1 / (h[2] * h[2])));
  }
};

struct MaxwellEntry : SystemEntry<Maxwell> {
  static constexpr const char* name = "maxwell";
  static constexpr const char* meaning =
      "electric and magnetic fields by Yee's scheme, a permittivity";
};

namespace built_in {
using maxwell = Systems<MaxwellEntry>;
}

} // namespace ridge::lab
