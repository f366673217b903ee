// Kernels: how a body becomes one of CUDA or HIP.
#pragma once

#include <ridge/device/gpu/early.hpp>
#include <ridge/device/gpu/lane.hpp>

#if defined(RIDGE_TARGET_CUDA)
#define RIDGE_GRID_CONSTANT __grid_constant__
#else
#define RIDGE_GRID_CONSTANT
#endif

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// The blocks of `max_threads` that CUDA's compiler leaves registers for on a multiprocessor, where
/// a body says so by `static constexpr int min_blocks`; 0: as it likes.
template <class Body>
constexpr int min_blocks_of() {
  if constexpr (requires { Body::min_blocks; }) {
    return Body::min_blocks;
  } else {
    return 0;
  }
}

#if defined(RIDGE_TARGET_CUDA)
#define RIDGE_LAUNCH_BOUNDS(Body)                                                                  \
  __launch_bounds__(Body::max_threads, ::ridge::gpu::min_blocks_of<Body>())
#else
#define RIDGE_LAUNCH_BOUNDS(Body) __launch_bounds__(Body::max_threads)
#endif

/// The work of each thread of a launch.
template <class Body>
RIDGE_DEVICE void run_body(const Body& body) {
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (is_prepared_early<Body>()) {
    // The launch behind this one may get ready too.
    asm volatile("griddepcontrol.launch_dependents;");
    // Until the launch before has ended and what it wrote is seen.
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
#endif
  Lane lane;
  body(lane);
}

template <class Body>
__global__ RIDGE_LAUNCH_BOUNDS(Body) void entry(const RIDGE_GRID_CONSTANT Body body) {
  run_body(body);
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
