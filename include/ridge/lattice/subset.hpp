// Parts of a lattice.
#pragma once

#include <ridge/lattice/geometry.hpp>

namespace ridge::lattice {

/// All sites, or those whose coordinates add up to an even or odd number.
enum class Subset { all, even, odd };

/// How many sites that are.
[[nodiscard]] inline Index sites_of(const Geometry& g, Subset subset) {
  if (subset == Subset::all) return g.sites();
  bool odd = true; // all extents: then there is one more even site than odd ones
  for (int d = 0; d < g.rank; ++d)
    odd = odd && g.extent(d) % 2 == 1;
  return g.sites() / 2 + (odd && subset == Subset::even ? 1 : 0);
}

/// Whether a site kernel itself says which sites it is for: `bool wants(const Coordinates&) const`.
template <class K>
concept chooses_sites = requires(const K& kernel, const Coordinates& x) {
  kernel.wants(x);
};

} // namespace ridge::lattice
