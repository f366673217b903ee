#include <ridge/device/backend.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/device/recording.hpp>

#include <utility>

namespace ridge {

std::uint64_t recording_of(const Queue& queue) {
  return queue.device().backend().recording(queue.native());
}

void keep_with_recording(const Queue& queue, std::shared_ptr<const void> what) {
  queue.device().backend().keep_with_recording(queue.native(), std::move(what));
}

Binding::Binding(const Queue& queue) : queue_(queue) {
  queue_.device().backend().begin_binding();
}
Binding::~Binding() {
  queue_.device().backend().end_binding();
}

void set_now(const Device& device, void* to, const void* from, Bytes bytes) {
  device.backend().set_now(to, from, static_cast<std::size_t>(bytes.value));
}

std::uint64_t Backend::recording(void* /*stream*/) {
  return 0;
}

void Backend::keep_with_recording(void* /*stream*/, std::shared_ptr<const void> /*what*/) {}

} // namespace ridge
