// Grid spacing on the command line.
#pragma once

#include <ridge/stencil/laplacian.hpp>

#include <string_view>

namespace ridge::app {

/// Reads `0.5x0.5x1.2`, x first, one number a dimension, or one number for all of them. Throws
/// UsageError when a number is not positive or there are more or fewer.
[[nodiscard]] stencil::Spacing parse_spacing(std::string_view text, int rank);

} // namespace ridge::app
