#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/solve/grid/problem.hpp>
#include <ridge/solve/grid/schedule.hpp>

namespace ridge::lab {

/// Adds cycles of multigrid.
void add_multigrid(std::vector<BenchKernel>& kernels);

/// The equation that cycles are timed on: dirichlet faces unless the request has others.
[[nodiscard]] solve::GridProblem cycle_problem(const BenchRequest& request);

/// The cycle that a request names, of a grid of so many levels.
[[nodiscard]] solve::CycleSchedule cycle_of(const BenchRequest& request, std::size_t levels);

/// What a cycle's record says before it is timed; its size is still to be set. `levels`: points;
/// `bytes`: least ones.
[[nodiscard]] Record cycle_record(const Device& device, const std::vector<Index3>& levels,
                                  const solve::CycleSchedule& schedule, double bytes,
                                  std::size_t number_bytes);

/// Cycles over ranks. Throws UsageError for a grid of ranks that divides more than z.
[[nodiscard]] std::unique_ptr<RankCase> rank_multigrid_case(const BenchRequest& request,
                                                            comm::Communicator& ranks,
                                                            const std::string& grid);

} // namespace ridge::lab
