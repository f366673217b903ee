// Launching bodies on CUDA and HIP.
#pragma once

#include <ridge/device/gpu/lane.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/device/queue.hpp>

namespace ridge::gpu {

#if defined(RIDGE_TARGET_CUDA)
inline namespace cuda {
#define RIDGE_GRID_CONSTANT __grid_constant__
#else
inline namespace hip {
#define RIDGE_GRID_CONSTANT
#endif

template <class Body>
__global__ __launch_bounds__(Body::max_threads) void entry(const RIDGE_GRID_CONSTANT Body body) {
  Lane lane;
  body(lane);
}

#undef RIDGE_GRID_CONSTANT

/// Most shared memory a block gets without asking.
inline constexpr int plain_shared_bytes = 48 << 10;

template <class Body>
void launch(Queue& queue, const LaunchShape& shape, const Body& body) {
  check(RIDGE_NATIVE(SetDevice)(queue.device().id().number), "selecting the GPU");
  if (shape.shared_bytes > plain_shared_bytes) {
    check(RIDGE_NATIVE(FuncSetAttribute)(reinterpret_cast<const void*>(&entry<Body>),
                                         RIDGE_NATIVE(FuncAttributeMaxDynamicSharedMemorySize),
                                         shape.shared_bytes),
          Body::name);
  }
  const dim3 grid(static_cast<unsigned>(shape.grid.x), static_cast<unsigned>(shape.grid.y),
                  static_cast<unsigned>(shape.grid.z));
  const dim3 block(static_cast<unsigned>(shape.block.x), static_cast<unsigned>(shape.block.y),
                   static_cast<unsigned>(shape.block.z));
  entry<Body><<<grid, block, static_cast<std::size_t>(shape.shared_bytes),
                static_cast<Stream>(queue.native())>>>(body);
  check(RIDGE_NATIVE(GetLastError)(), Body::name);
}

} // namespace
} // namespace ridge::gpu
