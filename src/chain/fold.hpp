// What plans ask of outer dimensions.
#pragma once

#include <ridge/chain/plan.hpp>

namespace ridge::chain {

/// Throws UsageError for outer dimensions that the chain does not declare, or without items.
void check_outer(const Description& description, const Range& range);

/// How many instances a tile has along the outer dimensions, which are one loop. Throws UsageError
/// where there are fewer, or where it has parts of two dimensions.
[[nodiscard]] Index instances_of_tile(const Range& range, const TileShape& tile);

} // namespace ridge::chain
