// What a setup's steps are: their lengths, the numbers of their sweeps, and how they are launched.
#pragma once

#include <ridge/atmosphere/implicit.hpp>
#include <ridge/atmosphere/viscous.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/device/kind.hpp>

#include "model.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>

namespace ridge::atmosphere {

constexpr Index reach = 6; ///< rows around a cell that a sweep along z needs: two a stage

/// The setup itself. Throws UsageError for one that cannot be stepped by so many ranks.
[[nodiscard]] const Setup& checked(const Setup& s, int ranks);

/// The largest stable step. Sound along z limits explicit ones alone.
[[nodiscard]] double stable_step(const Setup& s);

/// `first_row`: of the range that is swept.
[[nodiscard]] SweepX sweep_x(const Setup& s, double step, Index first_row);
[[nodiscard]] SweepZ sweep_z(const Setup& s, const Profiles& p, double step, Index first_row);
[[nodiscard]] ViscousStep viscous_step(const Setup& s, double step);
/// Stage 0, 1 or 2 of an implicit step.
[[nodiscard]] ImplicitStage implicit_stage(const Setup& s, const Profiles& p, double step,
                                           std::size_t number);

/// Rows among ranks.
[[nodiscard]] comm::Grid grid_of(const Setup& s, int ranks);

/// For a rank of `rows`. On the cpu the schedule is one rank's, whose tiles decide about last bits.
template <class Sweep>
chain::Schedule schedule_of(const Device& device, const Setup& s, Index rows) {
  const chain::Description d = chain::describe<Sweep, double>();
  const bool own = !std::is_same_v<Sweep, SweepX> && !s.schedule_z.empty();
  const std::string& text = own ? s.schedule_z : s.schedule;
  const Index3 n{s.nx, facts_of(device).takes_gpu_schedules ? rows : s.nz, 1};
  chain::Schedule schedule = chain::parse_schedule(text, device, d, n).schedule;
  if (auto* const cpu = std::get_if<chain::CpuSchedule>(&schedule))
    cpu->tile.y = std::min(cpu->tile.y, rows);
  // Launches of a whole sweep are short, and steps repeat.
  auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
  if (gpu != nullptr && text == "auto" && gpu->fuse == chain::fuse_all)
    gpu->graph = chain::Graph::on;
  return schedule;
}

[[nodiscard]] bool is_graphed(const chain::Schedule& schedule);
/// Of some rows, without a graph of its own: several sweeps share one.
[[nodiscard]] chain::Schedule plain(chain::Schedule schedule, Index rows);

} // namespace ridge::atmosphere
