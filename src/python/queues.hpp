// The queues that Python's launches go to.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/lab/bench.hpp>

#include <mutex>

namespace ridge::python {

/// A queue, and whose turn it is: launches of several threads go one after the other.
struct Turn {
  explicit Turn(Queue q) : queue(std::move(q)), roof(queue.device()) {}
  Queue queue;
  lab::RoofSource roof;
  std::mutex guard;
};

/// The queue of a device and, on GPUs, of a stream of another library's; made when first asked for
/// and kept as long as the process: what is queued when the interpreter ends still runs.
[[nodiscard]] Turn& queue_of(const DeviceId& device, void* stream);

} // namespace ridge::python
