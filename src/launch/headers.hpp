// The headers that travel with the library.
#pragma once

#include <string>

namespace ridge::launch {

/// A digest of the content of all of them, read once a process.
[[nodiscard]] const std::string& headers_digest();

} // namespace ridge::launch
