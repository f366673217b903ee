// Bulk copies of Hopper GPUs, and the phase barriers that count these, as the lane context offers
// them. PTX ISA, sections "mbarrier" and "cp.async.bulk".
#pragma once

#include <ridge/device/gpu/async.hpp>
#include <ridge/device/gpu/intrinsics.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/device/view.hpp>

#include <cstdint>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// Part of the CUDA lane.
class BulkCopies : public AsyncCopies {
public:
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  static constexpr bool has_bulk_copy = true;

  RIDGE_DEVICE void phase_begin(PhaseBarrier* bars, int i, int arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bars + i)), "r"(arrivals)
                 : "memory");
    // The copy engine must see the barrier too.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  RIDGE_DEVICE void phase_arrive(PhaseBarrier* bars, int i) const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bars + i)) : "memory");
  }
  RIDGE_DEVICE void phase_arrive_expecting(PhaseBarrier* bars, int i, int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bars + i)),
                 "r"(bytes)
                 : "memory");
  }
  RIDGE_DEVICE void phase_wait(PhaseBarrier* bars, int i, int parity) const {
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\n"
                 "bra again;\n"
                 "done:\n"
                 "}" ::"r"(address(bars + i)),
                 "r"(parity)
                 : "memory");
  }

  /// A bulk copy does not wait for this lane's reads of shared memory, not even when it is issued
  /// after an arrival behind them: this does.
  RIDGE_DEVICE void fence_bulk() const {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }

  /// The data are read once more soon, by the block beside: the L2 keeps them in preference to
  /// results.
  template <class T>
  RIDGE_DEVICE void bulk_copy(PhaseBarrier* bars, int i, T* to, int to_index,
                              const Span<const T>& from, Index from_index, int count) const {
    std::uint64_t keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(address(to + to_index)),
                 "l"(from.data + from_index), "r"(count * static_cast<int>(sizeof(T))),
                 "r"(address(bars + i)), "l"(keep)
                 : "memory");
  }
#else
  static constexpr bool has_bulk_copy = false;
#endif
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
