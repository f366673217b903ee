// Outer dimensions merged with the last one that operations know, and tiles of that.
#include "fold.hpp"

#include <ridge/chain/plan.hpp>
#include <ridge/comm/grid.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

using comm::along;

void check_outer(const Description& d, const Range& range) {
  for (int k = 0; k < most_outer; ++k) {
    const Index n = range.outer[k];
    refuse_if(n < 1 || (k >= d.outer && n > 1), "chain '{}': {} items along outer dimension {}; {}",
              d.name, n, k + 1,
              n < 1 ? "give 1 or more" : fmt::format("it declares {} of these", d.outer));
  }
}

Index instances_of_tile(const Range& range, const TileShape& tile) {
  Index together = 1;
  bool whole = true;
  for (int k = 0; k < most_outer; ++k) {
    const Index n = range.outer[k];
    const Index asked = tile.along(3 + k) == 0 ? n : tile.along(3 + k);
    refuse_if(asked > n,
              "tile={}: {} items along outer dimension {} are more than the "
              "{} there are; give 1 to {} or all",
              to_text(tile), asked, k + 1, n, n);
    refuse_if(asked > 1 && !whole,
              "tile={}: {} items along outer dimension {} need all of those "
              "before it: outer dimensions are one loop",
              to_text(tile), asked, k + 1);
    together *= asked;
    whole = whole && asked == n;
  }
  return together;
}

Range folded(const Description& d, const Range& range) {
  Range n(static_cast<const Index3&>(range));
  if (d.merges_outer()) {
    along(n, d.column_dimension()) *= range.instances();
  } else {
    n.outer[0] = range.instances();
  }
  return n;
}

TileShape unfolded(const Description& d, const Range& range, const TileShape& tile) {
  if (!d.merges_outer() || range.instances() == 1 || tile == TileShape{}) return tile;
  TileShape made = tile;
  const int m = d.column_dimension();
  Index& last = m == 0 ? made.x : m == 1 ? made.y : made.z;
  const Index n = along(static_cast<const Index3&>(range), m);
  if (last != 0 && last < n) return made;
  Index instances = last == 0 ? range.instances() : last / n;
  last = n;
  for (int k = 0; k < d.outer; ++k) {
    made.outer[k] = std::clamp<Index>(instances, 1, range.outer[k]);
    instances /= range.outer[k];
  }
  return made;
}

} // namespace ridge::chain
