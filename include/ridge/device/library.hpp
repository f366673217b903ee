// Where this library lies, and what travels with it.
#pragma once

#include <string>

namespace ridge {

/// The folder of the shared library that this code is in.
[[nodiscard]] std::string library_folder();
/// The shared library itself, which kernels compiled on demand are linked to.
[[nodiscard]] std::string library_file();
/// The folder with `ridge/core/config.hpp` and all other headers; empty where they are not here.
[[nodiscard]] std::string headers_folder();

} // namespace ridge
