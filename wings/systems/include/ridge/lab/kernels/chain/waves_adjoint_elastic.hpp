// Adjoints of waves among the built-in systems: one step of `elastic`, transposed.
//
// Forward, with a = 2 dt / (rho + rho behind) and differences of order 4,
//
//   v += a div s,   s += lambda tr(g) + mu (g + g^T) with g = dt grad v,
//
// where div is the negative transpose of grad. With V and S for derivatives of a loss by v and s
// behind a step, those before it are
//
//   q = lambda tr(S) + mu (S + S^T) as the moduli act,   V += -dt div q,   r = a V,   S += -grad r,
//
// and what a modulus or a density is multiplied with goes to its derivative. Shear stresses count
// once in S.
#pragma once

#include <ridge/lab/kernels/chain/elastic.hpp>
#include <ridge/lab/kernels/chain_adjoint_entry.hpp>

namespace ridge::lab {

namespace elastic_adjoint {

using elastic_system::along;
using elastic_system::difference;

using elastic_system::lambda;
using elastic_system::mu;
using elastic_system::rho;
using elastic_system::sxx;
using elastic_system::sxy;
using elastic_system::sxz;
using elastic_system::syy;
using elastic_system::syz;
using elastic_system::szz;
using elastic_system::vx;
using elastic_system::vy;
using elastic_system::vz;
inline constexpr chain::Slot<12> by_vx;
inline constexpr chain::Slot<13> by_vy;
inline constexpr chain::Slot<14> by_vz;
inline constexpr chain::Slot<15> by_sxx;
inline constexpr chain::Slot<16> by_syy;
inline constexpr chain::Slot<17> by_szz;
inline constexpr chain::Slot<18> by_sxy;
inline constexpr chain::Slot<19> by_sxz;
inline constexpr chain::Slot<20> by_syz;
inline constexpr chain::Slot<21> by_rho;
inline constexpr chain::Slot<22> by_lambda;
inline constexpr chain::Slot<23> by_mu;
// First q and the parts of the derivative by mu, then r and those of the derivative by rho.
inline constexpr chain::Slot<24> qxx;
inline constexpr chain::Slot<25> qyy;
inline constexpr chain::Slot<26> qzz;
inline constexpr chain::Slot<27> qxy;
inline constexpr chain::Slot<28> qxz;
inline constexpr chain::Slot<29> qyz;
inline constexpr chain::Slot<30> gxy;
inline constexpr chain::Slot<31> gxz;
inline constexpr chain::Slot<32> gyz;
inline constexpr auto rx = qxx;
inline constexpr auto ry = qyy;
inline constexpr auto rz = qzz;
inline constexpr auto gx = gxy;
inline constexpr auto gy = gxz;
inline constexpr auto gz = gyz;

/// The moduli's gradient by the stresses' update, and the cotangents of the velocities.
struct Moduli {
  static constexpr const char* name = "adjoint-elastic-moduli";
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
                                       read(by_sxx),
                                       read(by_syy),
                                       read(by_szz),
                                       read(by_sxy),
                                       read(by_sxz),
                                       read(by_syz),
                                       read(by_lambda),
                                       read(by_mu),
                                       write(by_lambda),
                                       write(by_mu),
                                       write(qxx),
                                       write(qyy),
                                       write(qzz),
                                       write(qxy),
                                       write(qxz),
                                       write(qyz),
                                       write(gxy),
                                       write(gxz),
                                       write(gyz)};
  static constexpr double flops = 9 * 6 + 55;
  double x = 0.1, y = 0.1, z = 0.1; ///< dt / spacing
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto dx = x * difference<0, false>(at, vx);
    const auto dy = y * difference<1, false>(at, vy);
    const auto dz = z * difference<2, false>(at, vz);
    const auto xx = at(by_sxx);
    const auto yy = at(by_syy);
    const auto zz = at(by_szz);
    const auto trace = xx + yy + zz;
    const auto m = at(mu);
    at.set(by_lambda, at(by_lambda) + trace * (dx + dy + dz));
    at.set(by_mu, at(by_mu) + 2 * (xx * dx + yy * dy + zz * dz));
    const auto all = at(lambda) * trace;
    at.set(qxx, all + 2 * m * xx);
    at.set(qyy, all + 2 * m * yy);
    at.set(qzz, all + 2 * m * zz);
    const auto mx = at(mu, 1);
    const auto my = at(mu, 0, 1);
    const auto mz = at(mu, 0, 0, 1);
    const auto xy = 0.25 * at(by_sxy);
    const auto xz = 0.25 * at(by_sxz);
    const auto yz = 0.25 * at(by_syz);
    at.set(qxy, (m + mx + my + at(mu, 1, 1)) * xy);
    at.set(qxz, (m + mx + mz + at(mu, 1, 0, 1)) * xz);
    at.set(qyz, (m + my + mz + at(mu, 0, 1, 1)) * yz);
    at.set(gxy, xy * (y * difference<1, true>(at, vx) + x * difference<0, true>(at, vy)));
    at.set(gxz, xz * (z * difference<2, true>(at, vx) + x * difference<0, true>(at, vz)));
    at.set(gyz, yz * (z * difference<2, true>(at, vy) + y * difference<1, true>(at, vz)));
  }
};

