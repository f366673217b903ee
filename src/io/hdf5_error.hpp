// What the HDF5 library says when it fails, as part of one line.
#pragma once

#include <string>

namespace ridge::io {

/// Stops the library from printing its error stack, and from trying at exit to write files that
/// could not be written. Call it before anything else of the library.
void quiet_hdf5();

/// Why the last call failed: what to do where another program holds the file; the system's words
/// where the cause is the system ("No space left on device"), else the library's innermost message.
[[nodiscard]] std::string hdf5_reason();

} // namespace ridge::io
