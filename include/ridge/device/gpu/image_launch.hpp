// Launching bodies on CUDA and HIP from code that was compiled for the host alone: their kernels
// are images, compiled one by one (ridge/device/image.hpp).
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/gpu/early.hpp>
#include <ridge/device/image.hpp>
#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>

#include <memory>
#include <string>
#include <typeinfo>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

template <class Body>
std::shared_ptr<KernelImage> image_of() {
  return ImageSource::here().image_of(typeid(Body), sizeof(Body));
}

/// A launch with all that can be done once done; see ridge/device/launch.hpp.
template <class Body>
class Ready {
public:
  Ready(Queue& queue, const LaunchShape& shape, const Body& ready_body)
      : body(ready_body), shape_(shape), queue_(&queue), image_(image_of<Body>()) {
    if (!image_->prepare(shape))
      throw Failure(std::string("this GPU's runtime cannot launch ") + Body::name);
  }

  void operator()() { image_->launch(queue_->native(), shape_, &body, is_prepared_early<Body>()); }

  Body body; ///< what the next launch takes

private:
  LaunchShape shape_;
  Queue* queue_;
  std::shared_ptr<KernelImage> image_;
};

template <class Body>
int resident_blocks(Queue& /*queue*/, const LaunchShape& shape) {
  return image_of<Body>()->resident_blocks(shape);
}

template <class Body>
KernelResources kernel_resources(Queue& /*queue*/) {
  return image_of<Body>()->resources();
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
