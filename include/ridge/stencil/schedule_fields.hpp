// Values of schedule fields that the stencil executors of several devices share.
#pragma once

#include <array>
#include <string_view>

namespace ridge::stencil {

/// How results are stored.
enum class Store { plain, nontemporal };
constexpr auto enum_names(Store) {
  return std::array<std::string_view, 2>{"plain", "nontemporal"};
}

/// How a lane loads its neighbours: as the kernel asks for them; by ascending address; or by
/// ascending address and 16 bytes at a time, of which it computes as many points.
enum class Loads { stencil, ascending, packs };
constexpr auto enum_names(Loads) {
  return std::array<std::string_view, 3>{"stencil", "ascending", "packs"};
}

/// Inputs of a kernel that marches by tiles: each has a map in the kernel's parameters.
inline constexpr int most_tiled_inputs = 8;

} // namespace ridge::stencil
