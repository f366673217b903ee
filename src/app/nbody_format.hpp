// Names in the file of an N-body run that its writer and its reader share.
#pragma once

#include <ridge/core/extents.hpp>

#include <string>

namespace ridge::app::nbody_format {

inline constexpr const char* program = "ridge nbody";
/// Of what this version writes, and the latest it reads.
inline constexpr Index version = 1;

/// The most that names of snapshots have digits for.
inline constexpr Index most_steps = 9'999'999'999;

/// "/snapshots/0000000100": in the order of steps when sorted by name.
[[nodiscard]] std::string group_of(Index step);

} // namespace ridge::app::nbody_format
