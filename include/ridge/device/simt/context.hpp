// A lane of the emulated GPU apart from types: what it knows and may do, checks, collectives,
// copies.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/simt/block.hpp>
#include <ridge/device/simt/fault.hpp>

#include <atomic>

namespace ridge::simt {

/// A phase barrier: the byte where it begins, and its index in its array, for reports.
struct PhasePlace {
  int offset;
  int index;
};

/// Addresses and sizes of bulk copies are multiples of this, in bytes.
inline constexpr int bulk_alignment = 16;

/// One lane of a running block. Handed about by reference; every member may be called through a
/// const one, as on a GPU.
class LaneContext {
public:
  LaneContext(Block& block, int rank, Dim3 thread)
      : block_(block), warp_(block.warps[rank >> block.warp_shift]), thread_(thread), rank_(rank),
        record_(block.shadow.record(warp_.stamp, rank)) {}
  LaneContext(const LaneContext&) = delete;
  LaneContext& operator=(const LaneContext&) = delete;

  [[nodiscard]] Dim3 block() const { return block_.index; }
  [[nodiscard]] Dim3 thread() const { return thread_; }
  [[nodiscard]] Dim3 grid_extent() const { return block_.grid; }
  [[nodiscard]] Dim3 block_extent() const { return block_.extent; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int lane() const { return rank_ - warp_.first; }

  /// All threads of the block.
  void barrier() const;
  /// All lanes of the warp.
  void warp_barrier() const;

  /// For code that checks a stencil: reports a neighbour that its footprint does not declare.
  [[noreturn]] void undeclared_access(int dx, int dy, int dz) const;

  // For SharedArray and Lane; kernels do not call these.

  [[nodiscard]] Block& state() const { return block_; }
  [[nodiscard]] Warp& warp() const { return warp_; }
  /// This lane's accesses of shared memory as the shadow records them.
  [[nodiscard]] AccessRecord record() const { return record_; }
  /// Returns when all lanes of the warp have come to a collective of this kind and size.
  void meet(Collective kind, int bytes) const;
  /// The slow way of an access to shared memory; `index` is for the report.
  void touch_shared(int offset, int bytes, AccessKind kind, Index index, int flight = 0) const;

  /// Asynchronous copies: data arrive in wait_for_copies and not before.
  void issue_copy(int to_offset, const void* from, int bytes, Index index) const;
  void commit_copies() const;
  void wait_for_copies(int pending) const;

  /// Phase barriers; `bytes` joins what the phase must receive.
  void begin_phases(PhasePlace at, int arrivals) const;
  void arrive_at_phase(PhasePlace at, int bytes) const;
  void wait_for_phase(PhasePlace at, int parity) const;
  /// Data arrive at once or at the first wait, copies in turn.
  void issue_bulk(PhasePlace at, int to_offset, const void* from, int bytes, Index index) const;

  /// Returns when the value, or a later one in the order of counting, is there.
  void await_signal(std::atomic_ref<unsigned> from, unsigned value, Index index) const;

  [[noreturn]] void fault_field(const char* what, Index index, int count, Index size) const;
  [[noreturn]] void fault_alignment(const char* what, Index index, const void* address, int count,
                                    int element_bytes) const;
  [[noreturn]] void fault_shared(Index index, int count) const;
  [[noreturn]] void fault_layout(int offset, int count, int element_bytes, int alignment) const;
  [[noreturn]] void fault_shared_alignment(Index index, int offset, int count,
                                           int element_bytes) const;
  [[noreturn]] void fault_bulk_alignment(Index index, const char* what, std::uintptr_t value) const;
  [[noreturn]] void fault_missing_lane(int source) const;

private:
  Block& block_;
  Warp& warp_;
  Dim3 thread_;
  int rank_;
  mutable AccessRecord record_; ///< renewed by every barrier this lane passes
};

} // namespace ridge::simt
