// A lattice Boltzmann method among the built-in systems: D3Q19, BGK, solids that bounce back.
//
// Populations are kept less their weights, which leaves fp32 more digits (P. Skordos, Phys. Rev. E
// 48, 1993). A step pulls them from the neighbours they come from, then collides. In a solid point,
// which is known by its population at rest, they turn round instead: walls lie half-way between
// solid and fluid points. What turns round in a solid point is the fluid's: it begins with what the
// fluid beside it sends, so a fluid at rest stays so at any density. A force shifts the velocity of
// the equilibrium (X. Shan and H. Chen, Phys. Rev. E 47, 1993). In units of the lattice: spacing
// and step are 1, viscosity is (tau - 1/2) / 3.
//
// Arrays between steps have collided: their momentum is that of the fluid and half of the force.
#pragma once

#include <ridge/chain/system/by_step.hpp>
#include <ridge/chain/system/number.hpp>
#include <ridge/lab/kernels/chain_boltzmann_walls.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>

namespace ridge::lab {

namespace boltzmann_system {

inline constexpr double solid = -1; ///< what a solid point has for a population at rest

/// Where population i comes from.
constexpr chain::Reach pulled(int i) {
  const chain::Offset& c = velocities[i];
  return {{-c.x, -c.y, -c.z}, {-c.x, -c.y, -c.z}};
}
inline constexpr auto all_accesses = [] {
  std::array<chain::Access, 2 * directions> all{};
  for (int i = 0; i < directions; ++i) {
    all[static_cast<std::size_t>(i)] = {i, false, false, pulled(i)};
    all[static_cast<std::size_t>(directions + i)] = {directions + i, true, false, {}};
  }
  return all;
}();

/// c . u for direction I.
template <int I, class V>
RIDGE_FN V along(const V& x, const V& y, const V& z) {
  constexpr chain::Offset c = velocities[I];
  V sum(0);
  if constexpr (c.x == 1) sum = x;
  if constexpr (c.x == -1) sum = -1 * x;
  if constexpr (c.y == 1) sum += y;
  if constexpr (c.y == -1) sum -= y;
  if constexpr (c.z == 1) sum += z;
  if constexpr (c.z == -1) sum -= z;
  return sum;
}

/// The sum of all populations times a component of their velocities; Axis 3: of all populations.
template <int Axis, class V, int... I>
RIDGE_FN V moment(const V* f, std::integer_sequence<int, I...>) {
  V sum(0);
  const auto add = [&]<int K>(std::integral_constant<int, K>) {
    constexpr int c = Axis == 3 ? 1 : velocities[K].along(Axis % 3);
    if constexpr (c == 1) sum += f[K];
    if constexpr (c == -1) sum -= f[K];
  };
  (add(std::integral_constant<int, I>{}), ...);
  return sum;
}

/// Population I in equilibrium, less its weight; `more` is the density less 1.
template <int I, class V>
RIDGE_FN V equilibrium(const V& more, const V& x, const V& y, const V& z, const V& square) {
  const V cu = along<I>(x, y, z);
  return weight(I) * (more + (1 + more) * (cu * (3 + 4.5 * cu) - square));
}

/// Number: double, or chain::ByStep.
template <class Number>
struct Collide {
  static constexpr const char* name = "lbm-collision";
  static constexpr auto accesses = all_accesses;
  static constexpr double flops = 270;
  Number tau{0.8};
  Number force_x{0}, force_y{0}, force_z{0};

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    collide(at, std::make_integer_sequence<int, directions>{});
  }

private:
  template <class At, int... I>
  RIDGE_FN void collide(const At& at, std::integer_sequence<int, I...> all) const {
    using V = typename At::Value;
    const V f[directions] = {
        at(chain::Slot<I>{}, -velocities[I].x, -velocities[I].y, -velocities[I].z)...};
    const V more = moment<3>(f, all);
    const V over = V(1) / (1 + more);
    const double time = chain::now(tau);
    const V x = (moment<0>(f, all) + time * chain::now(force_x)) * over;
    const V y = (moment<1>(f, all) + time * chain::now(force_y)) * over;
    const V z = (moment<2>(f, all) + time * chain::now(force_z)) * over;
    const V square = 1.5 * (x * x + y * y + z * z);
    const auto turns = f[0] < solid / 2;
    const double part = 1 / time;
    (at.set(chain::Slot<directions + I>{},
            select(turns, f[opposite(I)],
                   f[I] + part * (equilibrium<I>(more, x, y, z, square) - f[I]))),
     ...);
  }
};

} // namespace boltzmann_system

