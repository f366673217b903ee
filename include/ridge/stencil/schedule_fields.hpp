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

/// In which order a lane loads its neighbours.
enum class Loads { stencil, ascending };
constexpr auto enum_names(Loads) {
  return std::array<std::string_view, 2>{"stencil", "ascending"};
}

} // namespace ridge::stencil
