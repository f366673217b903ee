// Kernels compiled alone: an image for one kind of GPU, with no host code.
#pragma once

#include <ridge/device/launch_shape.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <typeinfo>
#include <vector>

namespace ridge {

/// A loaded image, as its device's backend made it: the kernel `ridge_entry`, which takes a body,
/// and `ridge_facts`, what host code must know to fill one. What is asked of the device is asked
/// once: it may wait for what runs there, and must not be asked while a stream is captured.
class KernelImage {
public:
  KernelImage() = default;
  KernelImage(const KernelImage&) = delete;
  KernelImage& operator=(const KernelImage&) = delete;
  virtual ~KernelImage() = default;

  /// Copies `ridge_facts`, which takes `bytes`. Throws Failure when it does not.
  void read_facts(void* to, std::size_t bytes);
  [[nodiscard]] KernelResources resources();
  /// Grants the kernel the shared memory of the shape. False where it cannot be launched so.
  [[nodiscard]] virtual bool prepare(const LaunchShape& shape) = 0;
  /// How many blocks of the shape the device holds at the same time.
  [[nodiscard]] virtual int resident_blocks(const LaunchShape& shape) = 0;
  /// Gives one launch to the stream. `prepared_early` as bodies declare it
  /// (ridge/device/launch.hpp).
  virtual void launch(void* stream, const LaunchShape& shape, void* body, bool prepared_early) = 0;

protected:
  /// How many bytes `ridge_facts` takes, and what they are.
  virtual std::vector<unsigned char> load_facts() = 0;
  virtual KernelResources load_resources() = 0;

private:
  std::mutex guard_; ///< of what follows
  std::optional<std::vector<unsigned char>> facts_;
  std::optional<KernelResources> resources_;
};

/// Where launches of bodies find their kernels when the code that launches was compiled by a
/// compiler that knows no GPUs (RIDGE_IMAGES): it has the type of a body, and no kernel of it.
class ImageSource {
public:
  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  /// The image of a body that takes `bytes`. Throws what stops the executor that binds it.
  [[nodiscard]] virtual std::shared_ptr<KernelImage> image_of(const std::type_info& body,
                                                              std::size_t bytes) = 0;

  /// The latest that the calling thread has made and that is alive. Throws Failure without one.
  [[nodiscard]] static ImageSource& here();

protected:
  ImageSource();
  virtual ~ImageSource();

private:
  ImageSource* before_;
};

} // namespace ridge
