// Blocks of a schedule.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/lattice/gpu/schedule.hpp>
#include <ridge/lattice/layout.hpp>

#include <algorithm>
#include <string>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Threads of a block: one for each lane of the schedule's groups. Throws UsageError beyond `most`,
/// those that the kernel is compiled for, or the schedule's bounds.
inline int block_threads(const GpuSchedule& s, const Geometry& g, int most) {
  const Index threads = Index{s.groups} * g.nsimd;
  const int allowed = std::min(most, s.bounds);
  if (threads > allowed) {
    throw UsageError("groups=" + std::to_string(s.groups) + " of " + std::to_string(g.nsimd) +
                     " lanes are " + std::to_string(threads) +
                     " threads; a block of this launch has at most " + std::to_string(allowed));
  }
  return static_cast<int>(threads);
}

/// Blocks of `threads` for `count` numbers; a thread that finds no more of its own goes on by the
/// whole grid.
inline LaunchShape striding_shape(Index count, int threads) {
  const Index blocks = std::min<Index>(ceil_div(count, Index{threads}), 1 << 20);
  return {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0};
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
