// Calls from other languages in a process that has other threads and may fork meanwhile.
#pragma once

#include <mutex>

namespace ridge::lab {

/// While one lives, this thread is in a call: a child that another thread forks then lacks it.
class InCall {
public:
  /// Throws Failure in a forked child that can never compute, see Unforkable.
  InCall();
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
};

/// Calls of all threads now.
[[nodiscard]] int calls_now();

/// While one lives, a call binds, compiles or measures: locks of the library may be held and its
/// lists half changed. A child that another thread forks then lacks the thread that would finish
/// it, and its calls throw at once. A launch of what is bound needs none, and a child that is
/// forked beside it computes.
class Unforkable {
public:
  Unforkable();
  ~Unforkable();
  Unforkable(const Unforkable&) = delete;
  Unforkable& operator=(const Unforkable&) = delete;
};

/// Guards what calls look up: held for moments, in which nothing is compiled. A fork waits for it,
/// so that a child finds all of that whole.
[[nodiscard]] std::mutex& moments();

/// How often, from the first process to this one, a fork left calls of other threads behind.
[[nodiscard]] int calls_left_behind();

/// A process's state for its calls. A child that was forked beside a call of another thread begins
/// with a new one: that thread's may be locked and in use for ever. Asked for under `moments()`.
template <class T>
class OfThisProcess {
public:
  OfThisProcess() : value_(new T), made_after_(calls_left_behind()) {}
  ~OfThisProcess() {
    if (made_after_ == calls_left_behind()) delete value_; // else it is the parent's
  }
  OfThisProcess(const OfThisProcess&) = delete;
  OfThisProcess& operator=(const OfThisProcess&) = delete;

  [[nodiscard]] T& get() {
    if (made_after_ != calls_left_behind()) {
      value_ = new T;
      made_after_ = calls_left_behind();
    }
    return *value_;
  }

private:
  T* value_;
  int made_after_;
};

} // namespace ridge::lab
