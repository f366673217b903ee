#include <ridge/device/backend.hpp>
#include <ridge/device/queue.hpp>

#include <utility>

namespace ridge {

Queue::Queue(Device device)
    : device_(std::move(device)), stream_(device_.backend().create_stream()) {}
Queue::~Queue() {
  if (stream_ != nullptr) device_.backend().destroy_stream(stream_);
}
Queue::Queue(Queue&& other) noexcept
    : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
void Queue::wait() {
  device_.backend().wait(stream_);
}

Event::Event(Device device)
    : device_(std::move(device)), event_(device_.backend().create_event()) {}
Event::~Event() {
  device_.backend().destroy_event(event_);
}
void Event::record(Queue& queue) {
  device_.backend().record_event(event_, queue.native());
}
Seconds Event::until(const Event& later) const {
  return device_.backend().elapsed(event_, later.event_);
}

} // namespace ridge
