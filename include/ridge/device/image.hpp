// Kernels compiled alone: an image for one kind of GPU, with no host code.
#pragma once

#include <ridge/device/launch_shape.hpp>

#include <cstddef>

namespace ridge {

/// A loaded image, as its device's backend made it: the kernel `ridge_entry`, which takes a body,
/// and `ridge_facts`, what host code must know to fill one.
class KernelImage {
public:
  KernelImage() = default;
  KernelImage(const KernelImage&) = delete;
  KernelImage& operator=(const KernelImage&) = delete;
  virtual ~KernelImage() = default;

  /// Reads `ridge_facts`, which takes `bytes`. Throws Failure when it does not.
  virtual void read_facts(void* to, std::size_t bytes) = 0;
  [[nodiscard]] virtual KernelResources resources() = 0;
  /// Grants the kernel the shared memory of the shape.
  virtual void prepare(const LaunchShape& shape) = 0;
  /// How many blocks of the shape the device holds at the same time.
  [[nodiscard]] virtual int resident_blocks(const LaunchShape& shape) = 0;
  /// Gives one launch to the stream. `prepared_early` as bodies declare it
  /// (ridge/device/launch.hpp).
  virtual void launch(void* stream, const LaunchShape& shape, void* body, bool prepared_early) = 0;
};

} // namespace ridge
