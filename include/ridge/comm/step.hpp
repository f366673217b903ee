// A launch over ranks, bound once: what programs over ranks of all patterns are to those who time
// them.
#pragma once

#include <ridge/record/record.hpp>

namespace ridge::comm {

/// All ranks make the same calls.
class Step {
public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  /// Gives one launch to the queue.
  virtual void run() = 0;
  /// The parts of it, to be timed: they leave the halos, or the results, as run() does.
  virtual void run_exchange() = 0;
  virtual void run_compute() = 0;
  /// True where ranks send each other anything.
  [[nodiscard]] virtual bool exchanges() const { return true; }
  /// The record of all ranks together; not timed.
  [[nodiscard]] virtual Record record() const = 0;
};

} // namespace ridge::comm
