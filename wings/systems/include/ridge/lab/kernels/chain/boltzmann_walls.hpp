// A lattice Boltzmann method among the built-in systems, D3Q19, whose walls may move and lie
// anywhere between two points. lattice_boltzmann.hpp is faster by reading each population once.
//
// Populations are kept less their weights, which leaves fp32 more digits (P. Skordos, Phys. Rev. E
// 48, 1993). A step pulls them from the neighbours they come from, then collides. That which comes
// from a point that is no fluid is a code (chain_boltzmann_walls.hpp): the population that left
// towards it turns round, so walls and open faces lie between the points, and nothing is under way
// in them. A force shifts the velocity of the equilibrium (X. Shan and H. Chen, Phys. Rev. E 47,
// 1993). Moments that are odd have a relaxation time of their own (I. Ginzburg et al., Commun.
// Comput. Phys. 3, 2008). In units of the lattice: spacing and step are 1, viscosity is (tau - 1/2)
// / 3.
//
// Arrays between steps have collided: their momentum is that of the fluid and half of the force.
#pragma once

#include <ridge/chain/system/by_step.hpp>
#include <ridge/chain/system/number.hpp>
#include <ridge/lab/kernels/chain/lattice_boltzmann.hpp>
#include <ridge/lab/kernels/chain_boltzmann_walls.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>

namespace ridge::lab {

namespace boltzmann_walls_system {

using boltzmann_system::along, boltzmann_system::directions, boltzmann_system::equilibrium,
    boltzmann_system::highest_wall, boltzmann_system::lowest_open, boltzmann_system::moment,
    boltzmann_system::not_fluid, boltzmann_system::opposite, boltzmann_system::turned,
    boltzmann_system::velocities, boltzmann_system::weight;

/// Where population i comes from; at walls it is the point itself.
constexpr chain::Reach pulled_or_own(int i) {
  const chain::Offset& c = velocities[i];
  return {{std::min(-c.x, 0), std::min(-c.y, 0), std::min(-c.z, 0)},
          {std::max(-c.x, 0), std::max(-c.y, 0), std::max(-c.z, 0)}};
}
inline constexpr auto with_own = [] {
  std::array<chain::Access, 2 * directions> all{};
  for (int i = 0; i < directions; ++i) {
    all[static_cast<std::size_t>(i)] = {i, false, false, pulled_or_own(i)};
    all[static_cast<std::size_t>(directions + i)] = {directions + i, true, false, {}};
  }
  return all;
}();

/// Number: double, or chain::ByStep.
template <class Number>
struct Collide {
  static constexpr const char* name = "lbm-walls-collision";
  static constexpr auto accesses = with_own;
  static constexpr double flops = 330;
  Number tau{0.8};
  Number force_x{0}, force_y{0}, force_z{0};
  Number magic{0};
  Number moves{1};

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    collide(at, std::make_integer_sequence<int, directions>{});
  }

  /// The rate of odd moments.
  [[nodiscard]] RIDGE_FN double odd_time() const {
    const double time = chain::now(tau);
    const double product = chain::now(magic);
    return product > 0 ? 0.5 + product / (time - 0.5) : time;
  }

private:
  template <class At, int... I>
  RIDGE_FN void collide(const At& at, std::integer_sequence<int, I...> all) const {
    using V = typename At::Value;
    V f[directions] = {
        at(chain::Slot<I>{}, -velocities[I].x, -velocities[I].y, -velocities[I].z)...};
    const auto is_solid = f[0] < not_fluid / 2;
    V least = f[1];
    V most = f[1];
    ((least = min(least, f[I]), most = max(most, f[I])), ...);
    if (any(least < highest_wall) || any(most > lowest_open)) turn_round(at, f, all);
    const V more = moment<3>(f, all);
    const V over = V(1) / (1 + more);
    const double odd = odd_time();
    const V x = (moment<0>(f, all) + odd * chain::now(force_x)) * over;
    const V y = (moment<1>(f, all) + odd * chain::now(force_y)) * over;
    const V z = (moment<2>(f, all) + odd * chain::now(force_z)) * over;
    const V square = 1.5 * (x * x + y * y + z * z);
    const double part = 0.5 / chain::now(tau) + 0.5 / odd;
    const double across = 0.5 / chain::now(tau) - 0.5 / odd;
    const V lacks[directions] = {equilibrium<I>(more, x, y, z, square) - f[I]...};
    ((f[I] = f[I] + part * lacks[I] + across * lacks[opposite(I)]), ...);
    if (any(is_solid)) ((f[I] = select(is_solid, at(chain::Slot<I>{}), f[I])), ...);
    (at.set(chain::Slot<directions + I>{}, f[I]), ...);
  }

