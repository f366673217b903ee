#include <ridge/device/recording.hpp>
#include <ridge/device/replay.hpp>

#include "capture.hpp"

namespace ridge {

namespace {
thread_local bool apart = false;
struct Apart {
  Apart() { apart = true; }
  ~Apart() { apart = false; }
};
} // namespace

bool is_recording_apart() {
  return apart;
}

Queue queue_to_record_on(const Device& device) {
  const Apart now;
  return Queue(device);
}

Replay::Replay(Queue& recorded, const std::function<void()>& work) : device_(recorded.device()) {
  const Binding binding(recorded); // other threads may record meanwhile
  const Apart now;
  graph_ = captured(device_.backend(), recorded.native(), work);
}

Replay::~Replay() {
  device_.backend().destroy_graph(graph_);
}

void Replay::launch(Queue& queue) const {
  device_.backend().launch_graph(graph_, queue.native());
}

} // namespace ridge
