// Elastic waves among the built-in systems: velocities and stresses on staggered points, of order 4
// in space and 2 in time (A. Levander, Geophysics 53, 1988).
//
//   rho dv/dt = div s,   ds/dt = lambda tr(grad v) + mu (grad v + (grad v)^T)
//
// Velocities lie half a point behind along their own axis, shear stresses along both of theirs;
// there the density and mu are means of their neighbours.
#pragma once

#include <ridge/chain/system/waves.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>

#include <cmath>

namespace ridge::lab {

namespace elastic_system {

inline constexpr chain::Slot<0> vx;
inline constexpr chain::Slot<1> vy;
inline constexpr chain::Slot<2> vz;
inline constexpr chain::Slot<3> sxx;
inline constexpr chain::Slot<4> syy;
inline constexpr chain::Slot<5> szz;
inline constexpr chain::Slot<6> sxy;
inline constexpr chain::Slot<7> sxz;
inline constexpr chain::Slot<8> syz;
inline constexpr chain::Slot<9> rho;
inline constexpr chain::Slot<10> lambda;
inline constexpr chain::Slot<11> mu;

/// The derivative along an axis, times the spacing: half a point behind the item where Behind, else
/// half a point before it.
template <int Axis, bool Behind, class At, int I>
RIDGE_FN auto difference(const At& at, chain::Slot<I> array) {
  const auto value = [&](int d) {
    return Axis == 0 ? at(array, d) : Axis == 1 ? at(array, 0, d) : at(array, 0, 0, d);
  };
  constexpr int shift = Behind ? 0 : -1;
  return fma(-1.0 / 24, value(2 + shift) - value(shift - 1),
             9.0 / 8 * (value(1 + shift) - value(shift)));
}
/// The items that it reads along an axis.
template <bool Behind>
constexpr chain::Reach along(int axis) {
  constexpr int low = Behind ? -1 : -2;
  return axis == 0   ? chain::along_x(low, low + 3)
         : axis == 1 ? chain::along_y(low, low + 3)
                     : chain::along_z(low, low + 3);
}

struct Velocity {
  static constexpr const char* name = "elastic-velocity";
  static constexpr std::array accesses{read(sxx, along<true>(0)),
                                       read(syy, along<true>(1)),
                                       read(szz, along<true>(2)),
                                       read(sxy, along<false>(0)),
                                       read(sxy, along<false>(1)),
                                       read(sxz, along<false>(0)),
                                       read(sxz, along<false>(2)),
                                       read(syz, along<false>(1)),
                                       read(syz, along<false>(2)),
                                       read(rho, chain::Reach{{}, {1, 1, 1}}),
                                       read(vx),
                                       read(vy),
                                       read(vz),
                                       write(vx),
                                       write(vy),
                                       write(vz)};
  static constexpr double flops = 3 * 21;
  static constexpr int lane_bytes = 8;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto here = at(rho);
    at.set(vx, at(vx) + 2 / (here + at(rho, 1)) *
                            fma(z, difference<2, false>(at, sxz),
                                fma(y, difference<1, false>(at, sxy),
                                    x * difference<0, true>(at, sxx))));
    at.set(vy, at(vy) + 2 / (here + at(rho, 0, 1)) *
                            fma(z, difference<2, false>(at, syz),
                                fma(y, difference<1, true>(at, syy),
                                    x * difference<0, false>(at, sxy))));
    at.set(vz, at(vz) + 2 / (here + at(rho, 0, 0, 1)) *
                            fma(z, difference<2, true>(at, szz),
                                fma(y, difference<1, false>(at, syz),
                                    x * difference<0, false>(at, sxz))));
  }
};

struct Stress {
  static constexpr const char* name = "elastic-stress";
  static constexpr std::array accesses{read(vx, along<false>(0)),
                                       read(vx, along<true>(1)),
                                       read(vx, along<true>(2)),
                                       read(vy, along<true>(0)),
                                       read(vy, along<false>(1)),
                                       read(vy, along<true>(2)),
                                       read(vz, along<true>(0)),
                                       read(vz, along<true>(1)),
                                       read(vz, along<false>(2)),
                                       read(lambda),
                                       read(mu, chain::Reach{{}, {1, 1, 1}}),
                                       read(sxx),
                                       read(syy),
                                       read(szz),
                                       read(sxy),
                                       read(sxz),
                                       read(syz),
                                       write(sxx),
                                       write(syy),
                                       write(szz),
                                       write(sxy),
                                       write(sxz),
                                       write(syz)};
  static constexpr double flops = 9 * 6 + 40;
  static constexpr int lane_bytes = 8;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto dx = difference<0, false>(at, vx);
    const auto dy = difference<1, false>(at, vy);
    const auto dz = difference<2, false>(at, vz);
    const auto m = at(mu);
    const auto all = fma(z, dz, fma(y, dy, x * dx));
    const auto first = at(lambda);
    at.set(sxx, fma(2 * x * m, dx, fma(first, all, at(sxx))));
    at.set(syy, fma(2 * y * m, dy, fma(first, all, at(syy))));
    at.set(szz, fma(2 * z * m, dz, fma(first, all, at(szz))));
    const auto mx = at(mu, 1);
    const auto my = at(mu, 0, 1);
    const auto mz = at(mu, 0, 0, 1);
    at.set(sxy, at(sxy) + 0.25 * (m + mx + my + at(mu, 1, 1)) *
                              fma(x, difference<0, true>(at, vy), y * difference<1, true>(at, vx)));
    at.set(sxz, at(sxz) + 0.25 * (m + mx + mz + at(mu, 1, 0, 1)) *
                              fma(x, difference<0, true>(at, vz), z * difference<2, true>(at, vx)));
    at.set(syz, at(syz) + 0.25 * (m + my + mz + at(mu, 0, 1, 1)) *
                              fma(y, difference<1, true>(at, vz), z * difference<2, true>(at, vy)));
  }
};

} // namespace elastic_system

