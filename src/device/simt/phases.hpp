// The phase barriers of a block and the bulk copies that they count.
#pragma once

#include <ridge/device/simt/context.hpp>

#include "phase_order.hpp"

#include <vector>

namespace ridge::simt {

/// A bulk copy whose data are still to come.
struct PendingBulk {
  const void* from;
  int to_offset;
  int bytes;
};

/// Bulk copies that no lane has waited for.
struct UnseenCopies {
  int count = 0;
  int rank = 0; ///< that issued the first
  Index index = -1;
};

/// A barrier in its current phase.
struct PhaseState {
  int offset; ///< where it lies in shared memory
  int index;  ///< in its array
  int arrivals;
  AccessRecord begun; ///< by whom, and when
  long long phase = 0;
  int left = 0;                   ///< arrivals still to come
  Index expected = 0, issued = 0; ///< bytes
  std::vector<PendingBulk> late;
  std::vector<int> flights;               ///< of this phase, one for each lane that copies
  Knowledge gathered;                     ///< of all who have arrived so far
  SharedKnowledge released;               ///< of all who arrived in phases that are over
  UnseenCopies unseen_now, unseen_before; ///< of the current phase, of those before
  FiberQueue waiting;                     ///< for the end of the current phase
};

/// All phase barriers of the running block.
struct Phases {
  std::vector<PhaseState> states;
  PhaseOrder order;
  /// State that each lane last waited at.
  std::array<int, max_block_threads> waits_at;
  int bulk_copies = 0; ///< counts from 0 or 1, by the block: every second one comes late

  [[nodiscard]] bool in_use() const { return !states.empty(); }
};

} // namespace ridge::simt