  /// Replaces codes among pulled populations by those that come back.
  template <class At, int... I>
  RIDGE_FN void turn_round(const At& at, typename At::Value* f,
                           std::integer_sequence<int, I...> all) const {
    using V = typename At::Value;
    const double speed = chain::now(moves);
    const V own[directions] = {at(chain::Slot<I>{})...};
    const V pulled[directions] = {f[I]...};
    const V density = 1 + moment<3>(own, all);
    const V x = moment<0>(own, all) / density;
    const V y = moment<1>(own, all) / density;
    const V z = moment<2>(own, all) / density;
    const V square = 1.5 * (x * x + y * y + z * z);
    const auto one = [&]<int K>(std::integral_constant<int, K>) {
      constexpr int o = opposite(K);
      const V cu = along<K>(x, y, z);
      const V outside = 1 + (pulled[K] - 64) / 16;
      const V opened = 2 * weight(K) * (outside * (1 + 4.5 * cu * cu - square) - 1) - own[o];
      const V back = turned(pulled[K], own[o], own[K], pulled[o], speed);
      f[K] = select(pulled[K] > lowest_open, opened,
                    select(pulled[K] < highest_wall, back, pulled[K]));
    };
    (one(std::integral_constant<int, I>{}), ...);
  }
};

} // namespace boltzmann_walls_system

template <class Number>
struct BoltzmannWallsOf {
  static constexpr const char* name = "lbm-walls";
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
  std::tuple<boltzmann_walls_system::Collide<Number>> operations;

  static constexpr auto swaps = [] {
    std::array<std::array<int, 2>, directions> all{};
    for (int i = 0; i < directions; ++i)
      all[static_cast<std::size_t>(i)] = {i, directions + i};
    return all;
  }();
  static constexpr std::array<chain::SystemField, 9> given{{{"rho", 1},
                                                            {"ux", 0},
                                                            {"uy", 0},
                                                            {"uz", 0},
                                                            {"solid", 0},
                                                            {"distance", 0},
                                                            {"wall_ux", 0},
                                                            {"wall_uy", 0},
                                                            {"wall_uz", 0}}};
  static constexpr std::array<const char*, 4> looks{"rho", "ux", "uy", "uz"};
  static constexpr double amplitude = 0.02;
  static constexpr bool only_periodic = true;
  static constexpr bool has_bodies = true;

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
      f[i] = f[is_open] > 0     ? boltzmann_system::open_code(f[density_there])
             : is_solid(beside) ? boltzmann_system::WallOnLink{}.code()
                                : wall_between(beside, f, i).code();
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
    each("magic", op.magic, chain::at_least(0),
         "(tau - 1/2) (tau' - 1/2), tau' of odd moments; 3/16 puts walls half-way; 0: tau' is tau");
    each("walls", op.moves, chain::any_number, "factor of wall_ux, wall_uy and wall_uz");
    each("force_x", op.force_x, chain::any_number, "force on a point along x");
    each("force_y", op.force_y, chain::any_number, "force on a point along y");
    each("force_z", op.force_z, chain::any_number, "force on a point along z");
  }

private:
  /// At the start arrays of the next step keep what else is known of a point.
  static constexpr int distance_there = directions, density_there = directions + 1,
                       is_open = directions + 2, velocity_there = directions + 3;

  static bool is_solid(const double* f) { return f[0] < boltzmann_system::not_fluid / 2; }
  /// Direction i goes from a wall's point to the fluid.
  static boltzmann_system::WallOnLink wall_between(const double* fluid, const double* wall, int i) {
    using namespace boltzmann_system;
    WallOnLink made;
    const double before = fluid[distance_there];
    const double behind = -wall[distance_there];
    if (before > 0 && behind > 0) {
      const double part = before / (before + behind);
      made.place =
          std::clamp(static_cast<int>(std::lround(part * WallOnLink::parts)), 1, WallOnLink::parts);
    }
    const chain::Offset& c = velocities[i];
    const double* const u = wall + velocity_there;
    made.push = 6 * weight(i) * wall[density_there] * (c.x * u[0] + c.y * u[1] + c.z * u[2]);
    return made;
  }
  template <int... I>
  void fill(const double* from, double* f, std::integer_sequence<int, I...> /*all*/) const {
    const std::array<double, 3> half = half_force();
    const double x = from[1] + half[0] / from[0];
    const double y = from[2] + half[1] / from[0];
    const double z = from[3] + half[2] / from[0];
    const double square = 1.5 * (x * x + y * y + z * z);
    const bool wall = from[4] > 0.5;
    const bool open = from[4] < -0.5;
    ((f[I] = boltzmann_system::equilibrium<I>(from[0] - 1, x, y, z, square)), ...);
    // Numbers that nobody gives in walls count for nothing.
    const auto finite = [](double value, double other) {
      return value - value == 0 ? value : other;
    };
    const double density = finite(from[0], 1);
    f[distance_there] = finite(from[5], 0);
    f[density_there] = density > 0 ? density : 1;
    f[is_open] = open ? 1 : 0;
    for (int d = 0; d < 3; ++d)
      f[velocity_there + d] = finite(from[6 + d], 0);
    if (!wall && !open) return;
    ((f[I] = 0), ...);
    f[0] = boltzmann_system::not_fluid * (open ? 1 : std::max(1.0, std::round(from[4])));
  }
};

using BoltzmannWalls = BoltzmannWallsOf<double>;

struct BoltzmannWallsEntry : SystemEntry<BoltzmannWalls> {
  static constexpr const char* name = "lbm-walls";
  static constexpr const char* meaning =
      "a fluid of 19 populations a point (D3Q19), with walls that may move and open faces";
  static BoltzmannWallsOf<chain::ByStep> by_steps() { return {}; }
};

namespace built_in {
using boltzmann_walls = Systems<BoltzmannWallsEntry>;
}

} // namespace ridge::lab
