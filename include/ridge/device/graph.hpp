// Graphs: launches recorded once and given to a queue all together, as often as needed. On a GPU
// that costs one launch instead of many.
#pragma once

#include <ridge/device/queue.hpp>

#include <functional>
#include <memory>

namespace ridge {

class Graph {
public:
  /// Records what `work` gives to the queue: kernels, and no allocations, copies to pageable memory
  /// or waits. `work` is kept, and what it refers to must outlive the graph: it is called where the
  /// queue runs at once, cannot record, or is recorded by somebody. Throws what the runtime says.
  Graph(Queue& queue, std::function<void()> work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Gives all of it to the queue that it was recorded on.
  void launch();

private:
  Queue& queue_;
  std::function<void()> work_;
  void* native_ = nullptr;
};

/// Work that is given as it is the first time, when whatever is made once is made, and as a graph
/// from the second on, where it can be recorded. What the work refers to must outlive this.
class Repeated {
public:
  template <class F>
  void run(Queue& queue, bool can_be_recorded, const F& work) {
    if (!graph_ && ran_ && can_be_recorded) graph_ = std::make_unique<Graph>(queue, work);
    ran_ = true;
    graph_ ? graph_->launch() : work();
  }
  [[nodiscard]] bool is_recorded() const { return graph_ != nullptr; }

private:
  std::unique_ptr<Graph> graph_;
  bool ran_ = false;
};

} // namespace ridge
