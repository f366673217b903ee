// How a direct summation lies over a GPU: what host code works out once and every lane reads. Plain
// data, the same for the host and for all GPUs.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/view.hpp>
#include <ridge/pairs/schedule_fields.hpp>

namespace ridge::pairs::gpu {

struct DirectPlan {
  int target_blocks = 0; ///< blocks it takes for all targets, with one part of the sources
  int split = 1;
  Index part = 0;      ///< sources of a part
  Index visited = 0;   ///< of those, the most that one thread visits: what a warp has of them, if
  bool shares = false; ///< the warps of a block have the same targets
  Combine combine = Combine::ordered;
  Span<unsigned> counters; ///< of each target block; one more for tickets
};

/// What host code must know of a compiled direct summation.
struct DirectFacts {
  int tile = 1, ways = 1;
  int sums = 1;          ///< components
  int summed_bytes = 8;  ///< of one
  int terms = 0;         ///< of a sum before it is added to its total
  int control_bytes = 0; ///< of shared memory for the block,
  int staged_bytes = 0;  ///< for the sources of a thread,
  int totals_bytes = 0;  ///< and for its totals, where it has any
};

/// What host code must know of a compiled kernel whose types it does not have: where the parts of
/// its body lie. Compiled into the kernel's image.
struct BodyFacts {
  int bytes = 0;                              ///< of the body
  int call_bytes = 0;                         ///< of the call, with which it begins
  int targets_offset = 0, sources_offset = 0; ///< of the spans
  int plan_offset = 0, partial_offset = 0;    ///< of the plan and the span of partial sums
  DirectFacts direct;
};

} // namespace ridge::pairs::gpu
