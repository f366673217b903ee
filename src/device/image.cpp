#include <ridge/core/error.hpp>
#include <ridge/device/image.hpp>

#include <cstring>
#include <string>
#include <utility>

namespace ridge {

void KernelImage::read_facts(void* to, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  if (!facts_) facts_ = load_facts();
  if (facts_->size() != bytes) {
    throw Failure("a compiled kernel's facts take " + std::to_string(facts_->size()) +
                  " bytes, not " + std::to_string(bytes));
  }
  std::memcpy(to, facts_->data(), bytes);
}

KernelResources KernelImage::resources() {
  const std::lock_guard lock(guard_);
  if (!resources_) resources_ = load_resources();
  return *resources_;
}

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
