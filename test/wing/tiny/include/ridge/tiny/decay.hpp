// Radioactive decay: a wing as small as one can be. It lies outside of wings/, as one of a user's
// own does.
#pragma once

#include <ridge/device/field.hpp>

namespace ridge::tiny {

/// A share of each sample decays.
struct Decay {
  Span<double> left; ///< a number a sample
  double share = 0;
};

/// Each kind's module offers it under Decay: in queue order.
using DecayOnce = void(Queue& queue, const Decay& decay);

} // namespace ridge::tiny
