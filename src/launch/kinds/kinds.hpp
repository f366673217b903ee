// The toolchains, each in a file of its kind.
#pragma once

#include "../toolchain.hpp"

namespace ridge::launch::toolchains {

#define RIDGE_KIND_TOOLS(kind, Target, MACRO) extern const Toolchain kind;
RIDGE_FOR_EACH_KIND(RIDGE_KIND_TOOLS)
#undef RIDGE_KIND_TOOLS

} // namespace ridge::launch::toolchains
