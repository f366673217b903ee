// The interpreter's lock, released while a call computes; and processes that fork meanwhile.
#pragma once

#include <ridge/lab/calls.hpp>

#include <nanobind/nanobind.h>

#include <optional>

namespace ridge::python {

using lab::moments;
using lab::OfThisProcess;
using lab::Unforkable;

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
  std::optional<lab::InCall> in_call_; // ends last
  PyThreadState* state_;
};

/// Whether the interpreter is about to end; long work then stops.
[[nodiscard]] bool is_ending();

/// Waits for calls of other threads, and lets none begin any more. For Python's atexit.
void end_calls();

} // namespace ridge::python
