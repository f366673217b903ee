// Adjoints of waves among the built-in systems: one step of `maxwell`, transposed.
//
// Forward, with a = 2 / (eps + eps behind) and curls C of first differences times dt / spacing,
//
//   h += -C e,   e += a C' h,   where C' = C transposed.
//
// With E and H for derivatives of a loss by e and h behind a step, those before it are
//
//   r = a E,   H += C r,   E += -C' H,
//
// and the step adds -a^2 / 2 E C' h to the derivative by the permittivity on either side.
#pragma once

#include <ridge/lab/kernels/chain/maxwell.hpp>
#include <ridge/lab/kernels/chain_adjoint_entry.hpp>

namespace ridge::lab {

namespace maxwell_adjoint {

using maxwell_system::eps;
using maxwell_system::hx;
using maxwell_system::hy;
using maxwell_system::hz;
inline constexpr chain::Slot<7> by_ex;
inline constexpr chain::Slot<8> by_ey;
inline constexpr chain::Slot<9> by_ez;
inline constexpr chain::Slot<10> by_hx;
inline constexpr chain::Slot<11> by_hy;
inline constexpr chain::Slot<12> by_hz;
inline constexpr chain::Slot<13> by_eps;
inline constexpr chain::Slot<14> rx;
inline constexpr chain::Slot<15> ry;
inline constexpr chain::Slot<16> rz;
inline constexpr chain::Slot<17> gx; ///< of the derivative by either permittivity beside a field
inline constexpr chain::Slot<18> gy;
inline constexpr chain::Slot<19> gz;

inline constexpr chain::Reach next{{}, {1, 1, 1}};
inline constexpr chain::Reach before{{-1, -1, -1}, {}};

/// The medium's gradient by the electric fields' update, and the cotangents of the magnetic ones.
struct Medium {
  static constexpr const char* name = "adjoint-maxwell-medium";
  static constexpr std::array accesses{
      read(hx, before), read(hy, before), read(hz, before), read(eps, next), read(by_ex),
      read(by_ey),      read(by_ez),      write(rx),        write(ry),       write(rz),
      write(gx),        write(gy),        write(gz)};
  static constexpr double flops = 3 * 10;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto e = at(hx);
    const auto f = at(hy);
    const auto g = at(hz);
    const auto here = at(eps);
    const auto light_x = 1 / (here + at(eps, 1));
    const auto light_y = 1 / (here + at(eps, 0, 1));
    const auto light_z = 1 / (here + at(eps, 0, 0, 1));
    const auto part_x = 2 * light_x * at(by_ex);
    const auto part_y = 2 * light_y * at(by_ey);
    const auto part_z = 2 * light_z * at(by_ez);
    at.set(rx, part_x);
    at.set(ry, part_y);
    at.set(rz, part_z);
    at.set(gx, light_x * part_x * (z * (f - at(hy, 0, 0, -1)) - y * (g - at(hz, 0, -1))));
    at.set(gy, light_y * part_y * (x * (g - at(hz, -1)) - z * (e - at(hx, 0, 0, -1))));
    at.set(gz, light_z * part_z * (y * (e - at(hx, 0, -1)) - x * (f - at(hy, -1))));
  }
};

struct Magnetic {
  static constexpr const char* name = "adjoint-maxwell-magnetic";
  static constexpr std::array accesses{read(rx, next),
                                       read(ry, next),
                                       read(rz, next),
                                       read(gx, chain::along_x(-1, 0)),
                                       read(gy, chain::along_y(-1, 0)),
                                       read(gz, chain::along_z(-1, 0)),
                                       read(by_hx),
                                       read(by_hy),
                                       read(by_hz),
                                       read(by_eps),
                                       write(by_hx),
                                       write(by_hy),
                                       write(by_hz),
                                       write(by_eps)};
  static constexpr double flops = 3 * 8;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto e = at(rx);
    const auto f = at(ry);
    const auto g = at(rz);
    at.set(by_hx, at(by_hx) + y * (at(rz, 0, 1) - g) - z * (at(ry, 0, 0, 1) - f));
    at.set(by_hy, at(by_hy) + z * (at(rx, 0, 0, 1) - e) - x * (at(rz, 1) - g));
    at.set(by_hz, at(by_hz) + x * (at(ry, 1) - f) - y * (at(rx, 0, 1) - e));
    at.set(by_eps,
           at(by_eps) + (at(gx) + at(gx, -1) + at(gy) + at(gy, 0, -1) + at(gz) + at(gz, 0, 0, -1)));
  }
};

struct Electric {
  static constexpr const char* name = "adjoint-maxwell-electric";
  static constexpr std::array accesses{
      read(by_hx, before), read(by_hy, before), read(by_hz, before), read(by_ex), read(by_ey),
      read(by_ez),         write(by_ex),        write(by_ey),        write(by_ez)};
  static constexpr double flops = 3 * 6;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto e = at(by_hx);
    const auto f = at(by_hy);
    const auto g = at(by_hz);
    at.set(by_ex, at(by_ex) + z * (f - at(by_hy, 0, 0, -1)) - y * (g - at(by_hz, 0, -1)));
    at.set(by_ey, at(by_ey) + x * (g - at(by_hz, -1)) - z * (e - at(by_hx, 0, 0, -1)));
    at.set(by_ez, at(by_ez) + y * (e - at(by_hx, 0, -1)) - x * (f - at(by_hy, -1)));
  }
};

} // namespace maxwell_adjoint

struct MaxwellAdjoint {
  static constexpr const char* name = "adjoint-maxwell";
  static constexpr std::array arrays{
      chain::input("ex"),     chain::input("ey"),      chain::input("ez"),
      chain::update("hx"),    chain::update("hy"),     chain::update("hz"),
      chain::input("eps"),    chain::update("by_ex"),  chain::update("by_ey"),
      chain::update("by_ez"), chain::update("by_hx"),  chain::update("by_hy"),
      chain::update("by_hz"), chain::update("by_eps"), chain::update("rx"),
      chain::update("ry"),    chain::update("rz"),     chain::update("gx"),
      chain::update("gy"),    chain::update("gz")};
  static constexpr std::array dimensions{chain::given(1), chain::given(1), chain::given(1)};
  /// The derivative by each array of the system, in the order of its arrays.
  static constexpr std::array derivatives{7, 8, 9, 10, 11, 12, 13};
  static constexpr std::array of_neighbours{17, 18, 19};
  std::tuple<maxwell_system::Magnetic, maxwell_adjoint::Medium, maxwell_adjoint::Magnetic,
             maxwell_adjoint::Electric>
      operations;

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    std::apply([&](auto&... op) { (set(op), ...); }, operations);
  }
};

struct MaxwellAdjointEntry : AdjointEntry<MaxwellAdjoint> {
  static constexpr const char* of = MaxwellEntry::name;
};

namespace built_in {
using maxwell_adjoint = Adjoints<MaxwellAdjointEntry>;
}

} // namespace ridge::lab
