#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/queue.hpp>

#include <utility>

namespace ridge {

Queue::Queue(Device device)
    : device_(std::move(device)), stream_(device_.backend().create_stream()) {}
Queue::Queue(Device device, void* stream, bool owns)
    : device_(std::move(device)), stream_(stream), owns_stream_(owns) {}
Queue Queue::on_stream(Device device, void* stream) {
  return {std::move(device), stream, false};
}
Queue::~Queue() {
  release(counters_);
  release(scratch_);
  for (Piece& piece : outgrown_)
    release(piece);
  if (stream_ != nullptr && owns_stream_) device_.backend().destroy_stream(stream_);
}
// The device is copied: a queue that was moved from still names it.
Queue::Queue(Queue&& other) noexcept // NOLINT(performance-move-constructor-init)
    : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)),
      counters_(std::exchange(other.counters_, {})), scratch_(std::exchange(other.scratch_, {})),
      outgrown_(std::move(other.outgrown_)), owns_stream_(other.owns_stream_) {}

Bytes Queue::held() const {
  Bytes all = counters_.size + scratch_.size;
  for (const Piece& piece : outgrown_)
    all = all + piece.size;
  return all;
}

void Queue::release(Piece& piece) noexcept {
  if (piece.data == nullptr) return;
  device_.backend().deallocate(piece.data, static_cast<std::size_t>(piece.size.value));
  piece = {};
}

bool Queue::grow(Piece& piece, Bytes size, const char* what) {
  if (piece.data != nullptr && piece.size >= size) return false;
  void* const larger = device_.backend().allocate(static_cast<std::size_t>(size.value));
  if (larger == nullptr) {
    throw Failure("no memory for " + to_text(size) + " of " + what + " on " +
                  to_text(device_.id()) + "; free are " + to_text(device_.backend().free_memory()));
  }
  if (piece.data != nullptr) outgrown_.push_back(piece);
  piece = {larger, size};
  return true;
}

void* Queue::counters(Bytes size) {
  if (grow(counters_, size, "counters")) {
    // Not in the stream: where it records, launches that run meanwhile would find what was there.
    device_.backend().fill_now(counters_.data, 0, static_cast<std::size_t>(size.value));
  }
  return counters_.data;
}

void* Queue::scratch(Bytes size) {
  grow(scratch_, size, "intermediate results");
  return scratch_.data;
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
