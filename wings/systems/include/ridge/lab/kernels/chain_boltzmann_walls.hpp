// Points that are no fluid, beside a fluid of D3Q19 that pulls populations from them.
//
// A population of a solid point is no population but a code, in one number: where the wall crosses
// the link to the fluid, and how hard it pushes there. Codes lie far from what populations are. The
// rule is that of M. Bouzidi, M. Firdaouss and P. Lallemand, Phys. Fluids 13 (2001), with walls
// that move: half-way between two points it is the plain bounce-back of A. Ladd, J. Fluid Mech. 271
// (1994), which keeps mass. Codes of open points have the density there, which populations that
// turn round with the other sign keep (I. Ginzburg, F. Verhaeghe, D. d'Humieres, Commun. Comput.
// Phys. 3, 2008).
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/functions.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::lab::boltzmann_system {

inline constexpr int directions = 19;
/// Directions from 1 on come in pairs of opposite ones.
inline constexpr chain::Offset velocities[directions] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
constexpr int opposite(int i) {
  return i == 0 ? 0 : i % 2 == 1 ? i + 1 : i - 1;
}
constexpr double weight(int i) {
  return i == 0 ? 1.0 / 3 : i < 7 ? 1.0 / 18 : 1.0 / 36;
}

/// Populations at rest of points that are no fluid: less than this by a body's number, 1 or more.
inline constexpr double not_fluid = -1;
/// Codes of walls are below, those of open points above.
inline constexpr double highest_wall = -1.5, lowest_open = 32;

/// Solids of earlier versions, by their populations 0 and 1: what came in was under way in them.
inline bool is_old_solid(double rest, double first) {
  return rest < not_fluid / 2 && first > highest_wall && first < lowest_open;
}

/// A wall on a link: after `place` of 128 parts of the way from the fluid point, and what it adds
/// to a population that turns round there. Half-way has the code with the most digits.
struct WallOnLink {
  static constexpr int parts = 128;
  static constexpr double push_scale = 8;
  int place = parts / 2; ///< 1 to 128
  double push = 0;       ///< less than 1/4 in size

  [[nodiscard]] double code() const {
    return push_scale * push - 4 * (1 + (place + parts / 2) % parts);
  }
  static WallOnLink of(double code) {
    const double turn = std::floor(0.5 - code / 4);
    const int number = static_cast<int>(turn) - 1;
    return {number > parts / 2 ? number - parts / 2 : number + parts / 2,
            (code + 4 * turn) / push_scale};
  }
  [[nodiscard]] double part() const { return static_cast<double>(place) / parts; }
};

/// The code of an open point with a density.
inline double open_code(double density) {
  return 64 + 16 * (density - 1);
}

/// A population that comes back from a wall: f = leaving * out + behind * (the one that leaves a
/// point further from the wall, or that goes away from it) + push.
struct Turned {
  double leaving = 1, behind = 0, push = 0;
  bool is_further = true; ///< `behind` is of the point further away

  /// `alone`: there is no fluid behind the point.
  static Turned at(const WallOnLink& wall, bool alone) {
    const double twice = 2 * wall.part();
    if (alone && twice < 1) return {1, 0, wall.push, true};
    if (twice < 1) return {twice, 1 - twice, wall.push, true};
    return {1 / twice, 1 - 1 / twice, wall.push / twice, false};
  }
};

/// Likewise for values: `code` of a wall, `out` leaves towards it, `away` leaves the other way, and
/// `further` leaves towards it from a point further away, or is a code.
template <class V>
RIDGE_FN V turned(const V& code, const V& out, const V& away, const V& further, double moves) {
  constexpr double parts = WallOnLink::parts;
  const V turn = floor(0.5 - 0.25 * code);
  const V twice =
      2 / parts * select(turn > parts / 2 + 1, turn - (parts / 2 + 1), turn + (parts / 2 - 1));
  const V push = moves / WallOnLink::push_scale * (code + 4 * turn);
  const auto alone = further < highest_wall || further > lowest_open;
  const V near = select(alone, out, twice * out + (1 - twice) * further);
  const V far = V(1) / max(twice, V(1));
  return select(twice < 1, near + push, far * (out + push) + (1 - far) * away);
}

/// Momentum that the fluid of a point gives to the bodies beside it in the next step: on each link
/// that a wall crosses its momentum before and after, less that of a fluid of density 1 at rest.
/// `at` has the populations of the point so far aside, as they are between steps. Calls add(body,
/// direction, array, aside, weight) for shares of a population, and with array -1 for what adds to
/// them.
template <class Beside, class Add>
void for_each_force(const Beside& at, double moves, const Add& add) {
  const auto is_fluid = [&](const chain::Offset& aside) { return at(aside)[0] > not_fluid / 2; };
  if (!is_fluid({})) return;
  for (int i = 1; i < directions; ++i) {
    const int out = opposite(i);
    const double* const there = at(velocities[out]);
    if (is_fluid(velocities[out]) || there[i] > highest_wall) continue;
    const Turned back = Turned::at(WallOnLink::of(there[i]), !is_fluid(velocities[i]));
    const int body = static_cast<int>(std::lround(there[0] / not_fluid));
    const chain::Offset to = velocities[out];
    add(body, to, out, chain::Offset{}, 1 + back.leaving);
    if (back.behind != 0) {
      back.is_further ? add(body, to, out, velocities[i], back.behind)
                      : add(body, to, i, chain::Offset{}, back.behind);
    }
    if (back.push != 0) add(body, to, -1, chain::Offset{}, moves * back.push);
  }
}

} // namespace ridge::lab::boltzmann_system
