// Variants of kernels on stored fields on GPUs, as data.
#pragma once

#include <array>
#include <string_view>

namespace ridge::lattice {

/// Reads of what a site alone needs: through the L1 cache, or past it.
enum class Reads { cached, once };
constexpr auto enum_names(Reads) {
  return std::array<std::string_view, 2>{"cached", "once"};
}
/// How results are stored: through the caches, or as what is not read again soon.
enum class Results { plain, streaming };
constexpr auto enum_names(Results) {
  return std::array<std::string_view, 2>{"plain", "streaming"};
}

struct StoredVariant {
  int bounds = 256; ///< most threads of a block
  int resident = 1; ///< such blocks that a unit has the registers for
  int inner = 1;    ///< values a site
  Reads links = Reads::cached;
  Results store = Results::plain;
  friend constexpr bool operator==(const StoredVariant&, const StoredVariant&) = default;
};

} // namespace ridge::lattice