template <class Number>
struct LatticeBoltzmannOf {
  static constexpr const char* name = "lbm-d3q19";
  static constexpr int directions = boltzmann_system::directions;
  static constexpr std::array arrays = [] {
    constexpr std::array<const char*, 2 * directions> names{
        "f0",  "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8",  "f9",  "f10", "f11", "f12",
        "f13", "f14", "f15", "f16", "f17", "f18", "g0",  "g1",  "g2",  "g3",  "g4",  "g5",  "g6",
        "g7",  "g8",  "g9",  "g10", "g11", "g12", "g13", "g14", "g15", "g16", "g17", "g18"};
    std::array<chain::Array, 2 * directions> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i < directions ? chain::input(names[i]) : chain::output(names[i]);
    return all;
  }();
  static constexpr std::array dimensions{chain::given(1), chain::given(1), chain::given(1)};
  std::tuple<boltzmann_system::Collide<Number>> operations;

  static constexpr auto swaps = [] {
    std::array<std::array<int, 2>, directions> all{};
    for (int i = 0; i < directions; ++i)
      all[static_cast<std::size_t>(i)] = {i, directions + i};
    return all;
  }();
  static constexpr std::array<chain::SystemField, 5> given{
      {{"rho", 1}, {"ux", 0}, {"uy", 0}, {"uz", 0}, {"solid", 0}}};
  static constexpr std::array<const char*, 4> looks{"rho", "ux", "uy", "uz"};
  static constexpr double amplitude = 0.02;
  static constexpr bool only_periodic = true;

  [[nodiscard]] const auto& collide() const { return std::get<0>(operations); }
  [[nodiscard]] std::array<double, 3> half_force() const {
    return {chain::now(collide().force_x) / 2, chain::now(collide().force_y) / 2,
            chain::now(collide().force_z) / 2};
  }

  void start(const double* from, double* f) const {
    fill(from, f, std::make_integer_sequence<int, directions>{});
  }
  template <class Beside>
  void start_beside(const Beside& at, double* f) const {
    if (!is_solid(f)) return;
    for (int i = 1; i < directions; ++i) {
      const double* const beside = at(boltzmann_system::velocities[i]);
      f[i] = is_solid(beside) ? 0 : beside[boltzmann_system::opposite(i)];
    }
  }
  void look(const double* f, double* to) const {
    constexpr std::make_integer_sequence<int, directions> all{};
    const bool wall = is_solid(f);
    const double density = 1 + (wall ? 0 : boltzmann_system::moment<3>(f, all));
    const std::array<double, 3> half = half_force();
    const double momentum[3] = {boltzmann_system::moment<0>(f, all),
                                boltzmann_system::moment<1>(f, all),
                                boltzmann_system::moment<2>(f, all)};
    to[0] = density;
    for (std::size_t d = 0; d < 3; ++d)
      to[1 + d] = wall ? 0 : (momentum[d] - half[d]) / density;
  }
  template <class Each>
  void for_each_number(const Each& each) {
    auto& op = std::get<0>(operations);
    each("tau", op.tau, chain::above(0.5),
         "relaxation time in steps; the viscosity is (tau - 1/2) / 3");
    each("force_x", op.force_x, chain::any_number, "force on a point along x");
    each("force_y", op.force_y, chain::any_number, "force on a point along y");
    each("force_z", op.force_z, chain::any_number, "force on a point along z");
  }

private:
  static bool is_solid(const double* f) { return f[0] < boltzmann_system::solid / 2; }
  template <int... I>
  void fill(const double* from, double* f, std::integer_sequence<int, I...> /*all*/) const {
    const std::array<double, 3> half = half_force();
    const double x = from[1] + half[0] / from[0];
    const double y = from[2] + half[1] / from[0];
    const double z = from[3] + half[2] / from[0];
    const double square = 1.5 * (x * x + y * y + z * z);
    ((f[I] = boltzmann_system::equilibrium<I>(from[0] - 1, x, y, z, square)), ...);
    if (from[4] > 0.5) {
      ((f[I] = 0), ...);
      f[0] = boltzmann_system::solid;
    }
  }
};

using LatticeBoltzmann = LatticeBoltzmannOf<double>;

struct LatticeBoltzmannEntry : SystemEntry<LatticeBoltzmann> {
  static constexpr const char* name = "lbm-d3q19";
  static constexpr const char* meaning =
      "a fluid of 19 populations a point (D3Q19, BGK), with solids that bounce back";
  static LatticeBoltzmannOf<chain::ByStep> by_steps() { return {}; }
};

namespace built_in {
using lattice_boltzmann = Systems<LatticeBoltzmannEntry>;
}

} // namespace ridge::lab
