// Faults that the emulated GPU reports: programming errors of kernels, with their place.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/lane.hpp>

#include <string>

namespace ridge::simt {

enum class FaultKind {
  field_bounds,           ///< an index below 0 or past the end of a field
  field_alignment,        ///< a pack at an address that is no multiple of its size
  shared_bounds,          ///< an index below 0 or past the end of a shared array
  shared_layout,          ///< a shared array misaligned or past the launch's shared_bytes
  shared_race,            ///< two lanes at the same bytes, one writing, no barrier between
  shared_uninitialised,   ///< a read of shared memory that this block has not written
  divergent_barrier,      ///< threads wait at the barrier, others of the block never come
  divergent_warp_barrier, ///< lanes wait at a warp barrier, others of the warp never come
  divergent_shuffle,      ///< lanes wait at a shuffle, others of the warp never come
  missing_lane,           ///< a shuffle from a lane that the warp does not have
  unfinished_copy,        ///< a lane, or for bulk copies the block, ended before it waited for them
  shared_alignment,       ///< a pack in shared memory at a byte that is no multiple of its size
  copy_alignment,         ///< a bulk copy whose addresses or size are no multiples of 16 bytes
  phase_misuse,           ///< a phase barrier not begun, overwritten, or counted wrongly
  phase_deadlock,         ///< lanes wait for a phase that can no longer be over
  missing_signal,         ///< a lane awaits a signal that nobody has given for seconds
  undeclared_access,      ///< a stencil reads a neighbour that its footprint does not declare
};

[[nodiscard]] std::string to_text(FaultKind kind);

/// A programming error in a kernel. `what()` says in one line what, where, and what would be right.
class Fault : public Failure {
public:
  Fault(FaultKind kind_, std::string kernel_, Dim3 block_, Dim3 thread_, int lane_, Index index_,
        const std::string& message)
      : Failure(message), kind(kind_), kernel(std::move(kernel_)), block(block_), thread(thread_),
        lane(lane_), index(index_) {}

  FaultKind kind;
  std::string kernel; ///< Body::name
  Dim3 block;         ///< in the grid
  Dim3 thread;        ///< in the block: the lane that noticed
  int lane;           ///< of that thread in its warp
  Index index;        ///< into the field or shared array; -1 where no index is involved
};

} // namespace ridge::simt
