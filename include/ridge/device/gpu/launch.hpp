// Launching bodies on CUDA and HIP.
#pragma once

#include <ridge/device/gpu/lane.hpp>
#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>

#include <array>
#include <atomic>

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

/// Whether a GPU gets a launch of the body ready while the one before it ends, where the body says
/// so by `static constexpr bool prepared_early = true`: for launches of a few microseconds that
/// follow each other. As soon as all blocks of such a launch run, those of the next may take what
/// is free of the multiprocessors, and wait there. CUDA from compute capability 9.0 on; elsewhere
/// it means nothing.
template <class Body>
constexpr bool is_prepared_early() {
  if constexpr (requires { Body::prepared_early; }) {
    return Body::prepared_early;
  } else {
    return false;
  }
}

#if defined(RIDGE_TARGET_CUDA)
#define RIDGE_LAUNCH_BOUNDS(Body) __launch_bounds__(Body::max_threads, min_blocks_of<Body>())
#else
#define RIDGE_LAUNCH_BOUNDS(Body) __launch_bounds__(Body::max_threads)
#endif

template <class Body>
__global__ RIDGE_LAUNCH_BOUNDS(Body) void entry(const RIDGE_GRID_CONSTANT Body body) {
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

#undef RIDGE_GRID_CONSTANT
#undef RIDGE_LAUNCH_BOUNDS

/// Most shared memory a block gets without asking.
inline constexpr int plain_shared_bytes = 48 << 10;

/// Allows the kernel the shared memory the shape asks for.
template <class Body>
void prepare(Queue& queue, const LaunchShape& shape) {
  check(RIDGE_NATIVE(SetDevice)(queue.device().id().number), "selecting the GPU");
  if (shape.shared_bytes > plain_shared_bytes) {
    check(RIDGE_NATIVE(FuncSetAttribute)(reinterpret_cast<const void*>(&entry<Body>),
                                         RIDGE_NATIVE(FuncAttributeMaxDynamicSharedMemorySize),
                                         shape.shared_bytes),
          Body::name);
  }
}

#if defined(RIDGE_TARGET_CUDA)
/// Whether this device's code of the body waits for the launch before by itself. Code made for
/// older architectures does not.
template <class Body>
bool waits_by_itself(int device) {
  enum : signed char { unknown, no, yes };
  static std::array<std::atomic<signed char>, 64> known{};
  if (device >= static_cast<int>(known.size())) return false;
  auto& answer = known[static_cast<std::size_t>(device)];
  if (answer == unknown) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&entry<Body>)),
          Body::name);
    answer = attributes.ptxVersion >= 90 ? yes : no;
  }
  return answer == yes;
}

#endif

/// A launch with all that can be done once done; see ridge/device/launch.hpp.
template <class Body>
class Ready {
public:
  Ready(Queue& queue, const LaunchShape& shape, const Body& ready_body)
      : body(ready_body), shape_(shape), queue_(&queue), device_(queue.device().id().number) {
    prepare<Body>(queue, shape);
#if defined(RIDGE_TARGET_CUDA)
    if constexpr (is_prepared_early<Body>()) early_ = waits_by_itself<Body>(device_);
#endif
  }

  void operator()() {
    check(RIDGE_NATIVE(SetDevice)(device_), "selecting the GPU");
    const dim3 grid = native(shape_.grid);
    const dim3 block = native(shape_.block);
    const auto shared = static_cast<unsigned>(shape_.shared_bytes);
    const auto stream = static_cast<Stream>(queue_->native());
    if (shape_.together) {
      void* arguments[] = {&body};
      check(RIDGE_NATIVE(LaunchCooperativeKernel)(reinterpret_cast<const void*>(&entry<Body>), grid,
                                                  block, arguments, shared, stream),
            Body::name);
      return;
    }
#if defined(RIDGE_TARGET_CUDA)
    if (early_) {
      launch_early(grid, block, shared, stream);
      return;
    }
#endif
    entry<Body><<<grid, block, shared, stream>>>(body);
    check(RIDGE_NATIVE(GetLastError)(), Body::name);
  }

  Body body; ///< what the next launch takes

private:
  static dim3 native(const Dim3& d) {
    return dim3(static_cast<unsigned>(d.x), static_cast<unsigned>(d.y), static_cast<unsigned>(d.z));
  }

#if defined(RIDGE_TARGET_CUDA)
  void launch_early(const dim3& grid, const dim3& block, unsigned shared, Stream stream) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, &entry<Body>, body), Body::name);
  }
#endif

  LaunchShape shape_;
  Queue* queue_;
  int device_;
  bool early_ = false;
};

template <class Body>
int resident_blocks(Queue& queue, const LaunchShape& shape) {
  prepare<Body>(queue, shape);
  int per_unit = 0;
  check(RIDGE_NATIVE(OccupancyMaxActiveBlocksPerMultiprocessor)(
            &per_unit, reinterpret_cast<const void*>(&entry<Body>),
            static_cast<int>(shape.block.count()), static_cast<std::size_t>(shape.shared_bytes)),
        Body::name);
  return per_unit * queue.device().facts().units;
}

template <class Body>
KernelResources kernel_resources(Queue& queue) {
  prepare<Body>(queue, {});
#if defined(RIDGE_TARGET_CUDA)
  cudaFuncAttributes a{};
#else
  hipFuncAttributes a{};
#endif
  check(RIDGE_NATIVE(FuncGetAttributes)(&a, reinterpret_cast<const void*>(&entry<Body>)),
        Body::name);
  return {a.numRegs, static_cast<int>(a.localSizeBytes)};
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
