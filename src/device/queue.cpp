#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/queue.hpp>

#include <utility>

namespace ridge {

Queue::Queue(Device device)
    : device_(std::move(device)), stream_(device_.backend().create_stream()) {}
Queue::~Queue() {
  if (counters_ != nullptr) {
    device_.backend().deallocate(counters_, static_cast<std::size_t>(counters_size_.value));
  }
  if (scratch_ != nullptr) {
    device_.backend().deallocate(scratch_, static_cast<std::size_t>(scratch_size_.value));
  }
  if (stream_ != nullptr) device_.backend().destroy_stream(stream_);
}
Queue::Queue(Queue&& other) noexcept
    : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)),
      counters_(std::exchange(other.counters_, nullptr)), counters_size_(other.counters_size_),
      scratch_(std::exchange(other.scratch_, nullptr)), scratch_size_(other.scratch_size_) {}

void* Queue::counters(Bytes size) {
  if (counters_ != nullptr && counters_size_ >= size) return counters_;
  Backend& backend = device_.backend();
  if (counters_ != nullptr) {
    wait(); // the old ones may be in use
    backend.deallocate(counters_, static_cast<std::size_t>(counters_size_.value));
    counters_ = nullptr;
  }
  const auto bytes = static_cast<std::size_t>(size.value);
  counters_ = backend.allocate(bytes);
  if (counters_ == nullptr) {
    throw Failure("no memory for " + to_text(size) + " of counters on " + to_text(device_.id()));
  }
  counters_size_ = size;
  backend.fill(stream_, counters_, 0, bytes);
  return counters_;
}

void* Queue::scratch(Bytes size) {
  if (scratch_ != nullptr && scratch_size_ >= size) return scratch_;
  Backend& backend = device_.backend();
  if (scratch_ != nullptr) {
    wait(); // the old piece may be in use
    backend.deallocate(scratch_, static_cast<std::size_t>(scratch_size_.value));
    scratch_ = nullptr;
  }
  scratch_ = backend.allocate(static_cast<std::size_t>(size.value));
  if (scratch_ == nullptr) {
    throw Failure("no memory for " + to_text(size) + " of partial results on " +
                  to_text(device_.id()));
  }
  scratch_size_ = size;
  return scratch_;
}

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
