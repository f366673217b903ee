// Running a GPU kernel body on a device kind: one interface for CUDA, HIP and the emulated GPU.
//
// A body is a struct, copied to the device, with
//   static constexpr int max_threads;                  launch bound: most threads of a block
//   static constexpr int min_blocks;                   optional: blocks of max_threads that CUDA's
//                                                      compiler leaves registers for on a unit
//   static constexpr bool prepared_early;              optional: a CUDA GPU gets the launch ready
//                                                      while the one before ends
//   static constexpr const char* name;                 for reports
//   template <class Lane> RIDGE_DEVICE void operator()(Lane& lane) const;
// What a lane offers is written down in ridge/device/lane.hpp.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/device/queue.hpp>

namespace ridge {

/// How many blocks of how many threads, and the shared memory of a block.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  int shared_bytes = 0;
  /// All blocks run at the same time, or the launch is refused: for blocks that wait for each
  /// other.
  bool together = false;
};

/// What a compiled kernel takes of a lane.
struct KernelResources {
  int registers = 0;     ///< 0 where it is not known
  int local_bytes = 0; ///< of its own memory: what registers do not hold
};

} // namespace ridge

#if defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/device/gpu/launch.hpp>
#elif defined(RIDGE_TARGET_SIMT)
#include <ridge/device/simt/launch.hpp>
#endif

namespace ridge::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
/// Gives `body` to the queue under `shape`. Throws Failure when the launch is refused.
template <class Body>
void launch_body(Queue& queue, const LaunchShape& shape, const Body& body) {
  gpu::launch(queue, shape, body);
}
/// How many blocks of this shape the device runs at the same time.
template <class Body>
[[nodiscard]] int resident_blocks(Queue& queue, const LaunchShape& shape) {
  return gpu::resident_blocks<Body>(queue, shape);
}
template <class Body>
[[nodiscard]] KernelResources kernel_resources(Queue& queue) {
  return gpu::kernel_resources<Body>(queue);
}
#elif defined(RIDGE_TARGET_SIMT)
/// Runs `body` under `shape` now. Throws simt::Fault when a lane does what a GPU must not.
template <class Body>
void launch_body(Queue& queue, const LaunchShape& shape, const Body& body) {
  simt::launch(queue, shape, body);
}
/// The emulated GPU runs one block after the other; this is how many a real one of its size might
/// hold, so that kernels whose blocks take several units do so here.
template <class Body>
[[nodiscard]] int resident_blocks(Queue& /*queue*/, const LaunchShape& /*shape*/) {
  return 3;
}
template <class Body>
[[nodiscard]] KernelResources kernel_resources(Queue& /*queue*/) {
  return {};
}
#endif

} // namespace ridge::inline RIDGE_TARGET_NAME