struct Elastic {
  static constexpr const char* name = "elastic";
  static constexpr std::array arrays{
      chain::update("vx"),  chain::update("vy"),  chain::update("vz"),    chain::update("sxx"),
      chain::update("syy"), chain::update("szz"), chain::update("sxy"),   chain::update("sxz"),
      chain::update("syz"), chain::input("rho"),  chain::input("lambda"), chain::input("mu")};
  static constexpr std::array dimensions{chain::given(2), chain::given(2), chain::given(2)};
  std::tuple<elastic_system::Velocity, elastic_system::Stress> operations;

  static constexpr auto placements = [] {
    constexpr chain::Offset half[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}, {}, {},
                                      {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {}, {}, {}};
    std::array<chain::Placement, 12> all{};
    for (std::size_t a = 0; a < all.size(); ++a)
      all[a] = chain::placement_of(half[a]);
    return all;
  }();
  static constexpr std::array<double, 12> defaults{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1};
  static constexpr bool absorbs = true;
  static constexpr chain::FreeFaces free_faces{
      {0, 1, 2}, 10, 11, {{{3, 6, 7}, {6, 4, 8}, {7, 8, 5}}}};

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    set(std::get<0>(operations));
    set(std::get<1>(operations));
  }
  double speed(const double* at) const { return std::sqrt((at[10] + 2 * at[11]) / at[9]); }
  static constexpr std::array<double, 2> weights{9.0 / 8, -1.0 / 24};
  chain::WaveMedium medium(const double* at) const { return {at[10] + 2 * at[11], at[9], at[11]}; }
  double stable_step(const std::array<double, 3>& h, double largest) const {
    constexpr double sum = 9.0 / 8 + 1.0 / 24;
    return 1 /
           (largest * sum * std::sqrt(1 / (h[0] * h[0]) + 1 / (h[1] * h[1]) + 1 / (h[2] * h[2])));
  }
};

struct ElasticEntry : SystemEntry<Elastic> {
  static constexpr const char* name = "elastic";
  static constexpr const char* meaning =
      "elastic waves, order 4: velocities and stresses, a density "
      "and Lame's moduli";
};

namespace built_in {
using elastic = Systems<ElasticEntry>;
}

} // namespace ridge::lab
