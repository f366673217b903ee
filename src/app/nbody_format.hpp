// Names in the file of an N-body run that its writer and its reader share.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <string>

namespace ridge::app::nbody_format {

inline constexpr const char* program = "ridge nbody";
/// The latest format that this version reads, and what it writes: the fourth one where forces are
/// of a tree (the third knows no nodes), the second where positions are relative to an origin of
/// the run's own, else the first.
inline constexpr Index version = 4;

/// What the next forces of a tree depend on.
inline constexpr const char* acceleration = "acceleration";
inline constexpr const char* limit = "cost_limit";
inline constexpr const char* age = "nodes_age";
inline constexpr const char* cost = "nodes_cost";
inline constexpr const char* nodes = "nodes_found_at";

/// The exact positions of such a run, relative to its origin, beside the absolute ones.
inline constexpr const char* exact_positions = "position_from_origin";
/// Its origin: attributes of the file.
inline constexpr std::array<const char*, 3> origin{"origin_x", "origin_y", "origin_z"};

/// The most that names of snapshots have digits for.
inline constexpr Index most_steps = 9'999'999'999;

/// "/snapshots/0000000100": in the order of steps when sorted by name.
[[nodiscard]] std::string group_of(Index step);

} // namespace ridge::app::nbody_format
