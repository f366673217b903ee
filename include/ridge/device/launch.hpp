// Running a GPU kernel body on a device kind: one interface for CUDA, HIP and the emulated GPU.
//
// A body is a struct, copied to the device, with
//   static constexpr int max_threads;                  launch bound: most threads of a block
//   static constexpr int min_blocks;                   optional: blocks of max_threads that CUDA's
//                                                      compiler leaves registers for on a unit
//   static constexpr bool prepared_early;              optional: a CUDA GPU gets the launch ready
//                                                      while the one before ends
//   static constexpr bool constant_width;              optional: it needs Lane::warp_width, and is
//                                                      compiled for each width of the emulated GPU
//   static constexpr const char* name;                 for reports
//   template <class Lane> RIDGE_DEVICE void operator()(Lane& lane) const;
// What a lane offers is written down in ridge/device/lane.hpp.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>

#if defined(RIDGE_IMAGES)
#include <ridge/device/gpu/image_launch.hpp>
#elif defined(RIDGE_TARGET_SIMT)
#include <ridge/device/simt/launch.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/device/gpu/launch.hpp>
#endif

namespace ridge::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_SIMT)
namespace native = simt;
#elif defined(RIDGE_TARGET_GPU)
namespace native = gpu;
#endif

#if defined(RIDGE_TARGET_GPU)
/// A launch of a body under a shape with all that can be done once done: shared memory is granted
/// and the kernel loaded. Each call gives one launch to the queue; what its `body` holds may be
/// changed in between. Throws Failure when the launch is refused; the emulated GPU runs it at once
/// and throws simt::Fault when a lane does what a GPU must not.
template <class Body>
using Ready = native::Ready<Body>;

/// Gives `body` to the queue under `shape` once.
template <class Body>
void launch_body(Queue& queue, const LaunchShape& shape, const Body& body) {
  Ready<Body>(queue, shape, body)();
}

/// How many blocks of this shape the device runs at the same time. The emulated GPU runs one block
/// after the other; it says how many a real one of its size might hold, so that kernels whose
/// blocks take several units do so there.
template <class Body>
[[nodiscard]] int resident_blocks(Queue& queue, const LaunchShape& shape) {
#if defined(RIDGE_TARGET_SIMT)
  (void)queue, (void)shape;
  return 3;
#else
  return gpu::resident_blocks<Body>(queue, shape);
#endif
}

template <class Body>
[[nodiscard]] KernelResources kernel_resources(Queue& queue) {
#if defined(RIDGE_TARGET_SIMT)
  (void)queue;
  return {};
#else
  return gpu::kernel_resources<Body>(queue);
#endif
}
#endif

} // namespace ridge::inline RIDGE_TARGET_NAME
