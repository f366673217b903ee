// Shallow water among the built-in systems: depth and discharge over a bottom.
//
// Finite volumes of first order, explicit Euler, Rusanov's flux, and the hydrostatic reconstruction
// of E. Audusse et al., SIAM J. Sci. Comput. 25 (2004): a lake at rest stays at rest over any
// bottom, depths stay positive, and what leaves a cell enters its neighbour.
#pragma once

#include <ridge/chain/system/by_step.hpp>
#include <ridge/chain/system/follow.hpp>
#include <ridge/chain/system/number.hpp>
#include <ridge/chain/system/waves.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>

#include <cmath>

namespace ridge::lab {

namespace shallow_water_system {

inline constexpr chain::Slot<0> h;
inline constexpr chain::Slot<1> hu;
inline constexpr chain::Slot<2> hv;
inline constexpr chain::Slot<3> next_h;
inline constexpr chain::Slot<4> next_hu;
inline constexpr chain::Slot<5> next_hv;
inline constexpr chain::Slot<6> bottom;

/// A cell beside a face: `along` is the discharge through it, `across` that along it.
template <class V>
struct Cell {
  V depth, along, across, bottom;
};
/// The flow through a face from a to b, and the pressures of the step in the bottom on both sides.
template <class V>
struct Flux {
  V mass, along, across, from_a, from_b;
};

struct Step {
  static constexpr const char* name = "shallow-water-step";
  static constexpr chain::Reach cross{{-1, -1, 0}, {1, 1, 0}};
  static constexpr std::array accesses{read(h, cross),     read(hu, cross), read(hv, cross),
                                       write(next_h),      write(next_hu),  write(next_hv),
                                       read(bottom, cross)};
  static constexpr double flops = 4 * 45 + 30;
  double x = 0.1, y = 0.1; ///< dt / spacing
  chain::ByStep factor{1}; ///< of dt, where steps follow the flow
  double gravity = 9.81;
  double dry = 1e-6; ///< water less deep does not flow, and has no momentum

  template <class V>
  RIDGE_FN V velocity(const V& depth, const V& discharge) const {
    return select(depth > dry, discharge / max(depth, V(dry)), V(0));
  }

  template <class V>
  RIDGE_FN Flux<V> flux(const Cell<V>& a, const Cell<V>& b) const {
    const V step = max(a.bottom, b.bottom);
    const V ha = max(a.depth + a.bottom - step, V(0));
    const V hb = max(b.depth + b.bottom - step, V(0));
    const V ua = velocity(a.depth, a.along);
    const V ub = velocity(b.depth, b.along);
    const V va = velocity(a.depth, a.across);
    const V vb = velocity(b.depth, b.across);
    const V fastest = max(abs(ua) + sqrt(gravity * ha), abs(ub) + sqrt(gravity * hb));
    const V qa = ha * ua;
    const V qb = hb * ub;
    const double half_g = gravity / 2;
    Flux<V> f;
    f.mass = 0.5 * (qa + qb - fastest * (hb - ha));
    f.along = 0.5 * (qa * ua + half_g * ha * ha + qb * ub + half_g * hb * hb - fastest * (qb - qa));
    f.across = 0.5 * (qa * va + qb * vb - fastest * (hb * vb - ha * va));
    f.from_a = half_g * (a.depth * a.depth - ha * ha);
    f.from_b = half_g * (b.depth * b.depth - hb * hb);
    return f;
  }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::Value;
    const auto in_x = [&](int d) { return Cell<V>{at(h, d), at(hu, d), at(hv, d), at(bottom, d)}; };
    const auto in_y = [&](int d) {
      return Cell<V>{at(h, 0, d), at(hv, 0, d), at(hu, 0, d), at(bottom, 0, d)};
    };
    const Flux<V> west = flux(in_x(-1), in_x(0));
    const Flux<V> east = flux(in_x(0), in_x(1));
    const Flux<V> south = flux(in_y(-1), in_y(0));
    const Flux<V> north = flux(in_y(0), in_y(1));
    const double of_dt = factor();
    const double along_x = of_dt * x;
    const double along_y = of_dt * y;
    at.set(next_h, at(h) - along_x * (east.mass - west.mass) - along_y * (north.mass - south.mass));
    // The momentum of a film that is too thin to flow would be a jet as soon as it is thicker.
    const auto flows = at(h) > dry;
    at.set(next_hu, select(flows, at(hu), V(0)) -
                        along_x * (east.along + east.from_a - west.along - west.from_b) -
                        along_y * (north.across - south.across));
    at.set(next_hv, select(flows, at(hv), V(0)) - along_x * (east.across - west.across) -
                        along_y * (north.along + north.from_a - south.along - south.from_b));
  }
};

} // namespace shallow_water_system

