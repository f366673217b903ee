// The interpreter's lock, released while a call computes; and processes that fork meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>

namespace ridge::python {

/// Other threads of Python run while one lives. When the interpreter ends, calls that still compute
/// are waited for, and threads that begin one then stay in it: a thread that came back to an
/// interpreter that is gone would abort the process.
class OthersMayRun {
public:
  /// Throws Failure in a forked child that can never compute, see Unforkable.
  OthersMayRun();
  ~OthersMayRun();
  OthersMayRun(const OthersMayRun&) = delete;
  OthersMayRun& operator=(const OthersMayRun&) = delete;

private:
  PyThreadState* state_;
};

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

/// Guards what calls look up: held for moments, in which nothing is compiled and the interpreter is
/// not needed. A fork waits for it, so that a child finds all of that whole.
[[nodiscard]] std::mutex& moments();

/// How often, from the first process to this one, a fork left calls of other threads behind.
[[nodiscard]] int calls_left_behind();

/// What a process has for its calls. A child that was forked beside a call of another thread begins
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

/// Whether the interpreter is about to end; long work then stops.
[[nodiscard]] bool is_ending();

/// Waits for calls of other threads, and lets none begin any more. For Python's atexit.
void end_calls();

} // namespace ridge::python
