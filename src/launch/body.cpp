#include <ridge/launch/body.hpp>

#include "../core/refuse.hpp"

#include <utility>

namespace ridge::launch {

BodyBytes::BodyBytes(int bytes, int call_bytes, const void* call, std::size_t here)
    : bytes_(static_cast<std::size_t>(bytes)) {
  fail_if(static_cast<std::size_t>(call_bytes) != here,
          "the kernel takes {} bytes on the GPU and {} here: its members are laid out differently; "
          "take plain numbers and arrays",
          call_bytes, here);
  std::memcpy(bytes_.data(), call, here);
}

Bound bind_launches(Queue& queue, std::shared_ptr<KernelImage> image,
                    std::vector<ImageLaunch> launches, bool prepared_early) {
  for (const ImageLaunch& launch : launches) {
    if (!image->prepare(launch.shape)) return {};
  }
  const KernelResources takes = image->resources();
  return Bound(
      [&queue, image = std::move(image), launches = std::move(launches), prepared_early]() mutable {
        for (ImageLaunch& launch : launches)
          image->launch(queue.native(), launch.shape, launch.body.data(), prepared_early);
      },
      takes);
}

} // namespace ridge::launch
