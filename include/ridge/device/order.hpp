// The order of work on two queues of a device.
#pragma once

#include <ridge/device/queue.hpp>

namespace ridge {

/// A point in one queue that another waits for. Works while a graph is recorded too: the queue that
/// waits then becomes part of the graph.
class Order {
public:
  explicit Order(Device device);
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  /// Work given to `later` from now on begins when all given to `earlier` so far is done. On the
  /// host, where queues run at once, nothing needs to be done.
  void set(Queue& later, Queue& earlier);

private:
  Device device_;
  void* event_ = nullptr;
};

/// A queue whose work, where a GPU has to choose, begins before that of other queues.
[[nodiscard]] Queue urgent_queue(const Device& device);

/// Whether the calling thread is making such a queue: what the backends of GPUs ask.
[[nodiscard]] bool making_urgent_queue();

/// Names what modules of GPUs offer: `void(void* stream, void* event)`.
struct WaitForEvent;

} // namespace ridge
