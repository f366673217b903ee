// Recordings: graphs that somebody else makes of what a queue's stream is given, as torch and CuPy
// do it. What launches need is made while a recording goes on, and no part of it.
#pragma once

#include <ridge/device/device.hpp>

#include <cstdint>
#include <memory>

namespace ridge {

class Queue;

/// The recording that the queue's stream is in, a number of its own; 0: what it is given runs.
/// Memory of a queue, and what programs keep, must not be shared by graphs: they may run side by
/// side.
[[nodiscard]] std::uint64_t recording_of(const Queue& queue);

/// Keeps `what` as long as the recording's graph, or a copy of it, can be launched; what it holds
/// is destroyed some time later, when a queue of this device is asked for its recording.
void keep_with_recording(const Queue& queue, std::shared_ptr<const void> what);

/// While one lives, this thread may bind programs although the queue's stream records: kernels are
/// loaded and asked what they take.
class Binding {
public:
  explicit Binding(const Queue& queue);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

private:
  const Queue& queue_;
};

/// Copies host memory to device memory that no queue uses yet. Done when it returns, and no part of
/// a recording.
void set_now(const Device& device, void* to, const void* from, Bytes bytes);

} // namespace ridge
