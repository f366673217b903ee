// Shared memory that kernels were granted.
#pragma once

#include <map>
#include <mutex>

namespace ridge::gpu {

/// The most shared memory that a kernel was granted on each device. Programs of one kernel that
/// need different amounts may be bound at once: granting less than before would take it from those
/// that need more, whose launches would fail.
class Granted {
public:
  /// Calls `grant` where the kernel needs more bytes on the device than it was ever granted there.
  template <class Grant>
  void raise(int device, int bytes, const Grant& grant) {
    const std::lock_guard lock(guard_);
    int& granted = most_[device];
    if (bytes <= granted) return;
    grant();
    granted = bytes;
  }

private:
  std::mutex guard_;
  std::map<int, int> most_;
};

} // namespace ridge::gpu