struct Velocity {
  static constexpr const char* name = "adjoint-elastic-velocity";
  static constexpr std::array accesses{read(qxx, along<true>(0)),
                                       read(qyy, along<true>(1)),
                                       read(qzz, along<true>(2)),
                                       read(qxy, along<false>(0)),
                                       read(qxy, along<false>(1)),
                                       read(qxz, along<false>(0)),
                                       read(qxz, along<false>(2)),
                                       read(qyz, along<false>(1)),
                                       read(qyz, along<false>(2)),
                                       read(gxy, chain::Reach{{-1, -1, 0}, {}}),
                                       read(gxz, chain::Reach{{-1, 0, -1}, {}}),
                                       read(gyz, chain::Reach{{0, -1, -1}, {}}),
                                       read(by_vx),
                                       read(by_vy),
                                       read(by_vz),
                                       read(by_mu),
                                       write(by_vx),
                                       write(by_vy),
                                       write(by_vz),
                                       write(by_mu)};
  static constexpr double flops = 3 * 20 + 12;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(by_vx,
           at(by_vx) - (x * difference<0, true>(at, qxx) + y * difference<1, false>(at, qxy) +
                        z * difference<2, false>(at, qxz)));
    at.set(by_vy,
           at(by_vy) - (x * difference<0, false>(at, qxy) + y * difference<1, true>(at, qyy) +
                        z * difference<2, false>(at, qyz)));
    at.set(by_vz,
           at(by_vz) - (x * difference<0, false>(at, qxz) + y * difference<1, false>(at, qyz) +
                        z * difference<2, true>(at, qzz)));
    const auto of_xy = at(gxy) + at(gxy, -1) + at(gxy, 0, -1) + at(gxy, -1, -1);
    const auto of_xz = at(gxz) + at(gxz, -1) + at(gxz, 0, 0, -1) + at(gxz, -1, 0, -1);
    const auto of_yz = at(gyz) + at(gyz, 0, -1) + at(gyz, 0, 0, -1) + at(gyz, 0, -1, -1);
    at.set(by_mu, at(by_mu) + (of_xy + of_xz + of_yz));
  }
};

/// The densities' gradient by the velocities' update, and the cotangents of the stresses.
struct Density {
  static constexpr const char* name = "adjoint-elastic-density";
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
                                       read(by_vx),
                                       read(by_vy),
                                       read(by_vz),
                                       write(rx),
                                       write(ry),
                                       write(rz),
                                       write(gx),
                                       write(gy),
                                       write(gz)};
  static constexpr double flops = 3 * 24;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto here = at(rho);
    const auto light_x = 1 / (here + at(rho, 1));
    const auto light_y = 1 / (here + at(rho, 0, 1));
    const auto light_z = 1 / (here + at(rho, 0, 0, 1));
    const auto part_x = 2 * light_x * at(by_vx);
    const auto part_y = 2 * light_y * at(by_vy);
    const auto part_z = 2 * light_z * at(by_vz);
    at.set(rx, part_x);
    at.set(ry, part_y);
    at.set(rz, part_z);
    at.set(gx, -1 * (light_x * part_x) *
                   (x * difference<0, true>(at, sxx) + y * difference<1, false>(at, sxy) +
                    z * difference<2, false>(at, sxz)));
    at.set(gy, -1 * (light_y * part_y) *
                   (x * difference<0, false>(at, sxy) + y * difference<1, true>(at, syy) +
                    z * difference<2, false>(at, syz)));
    at.set(gz, -1 * (light_z * part_z) *
                   (x * difference<0, false>(at, sxz) + y * difference<1, false>(at, syz) +
                    z * difference<2, true>(at, szz)));
  }
};

