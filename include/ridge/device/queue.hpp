// Queues: in-order streams of work on a device; events: points in them.
#pragma once

#include <ridge/device/device.hpp>

#include <vector>

namespace ridge {

/// Work given to one queue runs in order. On the cpu and the emulated GPUs it runs at once.
class Queue {
public:
  explicit Queue(Device device);
  /// On a stream of somebody else's, a cudaStream_t or hipStream_t (null: the default one), which
  /// must outlive the queue: work is in order with what others give to it.
  [[nodiscard]] static Queue on_stream(Device device, void* stream);
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
  /// first; every kernel leaves them zero. Valid as long as the queue.
  [[nodiscard]] void* counters(Bytes size);
  /// At least `size` bytes of device memory for kernels of this queue to keep intermediate results
  /// in from one to the next, with any content at first. Valid as long as the queue.
  [[nodiscard]] void* scratch(Bytes size);
  /// Bytes that counters and scratch take now.
  [[nodiscard]] Bytes held() const;

private:
  struct Piece {
    void* data = nullptr;
    Bytes size;
  };
  Queue(Device device, void* stream, bool owns);
  /// True when the piece is new. Smaller ones stay, for programs that are bound to them.
  bool grow(Piece& piece, Bytes size, const char* what);
  void release(Piece& piece) noexcept;

  Device device_;
  void* stream_ = nullptr;
  Piece counters_, scratch_;
  std::vector<Piece> outgrown_;
  bool owns_stream_ = true;
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
