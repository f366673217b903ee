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

/// Reductions: in one pass over the fields, or from a result a site that goes through memory;
/// `once` is one pass in which no block loops: there are as many blocks as tiles.
enum class Passes { fused, staged, once };
constexpr auto enum_names(Passes) {
  return std::array<std::string_view, 3>{"fused", "staged", "once"};
}

/// Which threads compute the components of a site tensor.
enum class Components { threads, serial };
constexpr auto enum_names(Components) {
  return std::array<std::string_view, 2>{"threads", "serial"};
}

/// Who adds up what the blocks leave: the last block to come, or a launch of its own.
enum class Finish { last, second };
constexpr auto enum_names(Finish) {
  return std::array<std::string_view, 2>{"last", "second"};
}

} // namespace ridge::lattice
