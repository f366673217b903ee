#include <ridge/core/error.hpp>
#include <ridge/device/image.hpp>

#include <utility>

namespace ridge {

namespace {
thread_local ImageSource* latest = nullptr;
}

ImageSource::ImageSource() : before_(std::exchange(latest, this)) {}
ImageSource::~ImageSource() {
  latest = before_;
}

ImageSource& ImageSource::here() {
  if (latest == nullptr) throw Failure("launches of images are bound by what compiles them");
  return *latest;
}

} // namespace ridge