struct ShallowWater {
  static constexpr const char* name = "shallow-water";
  static constexpr std::array arrays{chain::input("h"),        chain::input("hu"),
                                     chain::input("hv"),       chain::output("next_h"),
                                     chain::output("next_hu"), chain::output("next_hv"),
                                     chain::input("bottom")};
  static constexpr std::array dimensions{chain::given(1), chain::given(1)};
  std::tuple<shallow_water_system::Step> operations;

  static constexpr chain::Placement even{{}, {1, 1, 1}}, in_x{{}, {-1, 1, 1}}, in_y{{}, {1, -1, 1}};
  static constexpr std::array<chain::Placement, 7> placements{even, in_x, in_y, even,
                                                              in_x, in_y, even};
  static constexpr std::array<std::array<int, 2>, 3> swaps{{{0, 3}, {1, 4}, {2, 5}}};
  static constexpr std::array<double, 7> defaults{
      std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, 0, 0, 0};
  static constexpr std::array<double, 7> amplitudes{0.5, 0.3, 0.3, 0, 0, 0, 0.3};
  static constexpr std::array<double, 7> centres{1, 0, 0, 0, 0, 0, 0};

  template <class Each>
  void for_each_number(const Each& each) {
    auto& step = std::get<0>(operations);
    each("gravity", step.gravity, chain::above(0), "the acceleration of gravity");
    each("dry", step.dry, chain::at_least(0), "water less deep does not flow");
  }
  void set_step(double dt, const std::array<double, 3>& spacing) {
    std::get<0>(operations).x = dt / spacing[0];
    std::get<0>(operations).y = dt / spacing[1];
  }
  template <class Numbers>
  void set_numbers(const Numbers& numbers) {
    numbers.set(chain::factor_of_dt, std::get<0>(operations).factor);
  }
  double speed(const double* at) const {
    const double depth = at[0] > 0 ? at[0] : 0;
    const auto& step = std::get<0>(operations);
    const double flow = depth > step.dry ? std::hypot(at[1], at[2]) / depth : 0;
    return flow + std::sqrt(step.gravity * depth);
  }
  chain::FlowHeights heights(const double* at) const {
    const auto& step = std::get<0>(operations);
    if (!(at[0] > step.dry)) return {.ground = at[6]};
    const double flow = std::hypot(at[1], at[2]) / at[0];
    return {at[0] + at[6] + flow * flow / (2 * step.gravity), at[6]};
  }
  double falling(double height) const {
    return std::sqrt(std::get<0>(operations).gravity * height);
  }
  /// Water that falls onto a dry bed runs twice as fast as waves at the start.
  double stable_step(const std::array<double, 3>& spacing, double largest) const {
    return 1 / (2 * largest * (1 / spacing[0] + 1 / spacing[1]));
  }
};

struct ShallowWaterEntry : SystemEntry<ShallowWater> {
  static constexpr const char* name = "shallow-water";
  static constexpr const char* meaning =
      "water's depth and discharge over a bottom, two dimensions";
};

namespace built_in {
using shallow_water = Systems<ShallowWaterEntry>;
}

} // namespace ridge::lab
