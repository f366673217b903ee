#include <ridge/device/backend.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/order.hpp>

#include <utility>

namespace ridge {

namespace {
thread_local bool urgent = false;
} // namespace

bool making_urgent_queue() {
  return urgent;
}

Queue urgent_queue(const Device& device) {
  struct Urgent {
    Urgent() { urgent = true; }
    ~Urgent() { urgent = false; }
  } const now;
  return Queue(device);
}

Order::Order(Device device) : device_(std::move(device)) {
  if (device_.is_gpu()) event_ = device_.backend().create_event();
}
Order::~Order() {
  if (event_ != nullptr) device_.backend().destroy_event(event_);
}

void Order::set(Queue& later, Queue& earlier) {
  if (event_ == nullptr) return;
  device_.backend().record_event(event_, earlier.native());
  offered<void(void*, void*)>(device_.kind(), typeid(WaitForEvent*))(later.native(), event_);
}

} // namespace ridge
