// When the kernels, copies and calls of a program began and ended.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <string_view>

namespace ridge::doctor {

/// Reads what the library that is loaded into a program (src/app/foreign/timeline) wrote of one
/// process. A line that is cut off, as where the program was killed, is left out. Without kernels
/// and copies the result has no span.
[[nodiscard]] Foreign read_timeline(std::string_view text);

} // namespace ridge::doctor
