#include <ridge/device/graph.hpp>

#include "capture.hpp"

#include <utility>

namespace ridge {

Graph::Graph(Queue& queue, std::function<void()> work) : queue_(queue), work_(std::move(work)) {
  if (!queue.device().is_gpu()) return;
  Backend& backend = queue.device().backend();
  // The default stream cannot record, and work given to a recording is part of that.
  if (queue.native() == nullptr || backend.recording(queue.native()) != 0) return;
  native_ = captured(backend, queue.native(), work_);
}

Graph::~Graph() {
  if (native_ != nullptr) queue_.device().backend().destroy_graph(native_);
}

void Graph::launch() {
  Backend& backend = queue_.device().backend();
  if (native_ == nullptr || backend.recording(queue_.native()) != 0) {
    work_();
  } else {
    backend.launch_graph(native_, queue_.native());
  }
}

} // namespace ridge
