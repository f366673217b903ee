// Adjoints of waves among the built-in systems: one step of `acoustic`, transposed.
//
// Forward, with a = 2 dt / (h (rho + rho behind)) and differences D of order 8,
//
//   v += -a D p,   p += -rho c^2 dt/h D' v,   where D' = -D transposed.
//
// With P and V for derivatives of a loss by p and v behind a step, those before it are
//
//   q = -rho c^2 P,   V += -dt/h D q,   r = -a V,   P += -D' r,
//
// and the step adds -2 rho c P dt/h D' v to the derivative by c. That by rho has a part of each of
// its two factors.
#pragma once

#include <ridge/lab/kernels/chain/acoustic.hpp>
#include <ridge/lab/kernels/chain_adjoint_entry.hpp>

namespace ridge::lab {

namespace acoustic_adjoint {

using acoustic_system::along;
using acoustic_system::difference;

using acoustic_system::c;
using acoustic_system::p;
using acoustic_system::rho;
using acoustic_system::vx;
using acoustic_system::vy;
using acoustic_system::vz;
inline constexpr chain::Slot<6> by_p;
inline constexpr chain::Slot<7> by_vx;
inline constexpr chain::Slot<8> by_vy;
inline constexpr chain::Slot<9> by_vz;
inline constexpr chain::Slot<10> by_c;
inline constexpr chain::Slot<11> by_rho;
inline constexpr chain::Slot<12> q;
inline constexpr chain::Slot<13> rx;
inline constexpr chain::Slot<14> ry;
inline constexpr chain::Slot<15> rz;
inline constexpr chain::Slot<16> gx; ///< of the derivative by either density beside a velocity
inline constexpr chain::Slot<17> gy;
inline constexpr chain::Slot<18> gz;

/// The medium's gradient by the pressure's update, and the cotangents of the velocities.
struct Medium {
  static constexpr const char* name = "adjoint-acoustic-medium";
  static constexpr std::array accesses{read(vx, along(0, -4, 3)),
                                       read(vy, along(1, -4, 3)),
                                       read(vz, along(2, -4, 3)),
                                       read(c),
                                       read(rho),
                                       read(by_p),
                                       read(by_c),
                                       read(by_rho),
                                       write(by_c),
                                       write(by_rho),
                                       write(q)};
  static constexpr double flops = 3 * 12 + 11;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto speed = at(c);
    const auto density = at(rho);
    const auto loss = at(by_p);
    const auto divergence = x * difference<0, false>(at, vx) + y * difference<1, false>(at, vy) +
                            z * difference<2, false>(at, vz);
    const auto change = speed * loss * divergence;
    at.set(by_c, at(by_c) - 2 * (density * change));
    at.set(by_rho, at(by_rho) - speed * change);
    at.set(q, -1 * (density * speed * speed * loss));
  }
};

struct Velocity {
  static constexpr const char* name = "adjoint-acoustic-velocity";
  static constexpr std::array accesses{read(q, along(0, -3, 4)),
                                       read(q, along(1, -3, 4)),
                                       read(q, along(2, -3, 4)),
                                       read(by_vx),
                                       read(by_vy),
                                       read(by_vz),
                                       write(by_vx),
                                       write(by_vy),
                                       write(by_vz)};
  static constexpr double flops = 3 * 13;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(by_vx, at(by_vx) - x * difference<0, true>(at, q));
    at.set(by_vy, at(by_vy) - y * difference<1, true>(at, q));
    at.set(by_vz, at(by_vz) - z * difference<2, true>(at, q));
  }
};

/// The densities' gradient by the velocities' update, and the cotangent of the pressure.
struct Density {
  static constexpr const char* name = "adjoint-acoustic-density";
  static constexpr std::array accesses{read(p, along(0, -3, 4)),
                                       read(p, along(1, -3, 4)),
                                       read(p, along(2, -3, 4)),
                                       read(rho, along(0, 0, 1)),
                                       read(rho, along(1, 0, 1)),
                                       read(rho, along(2, 0, 1)),
                                       read(by_vx),
                                       read(by_vy),
                                       read(by_vz),
                                       write(rx),
                                       write(ry),
                                       write(rz),
                                       write(gx),
                                       write(gy),
                                       write(gz)};
  static constexpr double flops = 3 * 17;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto here = at(rho);
    const auto light_x = 1 / (here + at(rho, 1));
    const auto light_y = 1 / (here + at(rho, 0, 1));
    const auto light_z = 1 / (here + at(rho, 0, 0, 1));
    const auto part_x = 2 * x * light_x * at(by_vx);
    const auto part_y = 2 * y * light_y * at(by_vy);
    const auto part_z = 2 * z * light_z * at(by_vz);
    at.set(rx, -1 * part_x);
    at.set(ry, -1 * part_y);
    at.set(rz, -1 * part_z);
    at.set(gx, light_x * part_x * difference<0, true>(at, p));
    at.set(gy, light_y * part_y * difference<1, true>(at, p));
    at.set(gz, light_z * part_z * difference<2, true>(at, p));
  }
};

struct Pressure {
  static constexpr const char* name = "adjoint-acoustic-pressure";
  static constexpr std::array accesses{read(rx, along(0, -4, 3)),
                                       read(ry, along(1, -4, 3)),
                                       read(rz, along(2, -4, 3)),
                                       read(gx, along(0, -1, 0)),
                                       read(gy, along(1, -1, 0)),
                                       read(gz, along(2, -1, 0)),
                                       read(by_p),
                                       read(by_rho),
                                       write(by_p),
                                       write(by_rho)};
  static constexpr double flops = 3 * 12 + 7;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(by_p, at(by_p) - (difference<0, false>(at, rx) + difference<1, false>(at, ry) +
                             difference<2, false>(at, rz)));
    at.set(by_rho,
           at(by_rho) + (at(gx) + at(gx, -1) + at(gy) + at(gy, 0, -1) + at(gz) + at(gz, 0, 0, -1)));
  }
};

} // namespace acoustic_adjoint

struct AcousticAdjoint {
  static constexpr const char* name = "adjoint-acoustic";
  static constexpr std::array arrays{
      chain::input("p"),      chain::update("vx"),    chain::update("vy"),
      chain::update("vz"),    chain::input("c"),      chain::input("rho"),
      chain::update("by_p"),  chain::update("by_vx"), chain::update("by_vy"),
      chain::update("by_vz"), chain::update("by_c"),  chain::update("by_rho"),
      chain::update("q"),     chain::update("rx"),    chain::update("ry"),
      chain::update("rz"),    chain::update("gx"),    chain::update("gy"),
      chain::update("gz")};
  static constexpr std::array dimensions{chain::given(4), chain::given(4), chain::given(4)};
  /// The derivative by each array of the system, in the order of its arrays.
  static constexpr std::array derivatives{6, 7, 8, 9, 10, 11};
  std::tuple<acoustic_system::Velocity, acoustic_adjoint::Medium, acoustic_adjoint::Velocity,
             acoustic_adjoint::Density, acoustic_adjoint::Pressure>
      operations;

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    set(std::get<0>(operations));
    set(std::get<1>(operations));
    set(std::get<2>(operations));
    set(std::get<3>(operations));
  }
};

struct AcousticAdjointEntry : AdjointEntry<AcousticAdjoint> {
  static constexpr const char* of = AcousticEntry::name;
};

namespace built_in {
using acoustic_adjoint = Adjoints<AcousticAdjointEntry>;
}

} // namespace ridge::lab
