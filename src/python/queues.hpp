// The queues that Python's launches go to.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/lab/bench.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace ridge::python {

/// A queue, and whose turn it is: launches of several threads go one after the other.
struct Turn {
  explicit Turn(Queue q) : queue(std::move(q)), roof(queue.device()) {}
  Queue queue;
  lab::RoofSource roof;
  std::mutex guard;
  std::unique_ptr<Turn> apart; ///< where launches of this one are recorded, once any is
};

/// What a graph that somebody records on a stream takes of Ridge: a queue whose memory is the
/// graph's alone, as graphs may run side by side, and what was bound to it. It lives as long as the
/// graph.
struct Recording {
  explicit Recording(Queue queue) : turn(std::move(queue)) {}
  Turn turn;
  std::vector<std::shared_ptr<const void>> kept;
};

/// That of the graph which the queue's stream records now, made when first asked for; null where
/// what the stream is given runs. Ask while it is your turn.
[[nodiscard]] std::shared_ptr<Recording> recording_on(const Turn& turn);

/// The queue of a device and, on GPUs, of a stream of another library's; made when first asked for
/// and kept as long as the process: what is queued when the interpreter ends still runs.
[[nodiscard]] Turn& queue_of(const DeviceId& device, void* stream);

} // namespace ridge::python
