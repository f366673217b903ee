// What AMD's code object manager (comgr), which hiprtc compiles with, can compile for.
#pragma once

#include <string>

namespace ridge::launch {

/// Whether it lists the architecture ("gfx90a"); false where it is not here.
[[nodiscard]] bool knows_amd_isa(const std::string& architecture);

} // namespace ridge::launch
