// Asynchronous copies into shared memory, as the lane context offers them: NVIDIA GPUs from compute
// capability 8.0 on. PTX ISA, section "cp.async".
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/device/view.hpp>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// Part of the CUDA lane.
class AsyncCopies {
public:
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  static constexpr bool has_async_copy = true;

  template <int N, class T>
  RIDGE_DEVICE void copy_async(T* to, int to_index, const Span<const T>& from,
                               Index from_index) const {
    constexpr int bytes = N * static_cast<int>(sizeof(T));
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    if constexpr (bytes == 16) { // past the L1
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to + to_index)),
                   "l"(from.data + from_index)
                   : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address(to + to_index)),
                   "l"(from.data + from_index), "n"(bytes)
                   : "memory");
    }
  }
  RIDGE_DEVICE void copy_commit() const {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  template <int Pending>
  RIDGE_DEVICE void copy_wait() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
  }
#else
  static constexpr bool has_async_copy = false;
#endif

protected:
  template <class P>
  static RIDGE_DEVICE unsigned address(P* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  }
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
