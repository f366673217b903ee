// Values of schedule fields that the lattice executors of several devices share.
#pragma once

#include <array>
#include <string_view>

namespace ridge::lattice {

/// How results are stored.
enum class Store { plain, nontemporal };
constexpr auto enum_names(Store) {
  return std::array<std::string_view, 2>{"plain", "nontemporal"};
}

} // namespace ridge::lattice
