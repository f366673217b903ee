// Compiling kernels alone, by the vendors' libraries.
#pragma once

#include <ridge/device/image.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/demand.hpp>

#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

namespace ridge::launch {

/// What is compiled for a kind of GPU: the body of `demand.image` as the kernel `ridge_entry`, and
/// its facts.
[[nodiscard]] std::string image_text(DeviceKind kind, const Demand& demand);
/// The options for an architecture ("sm_90", "gfx90a"), without those of the kernel's source.
[[nodiscard]] std::vector<std::string> image_options(DeviceKind kind,
                                                     const std::string& architecture);

/// The same of any body, by its type as C++ text, from the header `demand.bodies`; its facts are
/// how many bytes it takes.
[[nodiscard]] std::string body_text(DeviceKind kind, const Demand& demand, const std::string& body);

/// Whether a library that compiles kernels alone for the device is here.
[[nodiscard]] bool compiles_images(const Device& device);

/// The library does not take the text, and another compiler that is here may.
struct Refused {};

struct LoadedImage {
  std::shared_ptr<KernelImage> image; ///< null where the device's backend takes none
  Origin origin;
};
/// The image of `text`, compiled now, from the cache, or as this process has it already. Throws
/// Refused, and as bind_on_demand does.
[[nodiscard]] LoadedImage load_image(const Device& device, const Demand& demand,
                                     const std::string& text);

/// Binds the call with the image of `demand`, compiled by NVRTC or hiprtc or from the cache. Empty
/// where the library is not here or does not know the GPU, where it refuses what a compiler that is
/// here may take, or where the image cannot be launched. Throws as bind_on_demand does.
[[nodiscard]] Binding bind_image(Queue& queue, const void* call, const void* schedule,
                                 const Demand& demand);

/// While it lives, executors that are bound by the calling thread find their kernels as images.
class DemandedImages final : public ImageSource {
public:
  DemandedImages(const Device& device, const Demand& demand) : device_(device), demand_(demand) {}
  /// Throws Refused, and as bind_on_demand does.
  [[nodiscard]] std::shared_ptr<KernelImage> image_of(const std::type_info& body,
                                                      std::size_t bytes) override;
  /// Whether any of them was compiled now.
  [[nodiscard]] bool compiled() const { return compiled_; }

private:
  const Device& device_;
  const Demand& demand_;
  bool compiled_ = false;
};

} // namespace ridge::launch
