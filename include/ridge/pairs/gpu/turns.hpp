// Blocks that add to the same sums in a fixed order, so that results do not depend on timing.
//
// Blocks draw tickets; work is numbered so that a block waits only for work of lower tickets, whose
// blocks have begun and therefore end. Counters are zero before and after a launch.
#pragma once

#include <ridge/device/view.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// The number of this block in the order in which blocks begin, the same for all its threads.
/// `counter` is counted up; `slot` is four bytes of shared memory for this alone.
template <class Lane>
RIDGE_DEVICE int draw_ticket(Lane& lane, const Span<unsigned>& counters, Index counter, int slot,
                             int blocks) {
  const auto shared = lane.template shared<int>(slot, 1);
  if (lane.rank() == 0) {
    const unsigned ticket = lane.atomic_add(counters, counter, 1u);
    // The last to draw leaves the counter as it was.
    if (ticket + 1 == static_cast<unsigned>(blocks)) {
      lane.atomic_add(counters, counter, 0u - static_cast<unsigned>(blocks));
    }
    shared[0] = static_cast<int>(ticket);
  }
  lane.barrier();
  const int ticket = shared[0];
  return ticket;
}

/// Returns when it is turn `turn` of `counter`; then sees what the turns before have stored.
template <class Lane>
RIDGE_DEVICE void wait_for_turn(Lane& lane, const Span<unsigned>& counters, Index counter,
                                int turn) {
  if (lane.rank() == 0) {
    while (lane.load_relaxed(counters, counter) != static_cast<unsigned>(turn)) {
    }
    lane.fence();
  }
  lane.barrier();
}

/// Ends turn `turn` of `turns`: what this block has stored is seen by the next.
template <class Lane>
RIDGE_DEVICE void end_turn(Lane& lane, const Span<unsigned>& counters, Index counter, int turn,
                           int turns) {
  lane.fence();
  lane.barrier();
  if (lane.rank() == 0) {
    const unsigned step = turn + 1 == turns ? 0u - static_cast<unsigned>(turn) : 1u;
    lane.atomic_add(counters, counter, step);
  }
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
