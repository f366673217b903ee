// The toolchains, each in a file of its kind.
#pragma once

#include "../toolchain.hpp"

namespace ridge::launch::toolchains {

extern const Toolchain cpu, simt, cuda, hip;

} // namespace ridge::launch::toolchains
