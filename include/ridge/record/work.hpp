// Work: what a launch must at least do. Declared by the pattern, never guessed after the fact.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/units.hpp>

#include <string>

namespace ridge {

struct Work {
  Bytes read;             ///< least bytes read from memory
  Bytes written;          ///< least bytes written
  double flops = 0;       ///< floating-point operations, as `convention` counts them; NaN: unknown
  Index items = 0;        ///< points, interactions or sites computed
  std::string convention; ///< what counts as a byte and as an operation, for the reader
};

} // namespace ridge
