// Values of schedule fields that kernels are compiled for.
#pragma once

#include <array>
#include <string_view>

namespace ridge::pairs {

/// Whether each target visits all sources, or each pair of bodies is computed once for both.
enum class Form { direct, symmetric };
constexpr auto enum_names(Form) {
  return std::array<std::string_view, 2>{"direct", "symmetric"};
}

/// How the lanes share what one of them has loaded: `shared`, tiles of sources in shared memory;
/// `shuffle`, a source a lane, exchanged within the warp; `both`, tiles in shared memory from which
/// each warp takes a source a lane; `warp`, tiles in shared memory that each warp has for itself,
/// so that warps do not wait for each other.
enum class Stage { shared, shuffle, both, warp };
constexpr auto enum_names(Stage) {
  return std::array<std::string_view, 4>{"shared", "shuffle", "both", "warp"};
}

/// What the warps of a block divide among them: the block's targets, each warp visiting all sources
/// of the block; or its sources, all warps having the same targets, for few of those.
enum class Divide { targets, sources };
constexpr auto enum_names(Divide) {
  return std::array<std::string_view, 2>{"targets", "sources"};
}

/// How the partial sums of blocks that share targets come together: `ordered`, each block adds its
/// own when those before it have; `last`, the last block to finish adds all in order.
enum class Combine { ordered, last };
constexpr auto enum_names(Combine) {
  return std::array<std::string_view, 2>{"ordered", "last"};
}

/// Larger register tiles leave registers for fewer threads.
constexpr int most_threads(Stage stage, int tile) {
  return stage == Stage::warp ? 512 : tile >= 8 ? 128 : 256;
}

/// Bodies of a row that the symmetric form has in shared memory at a time.
inline constexpr int symmetric_chunk = 256;

} // namespace ridge::pairs
