// Launching bodies on CUDA and HIP.
#pragma once

#include <ridge/device/gpu/entry.hpp>
#include <ridge/device/gpu/granted.hpp>
#include <ridge/device/gpu/native.hpp>
#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>

#include <array>
#include <atomic>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// Allows the kernel the shared memory the shape asks for.
template <class Body>
void prepare(Queue& queue, const LaunchShape& shape) {
  static Granted granted;
  const int device = queue.device().id().number;
  check(RIDGE_NATIVE(SetDevice)(device), "selecting the GPU");
  if (shape.shared_bytes <= plain_shared_bytes) return;
  granted.raise(device, shape.shared_bytes, [&] {
    check(RIDGE_NATIVE(FuncSetAttribute)(reinterpret_cast<const void*>(&entry<Body>),
                                         RIDGE_NATIVE(FuncAttributeMaxDynamicSharedMemorySize),
                                         shape.shared_bytes),
          Body::name);
  });
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