struct Stress {
  static constexpr const char* name = "adjoint-elastic-stress";
  static constexpr std::array accesses{read(rx, along<false>(0)),
                                       read(rx, along<true>(1)),
                                       read(rx, along<true>(2)),
                                       read(ry, along<true>(0)),
                                       read(ry, along<false>(1)),
                                       read(ry, along<true>(2)),
                                       read(rz, along<true>(0)),
                                       read(rz, along<true>(1)),
                                       read(rz, along<false>(2)),
                                       read(gx, chain::along_x(-1, 0)),
                                       read(gy, chain::along_y(-1, 0)),
                                       read(gz, chain::along_z(-1, 0)),
                                       read(by_sxx),
                                       read(by_syy),
                                       read(by_szz),
                                       read(by_sxy),
                                       read(by_sxz),
                                       read(by_syz),
                                       read(by_rho),
                                       write(by_sxx),
                                       write(by_syy),
                                       write(by_szz),
                                       write(by_sxy),
                                       write(by_sxz),
                                       write(by_syz),
                                       write(by_rho)};
  static constexpr double flops = 9 * 6 + 12;
  double x = 0.1, y = 0.1, z = 0.1;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(by_sxx, at(by_sxx) - x * difference<0, false>(at, rx));
    at.set(by_syy, at(by_syy) - y * difference<1, false>(at, ry));
    at.set(by_szz, at(by_szz) - z * difference<2, false>(at, rz));
    at.set(by_sxy,
           at(by_sxy) - (y * difference<1, true>(at, rx) + x * difference<0, true>(at, ry)));
    at.set(by_sxz,
           at(by_sxz) - (z * difference<2, true>(at, rx) + x * difference<0, true>(at, rz)));
    at.set(by_syz,
           at(by_syz) - (z * difference<2, true>(at, ry) + y * difference<1, true>(at, rz)));
    at.set(by_rho,
           at(by_rho) + (at(gx) + at(gx, -1) + at(gy) + at(gy, 0, -1) + at(gz) + at(gz, 0, 0, -1)));
  }
};

} // namespace elastic_adjoint

struct ElasticAdjoint {
  static constexpr const char* name = "adjoint-elastic";
  static constexpr std::array arrays{
      chain::update("vx"),     chain::update("vy"),        chain::update("vz"),
      chain::input("sxx"),     chain::input("syy"),        chain::input("szz"),
      chain::input("sxy"),     chain::input("sxz"),        chain::input("syz"),
      chain::input("rho"),     chain::input("lambda"),     chain::input("mu"),
      chain::update("by_vx"),  chain::update("by_vy"),     chain::update("by_vz"),
      chain::update("by_sxx"), chain::update("by_syy"),    chain::update("by_szz"),
      chain::update("by_sxy"), chain::update("by_sxz"),    chain::update("by_syz"),
      chain::update("by_rho"), chain::update("by_lambda"), chain::update("by_mu"),
      chain::update("qxx"),    chain::update("qyy"),       chain::update("qzz"),
      chain::update("qxy"),    chain::update("qxz"),       chain::update("qyz"),
      chain::update("gxy"),    chain::update("gxz"),       chain::update("gyz")};
  static constexpr std::array dimensions{chain::given(2), chain::given(2), chain::given(2)};
  /// The derivative by each array of the system, in the order of its arrays.
  static constexpr std::array derivatives{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  static constexpr std::array of_neighbours{30, 31, 32};
  std::tuple<elastic_system::Velocity, elastic_adjoint::Moduli, elastic_adjoint::Velocity,
             elastic_adjoint::Density, elastic_adjoint::Stress>
      operations;

  void set_step(double dt, const std::array<double, 3>& h) {
    const auto set = [&](auto& op) { op.x = dt / h[0], op.y = dt / h[1], op.z = dt / h[2]; };
    std::apply([&](auto&... op) { (set(op), ...); }, operations);
  }
};

struct ElasticAdjointEntry : AdjointEntry<ElasticAdjoint> {
  static constexpr const char* of = ElasticEntry::name;
};

namespace built_in {
using elastic_adjoint = Adjoints<ElasticAdjointEntry>;
}

} // namespace ridge::lab
