// The implicit steps of `ridge evolve heat --implicit` and of diffusion, which a wing takes.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include "evolve_setup.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ridge::app {

/// Steps of a run, in the precision of its input, on packed fields of what a rank owns.
class ImplicitSteps {
public:
  ImplicitSteps() = default;
  ImplicitSteps(const ImplicitSteps&) = delete;
  ImplicitSteps& operator=(const ImplicitSteps&) = delete;
  virtual ~ImplicitSteps() = default;
  /// Starts from packed fields: u, and the coefficient of diffusion.
  virtual void set(const std::vector<const void*>& fields) = 0;
  /// Throws Failure where a step does not reach the tolerance; u is then before it.
  virtual void run(Index steps) = 0;
  virtual void read(void* u) = 0;
  /// How steps are solved.
  [[nodiscard]] virtual std::string method() const = 0;
  /// The record of a step on average; not timed.
  [[nodiscard]] virtual Record record() const = 0;
};

using MakeImplicitSteps = std::unique_ptr<ImplicitSteps> (*)(Queue&, const EvolveSetup&,
                                                             comm::Communicator&);

/// Announces what takes them, from a static initialiser.
class ImplicitStepsAnnounced {
public:
  explicit ImplicitStepsAnnounced(MakeImplicitSteps make);
};

[[nodiscard]] bool has_implicit_steps();
/// Throws UsageError where this build has none.
[[nodiscard]] std::unique_ptr<ImplicitSteps>
make_implicit_steps(Queue& queue, const EvolveSetup& setup, comm::Communicator& ranks);

} // namespace ridge::app
