// The exact solution on the coarsest level.
#pragma once

#include "axis.hpp"

#include <vector>

namespace ridge::solve::detail {

/// The inverse of -div(k grad) + shift on a level of few points, by columns. Of a singular one the
/// inverse on right-hand sides without a mean (weighted by volumes), whose solutions have none. `k`
/// is as an Operator has it; empty: 1. Where `land` is not 0 nothing flows and the solution is 0;
/// empty: nowhere.
[[nodiscard]] std::vector<double> inverse_of(const std::vector<Axis>& axes, double shift,
                                             bool singular, const std::vector<double>& k,
                                             const std::vector<unsigned char>& land = {});

} // namespace ridge::solve::detail
