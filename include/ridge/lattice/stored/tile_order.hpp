// The order in which blocks of threads go through the tiles of a lattice.
#pragma once

#include <ridge/lattice/stored/grid.hpp>

namespace ridge::lattice {

/// Division by a number known at run time, for x < 2^32 / n: a product and a shift.
struct Divider {
  unsigned n = 1, factor = 0;

  Divider() = default;
  RIDGE_FN explicit Divider(unsigned n_)
      : n(n_), factor(n_ == 1 ? 0 : static_cast<unsigned>(((1ULL << 32) + n_ - 1) / n_)) {}
  /// x becomes the quotient; returns the remainder.
  RIDGE_FN unsigned divide(unsigned& x) const {
    const unsigned quotient =
        n == 1 ? x : static_cast<unsigned>((static_cast<unsigned long long>(x) * factor) >> 32);
    const unsigned rest = x - quotient * n;
    x = quotient;
    return rest;
  }
};

/// Tiles of 2^shift sites along each dimension, within slabs of so many tiles, x fastest in both. A
/// slab is done before the next.
struct TileOrder {
  unsigned shift[grid_dimensions] = {};
  Divider slab[grid_dimensions];      ///< tiles of a slab
  Divider slabs[grid_dimensions - 1]; ///< slabs along x, y and z

  /// The tile of a block, one of blocks().
  RIDGE_FN void block(unsigned b, int (&tile)[grid_dimensions]) const {
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions; ++d)
      tile[d] = static_cast<int>(slab[d].divide(b));
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions - 1; ++d)
      tile[d] += static_cast<int>(slabs[d].divide(b) * slab[d].n);
    tile[grid_dimensions - 1] += static_cast<int>(b * slab[grid_dimensions - 1].n);
  }
};

} // namespace ridge::lattice
