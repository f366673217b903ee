// Queues: in-order streams of work on a device; events: points in them.
#pragma once

#include <ridge/device/device.hpp>

namespace ridge {

/// Work given to one queue runs in order. On the cpu and the emulated GPUs it runs at once.
class Queue {
public:
  explicit Queue(Device device);
  ~Queue();
  Queue(Queue&& other) noexcept;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  Queue& operator=(Queue&&) = delete;

  [[nodiscard]] const Device& device() const { return device_; }
  /// The cudaStream_t or hipStream_t; null on the host.
  [[nodiscard]] void* native() const { return stream_; }
  /// Returns when all work given so far is done; throws Failure if any of it failed.
  void wait();
  /// At least `size` bytes of device memory for kernels of this queue to count in. They are zero at
  /// first; every kernel leaves them zero. Valid until a larger piece is asked for.
  [[nodiscard]] void* counters(Bytes size);
  /// At least `size` bytes of device memory for what kernels of this queue leave for the next.
  /// Valid until a larger piece is asked for.
  [[nodiscard]] void* scratch(Bytes size);

private:
  Device device_;
  void* stream_ = nullptr;
  void* counters_ = nullptr;
  Bytes counters_size_;
  void* scratch_ = nullptr;
  Bytes scratch_size_;
};

class Event {
public:
  explicit Event(Device device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Queue& queue);
  /// Time from this event to `later`; waits until both have happened.
  [[nodiscard]] Seconds until(const Event& later) const;

private:
  Device device_;
  void* event_ = nullptr;
};

} // namespace ridge
