#include "steps.hpp"

#include <ridge/core/error.hpp>

#include "core/refuse.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::atmosphere {

namespace {

// Of implicit steps: the wind along z that they count with, m/s, and the part of the limits of
// sound along x and of the wind that is stable.
constexpr double fastest_wind = 75;
constexpr double implicit_part = 1.25 / 1.5;
constexpr Index least_cells = 4; ///< that interpolation takes along a direction
/// Rows a rank from which on halos serve both sweeps along z that follow each other: one exchange
/// every other step, for at most 5 % more cells in them.
constexpr Index rows_for_deep_halos = 40 * reach;

/// The stages of a sweep are shorter steps from the same state.
constexpr std::array<double, 3> stage_parts{1.0 / 3, 1.0 / 2, 1.0};

/// How much of the acoustic terms along z is at the end of a stage: all, which damps sound. With
/// 0.55 of it steps above 0.7 of the limit along x grew without bound.
constexpr double implicitness = 1;

Forcing forcing_of(const Setup& s, double dx, double dz) {
  if (s.which != Case::gravity_waves) return {0, 0, 0, 1, 1};
  return {0.01, 2500 / dx, 1000 / dz, dx / 500, dz / 500};
}

template <class F, class A, int K = 0, class Sweep>
void set_stages(Sweep& sweep, F&& flux, A&& advance) {
  if constexpr (K < 6) {
    const double part = stage_parts[K / 2];
    flux(std::get<K>(sweep.operations), part);
    advance(std::get<K + 1>(sweep.operations), part);
    set_stages<F, A, K + 2>(sweep, std::forward<F>(flux), std::forward<A>(advance));
  }
}

} // namespace

double stable_step(const Setup& s) {
  const double dx = s.dx();
  const double dz = s.dz();
  const double of_flow =
      s.implicit ? implicit_part * atmosphere::stable_step(dx, dz * fastest / fastest_wind)
                 : atmosphere::stable_step(dx, dz);
  if (!s.viscous()) return of_flow;
  return std::min(of_flow, 0.5 / (s.box.viscosity * (1 / (dx * dx) + 1 / (dz * dz))));
}

ViscousStep viscous_step(const Setup& s, double step) {
  ViscousStep made{};
  auto& viscosity = std::get<0>(made.operations);
  viscosity.part_x = s.box.viscosity * step / (s.dx() * s.dx());
  viscosity.part_z = s.box.viscosity * step / (s.dz() * s.dz());
  return made;
}

SweepX sweep_x(const Setup& s, double step, Index first_row) {
  const double dx = s.dx();
  const double dz = s.dz();
  SweepX sweep{};
  set_stages(
      sweep,
      [&](auto& flux, double part) {
        flux.viscosity = -diffusion * dx / (16 * step * part);
        flux.inject_z = 7500 / dz - 0.5;
        flux.inject_rows = s.which == Case::injection ? 625 / dz : -1;
        flux.first_row = first_row;
      },
      [&](auto& advance, double part) {
        advance.step = step * part;
        advance.over_size = step * part / dx;
        advance.forcing = forcing_of(s, dx, dz);
        advance.first_row = first_row;
      });
  return sweep;
}

SweepZ sweep_z(const Setup& s, const Profiles& p, double step, Index first_row) {
  const double dx = s.dx();
  const double dz = s.dz();
  SweepZ sweep{};
  set_stages(
      sweep,
      [&](auto& flux, double part) {
        flux.viscosity = -diffusion * dz / (16 * step * part);
        for (std::size_t i = 0; i < 2; ++i) {
          flux.below[i] = p.below[i];
          flux.above[i] = p.above[i];
        }
      },
      [&](auto& advance, double part) {
        advance.step = step * part;
        advance.over_size = step * part / dz;
        advance.forcing = forcing_of(s, dx, dz);
        advance.first_row = first_row;
      });
  return sweep;
}

ImplicitStage implicit_stage(const Setup& s, const Profiles& p, double step, std::size_t number) {
  const double dx = s.dx();
  const double dz = s.dz();
  const double part = step * stage_parts[number];
  ImplicitStage stage{};
  auto& flux_x = std::get<0>(stage.operations);
  flux_x.viscosity = -diffusion * dx / (16 * part);
  flux_x.inject_z = 7500 / dz - 0.5;
  flux_x.inject_rows = s.which == Case::injection ? 625 / dz : -1;
  auto& flux_z = std::get<1>(stage.operations);
  flux_z.viscosity = -diffusion * dz / (16 * part);
  for (std::size_t i = 0; i < 2; ++i) {
    flux_z.below[i] = p.below[i];
    flux_z.above[i] = p.above[i];
  }
  auto& right = std::get<2>(stage.operations);
  right.step = part;
  right.over_size_x = part / dx;
  right.over_size_z = part / dz;
  right.forcing = forcing_of(s, dx, dz);
  const Acoustics acoustics{implicitness * part / dz, implicitness * part * gravity};
  std::get<3>(stage.operations).acoustics = acoustics;
  std::get<5>(stage.operations).acoustics = acoustics;
  return stage;
}

const Setup& checked(const Setup& s, int ranks) {
  refuse_if(s.nx < least_cells || s.nz < least_cells,
            "{}x{} cells are too few; the interpolation takes at least {} along x and along z",
            s.nx, s.nz, least_cells);
  const auto [length, height, viscosity] = s.box;
  refuse_if(!(length > 0 && std::isfinite(length)), "a length of {} m: a positive number is right",
            length);
  refuse_if(!(height > 0 && std::isfinite(height) && height < top_of(s.which)),
            "a height of {} m: more than 0 is right, and less than {:.0f} m, where this air ends",
            height, top_of(s.which));
  refuse_if(!(viscosity >= 0 && std::isfinite(viscosity)),
            "a viscosity of {} m^2/s: 0 or more is right", viscosity);
  refuse_if(s.viscous() && ranks > 1,
            "viscosity runs on one rank: start one, or set --viscosity 0");
  refuse_if(s.implicit && ranks > 1,
            "implicit steps solve for whole columns: start one rank, or leave --implicit out");
  refuse_if(
      ranks > 1 && s.nz / ranks < reach,
      "{} rows of cells are too few for {} ranks: each must own at least {}; start at most {}",
      s.nz, ranks, reach, std::max<Index>(1, s.nz / reach));
  refuse_if(s.nz > (Index{1} << 30), "{} cells along z are too many", s.nz);
  const double stable = stable_step(s);
  if (s.step && !(*s.step > 0 && *s.step <= stable)) {
    throw UsageError(
        fmt::format("a time step of {} s is {}; for {}x{} cells steps of up to {:.6g} s "
                    "are stable",
                    *s.step, *s.step > 0 ? "beyond stability" : "no step", s.nx, s.nz, stable));
  }
  return s;
}

comm::Grid grid_of(const Setup& s, int ranks) {
  const Index rows = s.nz / ranks >= rows_for_deep_halos ? 2 * reach : reach;
  const comm::Reach around({{0, -rows, 0}, {0, rows, 0}});
  return {{s.nx, s.nz, 1}, {1, ranks, 1}, around};
}

bool is_graphed(const chain::Schedule& schedule) {
  const auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
  return gpu != nullptr && gpu->graph == chain::Graph::on;
}

chain::Schedule plain(chain::Schedule schedule, Index rows) {
  std::visit([&](auto& s) { s.tile.y = std::min(s.tile.y, rows); }, schedule);
  if (auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule)) gpu->graph = chain::Graph::off;
  return schedule;
}

} // namespace ridge::atmosphere
