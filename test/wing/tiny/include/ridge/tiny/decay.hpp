// Radioactive decay: a wing as small as one can be. It lies outside of wings/, as one of a user's
// own does.
#pragma once

#include <ridge/device/field.hpp>

namespace ridge::tiny {

/// Of each sample a share decays.
struct Decay {
  Span<double> left; ///< a number a sample
  double share = 0;
};

/// What each kind's module offers under Decay: in queue order.
using DecayOnce = void(Queue& queue, const Decay& decay);

} // namespace ridge::tiny
