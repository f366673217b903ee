#include "implicit_steps.hpp"

#include "../core/refuse.hpp"

namespace ridge::app {

namespace {

MakeImplicitSteps& announced() {
  static MakeImplicitSteps make = nullptr;
  return make;
}

} // namespace

ImplicitStepsAnnounced::ImplicitStepsAnnounced(MakeImplicitSteps make) {
  announced() = make;
}

bool has_implicit_steps() {
  return announced() != nullptr;
}

std::unique_ptr<ImplicitSteps> make_implicit_steps(Queue& queue, const EvolveSetup& setup,
                                                   comm::Communicator& ranks) {
  refuse_if(!has_implicit_steps(),
            "the run has implicit steps, which this ridge was built without (RIDGE_WINGS)");
  return announced()(queue, setup, ranks);
}

} // namespace ridge::app
