// A launch that computes on threads of the host.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace ridge::cpu {

/// What threads of one launch share. Made by the thread that launches.
class Running {
public:
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// `leads`: whether the calling thread is the one that launches.
  [[nodiscard]] bool goes_on(bool leads);
  /// What ended it, where something did.
  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

private:
  using Clock = std::chrono::steady_clock;

  std::atomic<bool> ended_{false};
  Clock::time_point next_{}; ///< when to ask; the thread's that launches, as is what follows
  std::exception_ptr why_;
};

/// While one lives, the calling thread works for a launch.
class WorksFor {
public:
  WorksFor(Running& launch, bool leads);
  ~WorksFor();
  WorksFor(const WorksFor&) = delete;
  WorksFor& operator=(const WorksFor&) = delete;

private:
  Running* before_;
  bool led_;
};

/// The calling thread stands for another, which waits: whom it would ask expects that one.
void ask_nobody_here();

} // namespace ridge::cpu
