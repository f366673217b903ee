// What handles of the C interface stand for.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/calls.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ridge::c {

struct QueueObject {
  explicit QueueObject(Queue q) : queue(std::move(q)), roof(queue.device()) {}
  Queue queue;
  lab::RoofSource roof;
  lab::OfThisProcess<std::mutex> turn; ///< launches of several threads go one after the other
  std::atomic<bool> freed{false};
};

struct FieldObject {
  std::shared_ptr<QueueObject> on;
  lab::Array array;
  std::optional<Memory> owned;
  [[nodiscard]] Bytes bytes() const; ///< without gaps
};

/// What messages say of a kernel from a text or a file.
struct Shown {
  std::string name;   ///< the user's
  std::string folder; ///< in which our text of it is, with a slash at its end
  std::string type;   ///< ours in that text
};

struct KernelObject {
  lab::BenchKernel kernel;
  Spacing spacing{1, 1, 1};
  Shown shown; ///< empty of a built-in kernel
  /// For many sweeps: what a kernel in a file is loaded again by, or numbers of a built-in one.
  std::string source; ///< FILE:type; empty of a built-in kernel
  std::vector<lab::Setting> settings;
  bool is_adjoint = false;
};

/// A kernel on fields, which stay as long.
struct Bound {
  std::shared_ptr<QueueObject> on;
  std::shared_ptr<KernelObject> kernel;
  std::vector<std::shared_ptr<FieldObject>> fields;
  std::vector<lab::Array> arrays;
  std::unique_ptr<lab::Case> the_case;
  /// The array that a launch writes; null of reductions that store nothing.
  [[nodiscard]] const lab::Array* output() const;
};

struct ProgramObject {
  Bound bound;
  lab::AskedSchedule schedule;
  std::optional<Program> program;
  std::optional<Timing> timing; ///< under `turn` of the queue
};

struct SweepsObject {
  std::shared_ptr<QueueObject> on;
  std::vector<std::shared_ptr<FieldObject>> fields;
  int levels = 1; ///< of the fields, the first ones: what a sweep gives new values
  std::optional<stencil::Sweeps> sweeps;
};

} // namespace ridge::c
