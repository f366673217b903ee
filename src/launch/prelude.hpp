// Headers that a host compiler reads once for all that it compiles on demand.
#pragma once

#include "compilers.hpp"

#include <string>
#include <vector>

namespace ridge::launch {

/// Has the compiler read the header `name` before anything else, compiled by it once and kept in
/// the cache: writes what it takes into `folder`, where the compiler will run, and returns the
/// options. Nothing where the compiler takes none, where there is no room for one, and the first
/// few times that a header is wanted: compiling it pays only for those who compile many kernels.
[[nodiscard]] std::vector<std::string>
prelude_options(const Compiler& compiler, const std::string& name, const std::string& folder);

} // namespace ridge::launch
