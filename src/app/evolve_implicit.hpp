// The implicit steps of `ridge evolve heat --implicit` and of diffusion.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include "evolve_setup.hpp"

#include <memory>

namespace ridge::app {

/// Steps of a run, in the precision of its input, on packed fields of what a rank owns.
class ImplicitRun {
public:
  ImplicitRun(Queue& queue, const EvolveSetup& setup, comm::Communicator& ranks);
  ~ImplicitRun();

  /// Starts from packed fields: u, and the coefficient of diffusion.
  void set(const std::vector<const void*>& fields);
  /// Throws Failure where a step does not reach the tolerance; u is then before it.
  void run(Index steps);
  void read(void* u);
  /// How steps are solved.
  [[nodiscard]] std::string method() const;
  /// Of a step on average; not timed.
  [[nodiscard]] Record record() const;

private:
  class Any;
  template <class T>
  class Of;
  std::unique_ptr<Any> steps_;
};

} // namespace ridge::app
