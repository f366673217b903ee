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
#include <ridge/core/quick_root.hpp>
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

/// A cell beside a face: `along` is the velocity through it, `across` that along it.
template <class V>
struct Cell {
  V bottom, surface, along, across;

  /// For faces whose normal is the other axis.
  [[nodiscard]] RIDGE_FN Cell turned() const { return {bottom, surface, across, along}; }
};
/// Twice the flow through a face from a to b. `push` is what b's side has in front of the face,
/// less what a's has: the pressures of the cells themselves cancel with those of the step in the
/// bottom.
template <class V>
struct Flux {
  V mass, along, across, push;
};

struct Step {
  static constexpr const char* name = "shallow-water-step";
  static constexpr chain::Reach cross{{-1, -1, 0}, {1, 1, 0}};
  static constexpr std::array accesses{read(h, cross),     read(hu, cross), read(hv, cross),
                                       write(next_h),      write(next_hu),  write(next_hv),
                                       read(bottom, cross)};
  static constexpr double flops = 4 * 31 + 5 * 5 + 26;
  double x = 0.05, y = 0.05; ///< half of dt / spacing
  chain::ByStep factor{1};   ///< of dt, where steps follow the flow
  double gravity = 9.81;
  double dry = 1e-6; ///< water less deep does not flow, and has no momentum

  template <class V>
  RIDGE_FN Cell<V> cell(const V& deep, const V& floor, const V& along, const V& across) const {
    const V reciprocal = select(deep > dry, quick_reciprocal(deep), V(0));
    return {floor, deep + floor, along * reciprocal, across * reciprocal};
  }

  template <class V>
  RIDGE_FN Flux<V> flux(const Cell<V>& a, const Cell<V>& b) const {
    const V step = quick_max(a.bottom, b.bottom);
    const V ha = quick_max(a.surface - step, V(0));
    const V hb = quick_max(b.surface - step, V(0));
    const V fastest = quick_max(abs(a.along) + quick_root(gravity * ha), //
                                abs(b.along) + quick_root(gravity * hb));
    const V qa = ha * a.along;
    const V qb = hb * b.along;
    const V jump = hb - ha; // 0 in a lake at rest, where all of this is
    const V from_a = qa + fastest * ha;
    const V from_b = qb - fastest * hb;
    return {qa + qb - fastest * jump, from_a * a.along + from_b * b.along,
            from_a * a.across + from_b * b.across, gravity * jump * (ha + hb)};
  }

  /// The flux through the face between a cell and the one before it along y.
  template <class V>
  using Handed = Flux<V>;
  template <class At>
  [[nodiscard]] RIDGE_FN auto before(const At& at) const {
    return flux(cell_at(at, 0, -1).turned(), cell_at(at, 0, 0).turned());
  }

  template <class At>
  RIDGE_FN void operator()(const At& at, Handed<typename At::Value>& handed) const {
    using V = typename At::Value;
    const Flux<V> south = handed;
    const Cell<V> here = cell_at(at, 0, 0);
    const Flux<V> west = flux(cell_at(at, -1, 0), here);
    const Flux<V> east = flux(here, cell_at(at, 1, 0));
    const Flux<V> north = flux(here.turned(), cell_at(at, 0, 1).turned());
    handed = north;
    const double of_dt = factor();
    const double along_x = of_dt * x;
    const double along_y = of_dt * y;
    at.set(next_h, at(h) - along_x * (east.mass - west.mass) - along_y * (north.mass - south.mass));
    // The momentum of a film that is too thin to flow would be a jet as soon as it is thicker.
    const auto flows = at(h) > dry;
    at.set(next_hu, select(flows, at(hu), V(0)) -
                        along_x * (east.along - west.along + 0.5 * (east.push + west.push)) -
                        along_y * (north.across - south.across));
    at.set(next_hv, select(flows, at(hv), V(0)) - along_x * (east.across - west.across) -
                        along_y * (north.along - south.along + 0.5 * (north.push + south.push)));
  }
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    auto handed = before(at);
    (*this)(at, handed);
  }

private:
  template <class At>
  [[nodiscard]] RIDGE_FN auto cell_at(const At& at, int dx, int dy) const {
    return cell<typename At::Value>(at(h, dx, dy), at(bottom, dx, dy), at(hu, dx, dy),
                                    at(hv, dx, dy));
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
    std::get<0>(operations).x = dt / (2 * spacing[0]);
    std::get<0>(operations).y = dt / (2 * spacing[1]);
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
