// The launch that adds up what a reduction has left in memory.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/lattice/gpu/finish.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Threads for each result of a finishing launch: no more than there is to add up.
inline int finish_team(const Partials& p) {
  int team = finish_threads;
  while (team > 1 && team / 2 >= p.rows * p.words)
    team /= 2;
  return team;
}

template <class A, bool Partial = false>
Ready<FinishPass<A, Partial>> ready_finish(Queue& queue, const Partials& partials,
                                           const Results& results) {
  const int team = finish_team(partials);
  const Index teams = finish_threads / team;
  const Index blocks = ceil_div(results.count(partials.keys), teams);
  return {queue,
          {{static_cast<int>(blocks < 1 << 20 ? blocks : 1 << 20), 1, 1},
           {finish_threads, 1, 1},
           finish_threads * static_cast<int>(sizeof(A))},
          {partials, results, team}};
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
