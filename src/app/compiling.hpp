// Kernels that are compiled on demand: said on standard error, and ended by Ctrl-C.
#pragma once

#include <ridge/core/units.hpp>

namespace ridge::app {

/// From now on a compilation that takes more than a second has a line in the terminal while it
/// runs; where standard error is none, one line is written if it takes more than thirty. Compilers
/// end when the user asks to stop.
void watch_compilers();

/// The seconds of all compilations since compilers are watched.
[[nodiscard]] Seconds compiled_for();

} // namespace ridge::app
