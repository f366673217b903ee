// The exact solution on the coarsest level.
#pragma once

#include "axis.hpp"

#include <vector>

namespace ridge::solve::detail {

/// The inverse of -laplacian + shift on a level of few points, by columns. Of a singular one the
/// inverse on right-hand sides without a mean (weighted by volumes), whose solutions have none.
[[nodiscard]] std::vector<double> inverse_of(const std::vector<Axis>& axes, double shift,
                                             bool singular);

} // namespace ridge::solve::detail
