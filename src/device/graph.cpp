#include <ridge/device/backend.hpp>
#include <ridge/device/graph.hpp>

#include <utility>

namespace ridge {

Graph::Graph(Queue& queue, std::function<void()> work) : queue_(queue), work_(std::move(work)) {
  if (!queue.device().is_gpu()) return;
  Backend& backend = queue.device().backend();
  backend.begin_capture(queue.native());
  try {
    work_();
  } catch (...) {
    backend.destroy_graph(backend.end_capture(queue.native()));
    throw;
  }
  native_ = backend.end_capture(queue.native());
  work_ = nullptr;
}

Graph::~Graph() {
  if (native_ != nullptr) queue_.device().backend().destroy_graph(native_);
}

void Graph::launch() {
  if (native_ == nullptr) {
    work_();
  } else {
    queue_.device().backend().launch_graph(native_, queue_.native());
  }
}

} // namespace ridge
