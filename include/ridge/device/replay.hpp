// Launches recorded once on a queue of their own and given to another one, as often as asked.
#pragma once

#include <ridge/device/queue.hpp>

#include <functional>

namespace ridge {

/// A queue of a GPU to record on. It waits for no other, and none waits for it: what other threads
/// give to the default stream meanwhile is no part of a recording.
[[nodiscard]] Queue queue_to_record_on(const Device& device);

/// True where the calling thread makes such a queue or records on one: backends of GPUs ask.
/// Its graphs have the priority of the queue that they are given to.
[[nodiscard]] bool is_recording_apart();

/// A graph of launches. The host gives it to a queue in half the time of one launch, and to the
/// default stream too, which cannot record.
class Replay {
public:
  /// Records what `work` gives to `apart`: kernels, and no copies to pageable memory or waits. What
  /// the launches use must outlive this. Throws what the runtime says.
  Replay(Queue& recorded, const std::function<void()>& work);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Gives all of it to a queue of the same device, that nobody records. Launches follow each other
  /// on one queue: two queues would run them side by side in the same memory.
  void launch(Queue& queue) const;

private:
  Device device_;
  void* graph_;
};

} // namespace ridge
